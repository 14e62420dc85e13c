/*===- pagetide.h - What an instrumented program may ask and say ------------===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 * The C API, for C99 and C++11 upward. A program that calls it still builds,
 * links and runs where libpagetide is absent: every call then does nothing and
 * returns PAGETIDE_ABSENT.
 *
 * Words. A granule is the unit of reporting (4 KiB unless the program was built
 * with another). A period is the time between two collections; its page set is
 * the granules accessed in it. Addresses are virtual addresses of this
 * process; sizes are bytes; times are CLOCK_MONOTONIC nanoseconds.
 *
 * Threads and signals. Every function may be called from any thread at any
 * time, those of "Marks" and "Leaving code out" from signal handlers too; the
 * others not from signal handlers. From within a period callback only
 * pagetide_set_period, pagetide_watch, pagetide_unwatch, the functions of
 * "Marks" and "Leaving code out" and pagetide_status_string may be called; the
 * others return PAGETIDE_BUSY. While a callback runs, other threads' calls of
 * this API, fork() and exit() wait for it: a callback must not wait for a thread
 * that may be in one of them.
 *
 * Errors are negative values of pagetide_status. No function sets errno.
 *
 *===------------------------------------------------------------------------===*/

#ifndef PAGETIDE_PAGETIDE_H
#define PAGETIDE_PAGETIDE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAGETIDE_API_VERSION 1

typedef enum pagetide_status {
  PAGETIDE_OK = 0,
  PAGETIDE_ABSENT = -1,        /* the runtime is not in this process */
  PAGETIDE_NOT_RECORDING = -2, /* needs pagetide_start() first */
  PAGETIDE_INVALID = -3,       /* an argument is out of range */
  PAGETIDE_NO_MEMORY = -4,     /* memory or address space ran out */
  PAGETIDE_BUSY = -5,          /* not from a callback; or already recording */
  PAGETIDE_UNSUPPORTED = -6,   /* the layout this program was built with cannot
                                  tell, e.g. writes under layout `access` */
  PAGETIDE_IO = -7             /* the trace cannot be created or written */
} pagetide_status;

/* What is known of a range of granules: a set of these bits. */
enum {
  PAGETIDE_READ = 1,
  PAGETIDE_WRITTEN = 2,
  PAGETIDE_ACCESSED = 4,  /* read or written: layout `access` cannot tell */
  PAGETIDE_CARRIED = 8,   /* written in an earlier period by a thread that had
                              not settled when that period was handed out */
  PAGETIDE_MAY_READ = 16, /* it may have been read: a call failed half way, or
                           * precision near left open which page it was */
  PAGETIDE_MAY_WRITTEN = 32
};

enum {
  PAGETIDE_CHECKSUM_NONE = 0,
  PAGETIDE_CHECKSUM_WRITTEN = 1, /* of the granules written in the period */
  PAGETIDE_CHECKSUM_ACCESSED = 2 /* of all granules in its set */
};

/* What to do about a granule that is written while it is hashed. */
enum {
  PAGETIDE_UNSTABLE_FLAG = 0,   /* say so, give no checksum */
  PAGETIDE_UNSTABLE_REHASH = 1, /* try again a few times, then say so */
  PAGETIDE_UNSTABLE_STOP = 2    /* stop the other threads and hash once more */
};

enum {
  PAGETIDE_STATE_NONE = 0, /* no checksum asked for */
  PAGETIDE_STATE_STABLE = 1,
  PAGETIDE_STATE_UNSTABLE = 2,
  PAGETIDE_STATE_GONE = 3,      /* unmapped before it could be read */
  PAGETIDE_STATE_UNREADABLE = 4 /* mapped without permission to read */
};

enum {
  PAGETIDE_PERIOD_DRIVEN = 1, /* ended by pagetide_period_end() */
  PAGETIDE_PERIOD_FINAL = 8   /* cut short by exit, exec or pagetide_stop() */
};

typedef struct pagetide_run {
  uintptr_t address; /* a multiple of the granule */
  size_t bytes;      /* a multiple of the granule */
  uint32_t flags;    /* PAGETIDE_READ | ... */
} pagetide_run;

typedef struct pagetide_thread_set {
  uint32_t tid; /* the kernel's thread id; 0: the whole process, or
                               threads that share a shadow */
  size_t run_count;
  const pagetide_run *runs; /* sorted by address, not overlapping */
} pagetide_thread_set;

typedef struct pagetide_page {
  uintptr_t address;
  uint64_t checksum; /* XXH3-64 of the granule; 0 unless state is STABLE */
  uint32_t state;    /* PAGETIDE_STATE_* */
} pagetide_page;

typedef struct pagetide_mapping {
  uintptr_t start;
  size_t bytes;
  uint32_t protection; /* PROT_READ | PROT_WRITE | PROT_EXEC */
  const char *name;    /* as in /proc/self/maps; "" where anonymous */
} pagetide_mapping;

/* One period, as the callback sees it. Everything pointed to lives until the
 * callback returns. Fields are only ever added, at the end: `size` says how
 * many bytes the runtime filled. */
typedef struct pagetide_period {
  size_t size;
  uint64_t index; /* from 0 */
  uint64_t start_ns, end_ns;
  uint32_t flags;    /* PAGETIDE_PERIOD_* */
  uint64_t overruns; /* scheduled ends that passed unserved: a late recorder
                        lengthens periods, it never drops marks */
  size_t granule;    /* bytes */
  size_t thread_count;
  const pagetide_thread_set *threads; /* one with tid 0 if not per thread */
  size_t page_count;                  /* 0 unless checksums are on */
  const pagetide_page *pages;         /* sorted by address */
  /* Sum modulo 2^64 over the stable pages of XXH3-64 of the 16 bytes
   * { address, checksum }, little-endian: order-independent. */
  uint64_t combined_checksum;
  size_t stable_count;
  size_t left_out_count; /* pages that are not in combined_checksum */
  /* Mappings that came and went since the callback before; the first call
   * lists all as added. Looked up at most every 100 ms. */
  size_t added_count;
  const pagetide_mapping *added;
  size_t removed_count;
  const pagetide_mapping *removed;
} pagetide_period;

typedef void (*pagetide_callback)(const pagetide_period *period, void *user);

typedef struct pagetide_config {
  size_t size;        /* sizeof(pagetide_config) */
  uint64_t period_ns; /* 1 ms upward; 0: only pagetide_period_end() ends one */
  int per_thread;     /* 0: one set for the process, 1: one a thread */
  int checksum;       /* PAGETIDE_CHECKSUM_* */
  int unstable;       /* PAGETIDE_UNSTABLE_* */
  const char *trace_path; /* NULL: no trace */
} pagetide_config;

/*===- Do not call these by name: the functions below do, where present. ---===*/
#define PAGETIDE_API_(type, name, params)                                      \
  extern type __pagetide_api_##name params __attribute__((weak))
PAGETIDE_API_(int, start, (const pagetide_config *));
PAGETIDE_API_(int, stop, (void));
PAGETIDE_API_(int, set_period, (uint64_t));
PAGETIDE_API_(int, period_end, (void));
PAGETIDE_API_(int, on_period, (pagetide_callback, void *));
PAGETIDE_API_(int, watch, (const void *, size_t));
PAGETIDE_API_(int, unwatch, (const void *, size_t));
PAGETIDE_API_(int, query, (const void *, size_t));
PAGETIDE_API_(int, collect,
              (const void *, size_t, pagetide_run *, size_t, size_t *));
PAGETIDE_API_(int, mark, (const void *, size_t, int));
PAGETIDE_API_(int, leave_out, (int));
PAGETIDE_API_(int, flush, (void));
#undef PAGETIDE_API_

#define PAGETIDE_CALL_(name, args)                                             \
  (__pagetide_api_##name ? __pagetide_api_##name args : (int)PAGETIDE_ABSENT)

/* 1 where the runtime is in this process, otherwise 0. */
static inline int pagetide_present(void) {
  return __pagetide_api_period_end != NULL;
}

/* An English phrase for a status; never NULL. */
static inline const char *pagetide_status_string(int status) {
  switch (status) {
  case PAGETIDE_ABSENT:
    return "the Pagetide runtime is not in this process";
  case PAGETIDE_NOT_RECORDING:
    return "not recording";
  case PAGETIDE_INVALID:
    return "an argument is out of range";
  case PAGETIDE_NO_MEMORY:
    return "out of memory or address space";
  case PAGETIDE_BUSY:
    return "not possible from a callback, or already recording";
  case PAGETIDE_UNSUPPORTED:
    return "the shadow layout of this program cannot tell";
  case PAGETIDE_IO:
    return "the trace cannot be created or written";
  default:
    return status >= 0 ? "success" : "unknown status";
  }
}

/*===- Recording -----------------------------------------------------------===*/

/* Starts to record: the first period begins now, and what was touched before is
 * forgotten. config NULL: the values of PAGETIDE_OPTIONS and their defaults (no
 * trace unless trace_path is set there).
 *
 * Under `pagetide record` the program joins the recording that is under way.
 * Record's settings stay in force (period, per_thread, checksum, unstable,
 * trace), and config is only checked. The running period ends, and the callback
 * is not called for it. The callback is called for every period from then on.
 * Their indices are record's: the first need not be 0.
 *
 * Errors: BUSY (already recording), INVALID (a field; period below 1 ms),
 * UNSUPPORTED (checksum of written pages under layout `access`), IO,
 * NO_MEMORY. */
static inline int pagetide_start(const pagetide_config *config) {
  return PAGETIDE_CALL_(start, (config));
}

/* Ends the running period as the final one, hands it to callback and trace,
 * writes the trace's end and stops. May be started again (a new trace).
 *
 * A program that joined record's recording leaves it: the running period ends
 * as the program's final one, and the callback is called for it and then no
 * more. Record's recording and its trace go on. pagetide_start() joins again.
 * Errors: NOT_RECORDING, BUSY. */
static inline int pagetide_stop(void) { return PAGETIDE_CALL_(stop, ()); }

/* The length of the periods from the next on, in nanoseconds: 1 ms upward, or 0
 * for none but those that pagetide_period_end() ends.
 * Errors: NOT_RECORDING, INVALID. */
static inline int pagetide_set_period(uint64_t ns) {
  return PAGETIDE_CALL_(set_period, (ns));
}

/* Ends the running period now and begins the next. Returns when the sets are
 * collected, hashed, given to the callback (which runs before this returns) and
 * queued for the trace. Where the other threads are quiescent the sets are
 * exact. Errors: NOT_RECORDING, BUSY. */
static inline int pagetide_period_end(void) {
  return PAGETIDE_CALL_(period_end, ());
}

/* The function called at the end of every period; NULL: none. There is one
 * callback a process. It runs on the thread that ends the period: the caller
 * of pagetide_period_end() or pagetide_stop(), or a thread of the runtime's own
 * for periods that the clock ends and at exit. What it accesses is left out of
 * the sets. The clock goes on meanwhile; a slow callback lengthens periods.
 * It must not wait for a thread that is in a function of this header. Where it
 * runs in pagetide_period_end() or pagetide_stop(), nor for one in setuid, setgid,
 * setgroups or their like: these return when the recorder has followed.
 * After fork the child keeps the callback; after _Fork it does not. At exit() it
 * is called for the last time by an atexit handler, while objects that were
 * built before it was set still stand. It may itself end the program or call
 * exec: the period that it was given is written, and what follows is not given
 * to it. Returns once the former callback is not running any more.
 * Errors: BUSY, NO_MEMORY. */
static inline int pagetide_on_period(pagetide_callback callback, void *user) {
  return PAGETIDE_CALL_(on_period, (callback, user));
}

/* Waits until all ended periods are in the trace file (handed to the kernel,
 * not to the disk). Errors: NOT_RECORDING, BUSY, IO. */
static inline int pagetide_flush(void) { return PAGETIDE_CALL_(flush, ()); }

/*===- Regions -------------------------------------------------------------===*/

/* Reports only granules that overlap a watched region, from the running period
 * on; with no region watched, all. Regions may overlap; they add up. At most
 * 65536 of them. Errors: INVALID (empty or wrapping), NO_MEMORY. */
static inline int pagetide_watch(const void *address, size_t bytes) {
  return PAGETIDE_CALL_(watch, (address, bytes));
}

/* Takes [address, address+bytes) out of the watched regions, cutting those that
 * only overlap it. Once the last byte is gone nothing is reported, until
 * pagetide_unwatch(NULL, 0) forgets all regions and everything is reported
 * again. Errors: INVALID. */
static inline int pagetide_unwatch(const void *address, size_t bytes) {
  return PAGETIDE_CALL_(unwatch, (address, bytes));
}

/* What the process did to the range since the last period ended: 0 or a set of
 * PAGETIDE_READ, _WRITTEN, _ACCESSED, _MAY_READ, _MAY_WRITTEN, by granules that
 * overlap it. Errors: NOT_RECORDING, INVALID (empty or wrapping), BUSY. */
static inline int pagetide_query(const void *address, size_t bytes) {
  return PAGETIDE_CALL_(query, (address, bytes));
}

/* Atomically takes what pagetide_query() would see, for the granules that
 * overlap the range, and clears it: an access is in this call's result or a
 * later one's, never in both, never in none. The running period's set keeps it
 * all the same. Fills at most `capacity` runs, sorted by address, all threads
 * together; *count is how many there are. Where *count > capacity nothing was
 * cleared: call again with more. Errors: NOT_RECORDING, INVALID, BUSY,
 * NO_MEMORY. */
static inline int pagetide_collect(const void *address, size_t bytes,
                                   pagetide_run *runs, size_t capacity,
                                   size_t *count) {
  return PAGETIDE_CALL_(collect, (address, bytes, runs, capacity, count));
}

/*===- Marks ---------------------------------------------------------------===*/

/* Says that the calling thread is about to read, or write, [address,
 * address+bytes), for accesses that the compiler does not see: inline assembly,
 * generated code, custom I/O. Call it before the access; for what the kernel or
 * a device writes, after it. Async-signal-safe. Errors: INVALID (beyond 47
 * bits). */
static inline int pagetide_mark_read(const void *address, size_t bytes) {
  return PAGETIDE_CALL_(mark, (address, bytes, PAGETIDE_READ));
}
static inline int pagetide_mark_written(const void *address, size_t bytes) {
  return PAGETIDE_CALL_(mark, (address, bytes, PAGETIDE_WRITTEN));
}

/*===- Leaving code out ----------------------------------------------------===*/

/* From pagetide_leave_out_begin() to the matching pagetide_leave_out_end() the
 * calling thread's accesses are in no set. The pairs nest; a thread that wants
 * to be left out for good just never ends. Async-signal-safe.
 * Errors: INVALID (an end without a begin). To leave a function out when
 * building, use __attribute__((disable_sanitizer_instrumentation)). */
static inline int pagetide_leave_out_begin(void) {
  return PAGETIDE_CALL_(leave_out, (1));
}
static inline int pagetide_leave_out_end(void) {
  return PAGETIDE_CALL_(leave_out, (-1));
}

#undef PAGETIDE_CALL_

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* PAGETIDE_PAGETIDE_H */
