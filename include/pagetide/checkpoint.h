/*===- checkpoint.h - Checkpoints of a program's regions --------------------===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 * For C99, C++11 and later. Link libpagetide-checkpoint.
 *
 * A program protects regions of its memory, each by an id of its own. A save
 * writes what changed since the last one, which Pagetide's marks tell. Nothing
 * is hashed to find that out. After a restart, the program protects regions of
 * the same ids and sizes, at any addresses, and restores their content.
 *
 * Without the runtime, or if the program is not instrumented, every save is of
 * all regions whole. `pagetide record --engine uffd` gives such programs
 * increments.
 *
 * Sizes are bytes and times are nanoseconds. Numbers of checkpoints grow from 1
 * on.
 *
 * Threads. Any thread may call these functions. Calls wait for each other.
 * None is for signal handlers. None but pagetide_checkpoint_note_period may be
 * called in a period callback. While a save runs, no other thread may write to
 * protected regions, except in updates, for which a save waits. Checkpoints in
 * the background (pagetide_checkpoint_every) let all threads write. While a
 * restore runs, no other thread may access protected regions.
 *
 * The runtime. pagetide_checkpoint_open() sets the process's period callback,
 * and starts to record if nobody does. A program with a callback of its own
 * says so (own_callback) and passes periods on. A program that watches regions
 * (pagetide_watch) watches its protected regions too: pages that it does not
 * watch are in no page set, and would be missing in increments.
 *
 * Errors are negative values of pagetide_checkpoint_status.
 *
 *===----------------------------------------------------------------------===*/

#ifndef PAGETIDE_CHECKPOINT_H
#define PAGETIDE_CHECKPOINT_H

#include <pagetide/pagetide.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pagetide_checkpoint_status {
  PAGETIDE_CHECKPOINT_OK = 0,
  PAGETIDE_CHECKPOINT_NONE = -1,    /* the folder has no such checkpoint */
  PAGETIDE_CHECKPOINT_INVALID = -2, /* an argument is out of range */
  /* Another process writes to the folder; or this one has a folder open
   * already; or called in a period callback. */
  PAGETIDE_CHECKPOINT_BUSY = -3,
  PAGETIDE_CHECKPOINT_NO_MEMORY = -4, /* memory ran out */
  PAGETIDE_CHECKPOINT_IO = -5,        /* a file cannot be read or written */
  PAGETIDE_CHECKPOINT_DAMAGED = -6,   /* a file is missing, or is not as it was
                                       * written */
  PAGETIDE_CHECKPOINT_VERSION = -7,   /* another version of the format */
  PAGETIDE_CHECKPOINT_PROGRAM = -8,   /* the folder is another program's */
  PAGETIDE_CHECKPOINT_REGIONS = -9,   /* the protected regions are not those of
                                       * the checkpoint */
  PAGETIDE_CHECKPOINT_FORKED = -10,   /* called in a child of the process that
                                       * opened the folder */
  PAGETIDE_CHECKPOINT_UNSUPPORTED = -11, /* the program or the system lacks what
                                          * is needed; the message says what */
  PAGETIDE_CHECKPOINT_NO_CUT = -12       /* the threads could not be stopped at
                                          * one instant */
} pagetide_checkpoint_status;

enum {
  /* Files are on the disk when a save returns: a checkpoint outlives the
   * machine. */
  PAGETIDE_CHECKPOINT_SYNC = 0,
  /* They are with the kernel: a checkpoint outlives the program only. A restore
   * finds out what a machine's end has damaged. */
  PAGETIDE_CHECKPOINT_NO_SYNC = 1
};

/* How blocks of 256 KiB are compressed: a level of zstd, 1 to 19, or one of
 * these. Level 1 makes small files in little time. Higher levels take more time
 * for files that are a little smaller. A block that does not become smaller is
 * saved as it is. A chain may have checkpoints of each kind. */
enum {
  /* For content that does not become smaller, and for fast disks. */
  PAGETIDE_CHECKPOINT_NO_COMPRESSION = -1,
  /* For short restores: it decodes in a third of zstd's time. Files are about
   * half as large again. Libraries before this codec refuse such checkpoints
   * (VERSION). */
  PAGETIDE_CHECKPOINT_LZ4 = -2
};

/* `done` of `total` bytes of protected memory. It is called during a save, on
 * the thread that saves. */
typedef void (*pagetide_checkpoint_progress)(void *user, uint64_t done,
                                             uint64_t total);

/* Zeros are defaults. */
typedef struct pagetide_checkpoint_config {
  size_t size;         /* sizeof(pagetide_checkpoint_config) */
  const char *folder;  /* made if it is not there; its parent must be */
  const char *program; /* Whose checkpoints these are, 255 bytes at most. Change
                        * it when regions get another meaning. NULL: the name of
                        * the executable's file. */
  int sync;            /* PAGETIDE_CHECKPOINT_SYNC or _NO_SYNC */
  int compression;     /* a level of zstd, 1 to 19; 0: 1;
                        * PAGETIDE_CHECKPOINT_NO_COMPRESSION or _LZ4 */
  uint32_t keep;       /* How many checkpoints can be restored at least. A save
                        * removes older ones that these do not need. 0: 2. */
  uint32_t max_chain;  /* A save is a base if its chain would have more
                        * checkpoints than this, 1 to 256. 0: 64. */
  int own_callback;    /* 1: the program has a period callback, and calls
                        * pagetide_checkpoint_note_period() in it */
  pagetide_checkpoint_progress progress; /* NULL: none */
  void *progress_user;
  uint64_t update_wait_ns; /* How long a save waits for updates to end. 0: one
                            * second. */
  uint64_t copy_bytes; /* The most memory that a checkpoint in the background
                        * takes for copies of pages. 0: 1 GiB. */
  size_t granularity;  /* Bytes, a power of two from 64 to 2 MiB: what has
                        * changed is saved in units of it, or of the build's
                        * granules if these are larger (or the recording's, if
                        * it asks for coarser ones). 0: these granules,
                        * and coarser units only for a region that would have
                        * more than two million runs. In the background, what
                        * the last period wrote is saved in granules. */
  int kernel_writes;   /* 1: checkpoints also have the pages that the kernel saw
                        * written, whoever wrote them (Linux 6.7) */
} pagetide_checkpoint_config;

enum {
  PAGETIDE_CHECKPOINT_BASE = 1,     /* it holds all regions whole */
  PAGETIDE_CHECKPOINT_UNTRACKED = 2 /* ... because the marks could not tell what
                                     * changed: no runtime, or recording ended
                                     * or was begun anew since the last save */
};

/* What a save or a restore has done. */
typedef struct pagetide_checkpoint_result {
  size_t size;     /* set it to sizeof(pagetide_checkpoint_result) */
  uint64_t number; /* of the checkpoint */
  uint64_t parent; /* 0: none */
  uint32_t flags;  /* PAGETIDE_CHECKPOINT_BASE | ... */
  uint32_t chain;  /* checkpoints that a restore reads */
  uint64_t bytes;  /* of all regions */
  uint64_t
      moved_bytes;     /* taken from memory by a save, put there by a restore */
  uint64_t file_bytes; /* written or read */
  uint64_t duration_ns;
  uint64_t last_good; /* After DAMAGED: the newest checkpoint that can be
                       * restored. 0: none. */
  /* Of a checkpoint in the background; otherwise 0. */
  uint64_t cut_ns;   /* its instant, CLOCK_MONOTONIC */
  uint64_t pause_ns; /* from the first thread stopped to the last released */
} pagetide_checkpoint_result;

typedef struct pagetide_checkpoint pagetide_checkpoint;

/* For the function below; do not use this name. */
int __pagetide_api_checkpoint_open(const pagetide_checkpoint_config *config,
                                   pagetide_checkpoint **out);

/* Opens a folder of checkpoints for saving and restoring. One process at a time
 * may do that with a folder, and a process may have one folder open. Removes
 * what a killed writer left.
 *
 * Errors: INVALID, BUSY, NO_MEMORY, IO, VERSION, PROGRAM (its newest readable
 * checkpoint is of another program), UNSUPPORTED (kernel_writes: the system
 * lacks it). */
static inline int
pagetide_checkpoint_open(const pagetide_checkpoint_config *config,
                         pagetide_checkpoint **out) {
  /* Inline, and by this name: so the caller's file says that it uses the API,
   * and the runtime has its marks on from the start. */
  return __pagetide_api_checkpoint_open(config, out);
}

/* Ends it. The regions are no longer protected. Recording ends if open started
 * it. Errors: INVALID, FORKED. */
int pagetide_checkpoint_close(pagetide_checkpoint *checkpoint);

/* Protects [address, address+bytes) as region `id`. If the id is protected
 * already, the region has now this address and size. If it only grew or shrank,
 * the next save takes what is new. If it moved, the next save takes it whole.
 * Memory that was moved must be readable at its new address until then. At most
 * 65536 regions. Errors: INVALID (empty, wrapping, or overlapping another
 * region), NO_MEMORY, FORKED, UNSUPPORTED (kernel_writes: the kernel cannot
 * watch this memory). */
int pagetide_checkpoint_protect(pagetide_checkpoint *checkpoint, uint64_t id,
                                void *address, size_t bytes);

/* Later checkpoints do without the region. Errors: INVALID (no such id),
 * FORKED. */
int pagetide_checkpoint_unprotect(pagetide_checkpoint *checkpoint, uint64_t id);

/* Makes a checkpoint of the protected regions. When it returns OK, the
 * checkpoint is complete. If it fails, earlier checkpoints are as they were,
 * and the next save takes what this one should have taken. result NULL: not
 * wanted.
 *
 * Errors: INVALID (nothing is protected, or a page of a region cannot be read:
 * the message names it), BUSY (also: inside an update of the calling thread, or
 * updates of others took longer than update_wait_ns), NO_MEMORY, IO, FORKED. */
int pagetide_checkpoint_save(pagetide_checkpoint *checkpoint,
                             pagetide_checkpoint_result *result);

/* Told of each period of pagetide_checkpoint_every(), on a thread of the
 * library. status OK: *result is the checkpoint of the period. If nothing had
 * changed since the last one, it is that one, with moved_bytes 0. Otherwise
 * this period and perhaps more were skipped, and `message` says why. May call
 * all functions but pagetide_checkpoint_every and _close. */
typedef void (*pagetide_checkpoint_done)(
    void *user, int status, const char *message,
    const pagetide_checkpoint_result *result);

/* Makes a checkpoint every period_ns in the background, while all threads go
 * on. Its content is that of one instant, at which no thread makes an access
 * and none is inside an update. The threads stand for 2 ms at most, if
 * processors are free (docs/reference/contract.md, Cuts). Threads
 * that begin an update then wait a little longer.
 *
 * A period is skipped, and `done` told so, if there is no such instant (NO_CUT;
 * BUSY: updates took longer than update_wait_ns, or the last checkpoint was
 * still being written), if the copies need more than copy_bytes (NO_MEMORY), or
 * if a file cannot be written (IO). The earlier checkpoints are as they were,
 * the program runs on, and the next one takes what is missing.
 *
 * Checkpoints end with period_ns 0, with pagetide_checkpoint_close(), and with
 * exit(), before objects are destroyed that existed when this function was
 * first called. The call then waits for the one that is being made. Another
 * call changes period, done and user. done NULL: nobody is told. The program
 * calls it from one thread at a time.
 *
 * Errors: INVALID (period below 1 ms), UNSUPPORTED (the program is not
 * instrumented, or recorded by another engine), NO_MEMORY, BUSY (called by
 * `done`), FORKED. */
int pagetide_checkpoint_every(pagetide_checkpoint *checkpoint,
                              uint64_t period_ns, pagetide_checkpoint_done done,
                              void *user);

/* What came of the periods of pagetide_checkpoint_every(). */
typedef struct pagetide_checkpoint_counts {
  size_t size;        /* set it to sizeof(pagetide_checkpoint_counts) */
  uint64_t made;      /* periods with a checkpoint */
  uint64_t unchanged; /* in which nothing had changed since the last one */
  uint64_t skipped;
  uint64_t skipped_since;    /* those after the last of the other two */
  uint64_t longest_pause_ns; /* for which threads stood, of the first two */
  int last_status;           /* of the last period. OK also before the first. */
  char last_message[508];    /* why it was skipped, or empty; ends with NUL */
} pagetide_checkpoint_counts;

/* Errors: INVALID, FORKED. */
int pagetide_checkpoint_count(pagetide_checkpoint *checkpoint,
                              pagetide_checkpoint_counts *counts);

/* Why the last round of a stream was the last. */
typedef enum pagetide_checkpoint_stream_end {
  PAGETIDE_STREAM_ONE_ROUND = 0,     /* the marks cannot tell what changes: all
                                      * regions were sent once (without_cut) */
  PAGETIDE_STREAM_SMALL = 1,         /* at most small_bytes had changed */
  PAGETIDE_STREAM_NOT_SHRINKING = 2, /* a round had changed more than three
                                      * quarters of what it sent */
  PAGETIDE_STREAM_MOST_ROUNDS = 3,
  PAGETIDE_STREAM_TIME = 4 /* most_ns had passed */
} pagetide_checkpoint_stream_end;

/* Zeros are defaults. */
typedef struct pagetide_checkpoint_stream_config {
  size_t size;          /* sizeof(pagetide_checkpoint_stream_config) */
  uint64_t small_bytes; /* The last round comes when no more than this has
                         * changed. 0: 1 MiB. */
  uint32_t most_rounds; /* 2 to 64, the last one counted. 0: 30. */
  uint64_t most_ns;     /* No round but the last begins after this time. 0:
                         * whenever. */
  int without_cut; /* 1: The last round is taken while updates are held back, as
                    * pagetide_checkpoint_save() does it. No cut is needed then,
                    * but all writes to protected regions must be in updates, or
                    * no other thread may write meanwhile. */
  int stay_held;   /* 1: When the function returns OK, updates are still held
                    * back until pagetide_checkpoint_go_on() or _close. So
                    * nothing is done that the other end does not know. */
} pagetide_checkpoint_stream_config;

enum { PAGETIDE_CHECKPOINT_MOST_ROUNDS = 64 };

/* What became of a stream. */
typedef struct pagetide_checkpoint_streamed {
  size_t size;           /* set it to sizeof(pagetide_checkpoint_streamed) */
  uint64_t bytes;        /* of all regions */
  uint64_t stream_bytes; /* written */
  uint64_t cut_ns;       /* the checkpoint's instant, CLOCK_MONOTONIC */
  uint64_t pause_ns;     /* From the first thread stopped to the last released.
                          * With without_cut: how long updates were held
                          * back. */
  uint64_t duration_ns;
  uint32_t rounds; /* that were sent, the last one counted */
  uint32_t why;    /* pagetide_checkpoint_stream_end */
  uint64_t round_bytes[PAGETIDE_CHECKPOINT_MOST_ROUNDS]; /* of regions, in each
                                                          * round */
} pagetide_checkpoint_streamed;

/* Writes a checkpoint of the protected regions to a pipe, a socket or a file,
 * as live migration does: first all of them while threads go on, then again and
 * again what has changed since. When little is left, or it no longer becomes
 * less, the last round is taken at one instant, as by
 * pagetide_checkpoint_every(): no thread makes an access then, and none is
 * inside an update. `pagetide checkpoint apply` at the other end makes a
 * checkpoint of the stream, which another process restores.
 *
 * `fd` stays open. The stream tells where it ends, so it may be followed by
 * something else. The folder's checkpoints and the next save are as they would
 * be without the stream. Other saves and restores wait until it is done.
 * pagetide_checkpoint_protect() and _unprotect() do not. If the call fails, the
 * reader learns that there is no checkpoint. config NULL: all defaults. result
 * NULL: not wanted; after a failure, it tells what was sent.
 *
 * Errors: INVALID (nothing is protected; no such bounds; a region cannot be
 * read), NO_CUT, BUSY (inside an update of the calling thread, or updates of
 * others took longer than update_wait_ns), UNSUPPORTED (the program is not
 * instrumented, or recorded by another engine; see without_cut), NO_MEMORY (the
 * last round has more than copy_bytes), IO (also: nobody reads the pipe; there
 * is no SIGPIPE), FORKED. */
int pagetide_checkpoint_stream(pagetide_checkpoint *checkpoint, int fd,
                               const pagetide_checkpoint_stream_config *config,
                               pagetide_checkpoint_streamed *result);

/* Lets updates go on after a stream with stay_held: the other end has failed,
 * or it has its copy and both go on. Errors: INVALID (they are not held back),
 * FORKED. */
int pagetide_checkpoint_go_on(pagetide_checkpoint *checkpoint);

/* Restores the protected regions. number 0: the newest checkpoint. All that is
 * needed is read and verified before the first byte of memory changes. So after
 * an error the regions are as they were, with two exceptions: a file that
 * changes during the call is DAMAGED with regions restored in part, and a
 * region that cannot be written any more during the call is INVALID likewise.
 * The next save is an increment to the checkpoint that was restored. If that is
 * not the newest, the next save is a base with a number above all others. The
 * checkpoints later than the restored one stay, and become old as others do
 * (`keep`).
 *
 * Errors: NONE, DAMAGED (result->last_good says what to restore instead),
 * VERSION, PROGRAM, REGIONS (an id or a size differs), INVALID (a page of a
 * region cannot be read), IO, NO_MEMORY, BUSY,
 * FORKED. pagetide_checkpoint_message() names file and reason. */
int pagetide_checkpoint_restore(pagetide_checkpoint *checkpoint,
                                uint64_t number,
                                pagetide_checkpoint_result *result);

/* The size of region `id` in a checkpoint, for a program that must allocate it
 * first. number 0: the newest. Errors: NONE, REGIONS (it has no such region),
 * DAMAGED, VERSION, PROGRAM, IO, NO_MEMORY, FORKED. */
int pagetide_checkpoint_saved_bytes(pagetide_checkpoint *checkpoint,
                                    uint64_t number, uint64_t id,
                                    size_t *bytes);

/* For programs with own_callback: to be called in their period callback, for
 * every period. */
void pagetide_checkpoint_note_period(pagetide_checkpoint *checkpoint,
                                     const pagetide_period *period);

/* From pagetide_update_begin() to pagetide_update_end() the calling thread
 * changes protected regions in a way that no checkpoint may divide. A save
 * waits until no thread is inside an update. Until it is done, threads wait
 * that begin one. So if all writes to protected regions are in updates, any
 * thread may save at any time. Pairs may nest. In an update a thread must not
 * wait for another thread's update. Of the functions above it may call
 * pagetide_checkpoint_protect and _unprotect alone: a region that moves does so
 * in one update. An update costs two atomic additions. Errors of
 * pagetide_update_end: INVALID (it has no begin). */
void pagetide_update_begin(void);
int pagetide_update_end(void);

/* Why the calling thread's last call failed: what happened, to which file, and
 * what to do. Empty if none did. Valid until the thread's next call. */
const char *pagetide_checkpoint_message(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* PAGETIDE_CHECKPOINT_H */
