/*===- pagetide.h - The C API -----------------------------------------------===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 * For C99, C++11 and later. A program that uses the API also builds, links and
 * runs without libpagetide: then every call does nothing and returns
 * PAGETIDE_ABSENT.
 *
 * Terms. A granule is the unit of reporting (4 KiB unless the program was built
 * with another size, or option granularity asks for a coarser one). A period is
 * the time between two collections. Its page set has the granules that were
 * accessed in it. Addresses are virtual addresses of this process, sizes are
 * bytes, and times are CLOCK_MONOTONIC nanoseconds.
 *
 * Threads and signals. Every function may be called from any thread at any
 * time. Only the functions of "Marks" and "Leaving code out" may be called from
 * signal handlers.
 *
 * Callbacks. A period callback may call only pagetide_set_period,
 * pagetide_watch, pagetide_unwatch, pagetide_status_string and the functions of
 * "Marks" and "Leaving code out". The others return PAGETIDE_BUSY. While a
 * callback runs, other threads' calls of this API, fork() and exit() wait for
 * it. So a callback must not wait for a thread that may be in one of these
 * calls.
 *
 * Errors are negative values of pagetide_status. No function sets errno.
 *
 *===----------------------------------------------------------------------===*/

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
  PAGETIDE_BUSY = -5,          /* called in a callback, or already recording */
  PAGETIDE_UNSUPPORTED = -6,   /* the program's layout does not record it, e.g.
                                  writes under layout `access`; or its marks
                                  are off and stay off */
  PAGETIDE_IO = -7             /* the trace cannot be created or written */
} pagetide_status;

/* What is known of a range of granules: a set of these bits. */
enum {
  PAGETIDE_READ = 1,
  PAGETIDE_WRITTEN = 2,
  PAGETIDE_ACCESSED = 4, /* read or written, under layout `access` */
  PAGETIDE_CARRIED = 8,  /* written in an earlier period, by a thread that had
                          * not settled when that period was reported */
  /* Possibly read. A call failed part of the way, or does not say what it
   * touched (qsort, under every precision). Or precision near does not say
   * which of two granules it was. */
  PAGETIDE_MAY_READ = 16,
  PAGETIDE_MAY_WRITTEN = 32,
  /* Cuts with option kernel_writes: the kernel saw the page written, and no
   * mark says so. Beside PAGETIDE_WRITTEN; beside PAGETIDE_MAY_WRITTEN if
   * granules are smaller than pages. */
  PAGETIDE_UNMARKED = 64
};

enum {
  PAGETIDE_CHECKSUM_NONE = 0,
  PAGETIDE_CHECKSUM_WRITTEN = 1, /* of the granules written in the period */
  PAGETIDE_CHECKSUM_ACCESSED = 2 /* of all granules in the page set */
};

/* What to do if a granule is written while it is hashed. */
enum {
  PAGETIDE_UNSTABLE_FLAG = 0,   /* report it as unstable, without a checksum */
  PAGETIDE_UNSTABLE_REHASH = 1, /* first try again a few times */
  PAGETIDE_UNSTABLE_STOP = 2,   /* stop the other threads and hash once more */
  /* End the period in a cut: all checksums are of one instant, at which no
   * thread makes an access. Threads are stopped for 2 ms at most, if
   * processors are free (docs/reference/contract.md, Cuts). */
  PAGETIDE_UNSTABLE_CUT = 3
};

enum {
  PAGETIDE_STATE_NONE = 0, /* no checksum was requested */
  PAGETIDE_STATE_STABLE = 1,
  PAGETIDE_STATE_UNSTABLE = 2,
  PAGETIDE_STATE_GONE = 3,      /* unmapped before it could be read */
  PAGETIDE_STATE_UNREADABLE = 4 /* mapped without permission to read */
};

enum {
  PAGETIDE_PERIOD_DRIVEN = 1, /* ended by pagetide_period_end() */
  PAGETIDE_PERIOD_FINAL = 8   /* ended early by exit, exec or pagetide_stop() */
};

typedef struct pagetide_run {
  uintptr_t address; /* a multiple of the granule */
  size_t bytes;      /* a multiple of the granule */
  uint32_t flags;    /* PAGETIDE_READ | ... */
} pagetide_run;

typedef struct pagetide_thread_set {
  uint32_t tid; /* the kernel's thread id; 0: the whole process, or threads that
                   share a shadow */
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
  /* As in /proc/self/maps; "" if the memory is anonymous. The .bss of a program
   * or library is a mapping of its own, with the name of the file. */
  const char *name;
} pagetide_mapping;

/* One period, as the callback sees it. Its memory is valid until the callback
 * returns. Later versions only add fields at the end; `size` is the number of
 * bytes that the runtime has filled in. */
typedef struct pagetide_period {
  size_t size;
  uint64_t index; /* from 0 */
  uint64_t start_ns, end_ns;
  uint32_t flags;    /* PAGETIDE_PERIOD_* */
  uint64_t overruns; /* scheduled ends that passed within this period: a
                        recorder that falls behind lengthens periods and never
                        drops marks */
  size_t granule;    /* bytes */
  size_t thread_count;
  const pagetide_thread_set *threads; /* one with tid 0 unless per_thread */
  size_t page_count;                  /* 0 unless checksums are on */
  const pagetide_page *pages;         /* sorted by address */
  /* Sum modulo 2^64 over the stable pages of XXH3-64 of the 16 bytes
   * { address, checksum }, little-endian. It does not depend on the order. */
  uint64_t combined_checksum;
  size_t stable_count;
  size_t left_out_count; /* pages that combined_checksum does not include */
  /* Mappings that were added and removed since the last callback. The first
   * call lists all as added. The list is read at most every 100 ms, and before
   * a library is closed. So a library that was opened and closed since the last
   * callback is in `removed` alone. */
  size_t added_count;
  const pagetide_mapping *added;
  size_t removed_count;
  const pagetide_mapping *removed;
  /* The cut in which the period ended, with PAGETIDE_UNSTABLE_CUT. Then the set
   * also has what was written until cut_ns, and every checksum is of that
   * instant. If cut_ns is 0 there was no cut, and no_cut says why; then
   * checksums are as with PAGETIDE_UNSTABLE_FLAG. Without a cut asked for, both
   * are 0. */
  uint64_t cut_ns;
  uint64_t cut_pause_ns;      /* from the first thread stopped to the last one
                                 released */
  size_t cut_marked_count;    /* pages that were read while threads stood, since
                                 they had just been written; */
  size_t cut_unsettled_count; /* since a thread was perhaps about to write */
  const char *no_cut;         /* English; NULL if there was a cut */
} pagetide_period;

typedef void (*pagetide_callback)(const pagetide_period *period, void *user);

typedef struct pagetide_config {
  size_t size;        /* sizeof(pagetide_config) */
  uint64_t period_ns; /* 1 ms upward; 0: only pagetide_period_end() ends one */
  int per_thread;     /* 0: one set for the process, 1: one per thread */
  int checksum;       /* PAGETIDE_CHECKSUM_* */
  int unstable;       /* PAGETIDE_UNSTABLE_* */
  const char *trace_path; /* NULL: no trace */
} pagetide_config;

/*===- For the functions below; do not use these names. -------------------===*/
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

/* 1 if the runtime is in this process, otherwise 0. */
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
    return "called in a callback, or already recording";
  case PAGETIDE_UNSUPPORTED:
    return "this program's layout does not record it, or its marks stay off";
  case PAGETIDE_IO:
    return "the trace cannot be created or written";
  default:
    return status >= 0 ? "success" : "unknown status";
  }
}

/*===- Options ------------------------------------------------------------===*/

/* A program may define this function. It returns runtime options, written as in
 * the environment variable PAGETIDE_OPTIONS, for example
 * "period=100ms:settle=5ms". PAGETIDE_OPTIONS and `pagetide record` go before
 * them. The runtime calls the function before the first constructor. So it must
 * not depend on what constructors make, and best returns a string constant. */
const char *__pagetide_default_options(void);

/*===- Recording ----------------------------------------------------------===*/

/* Starts to record. The first period begins now, and earlier accesses are
 * forgotten. config NULL: the values of PAGETIDE_OPTIONS and their defaults (no
 * trace unless trace_path is set there).
 *
 * Under `pagetide record` the program joins the recording that is under way.
 * Record's settings stay in force (period, per_thread, checksum, unstable,
 * trace), and config is only checked. The running period ends, and the callback
 * is not called for it. It is called for every later period. Their indices are
 * record's, so the first need not be 0.
 *
 * Errors: BUSY (already recording), INVALID (a field; period below 1 ms),
 * UNSUPPORTED (checksum of written pages under layout `access`; or marks are
 * off and cannot be switched on, and a message says why), IO, NO_MEMORY. */
static inline int pagetide_start(const pagetide_config *config) {
  return PAGETIDE_CALL_(start, (config));
}

/* Ends the running period as the final one, passes it to callback and trace,
 * writes the end of the trace and stops. pagetide_start() may start again, with
 * a new trace.
 *
 * A program that joined record's recording leaves it. The running period ends
 * as the program's final one: the callback is called for it, and for none after
 * it. Record's recording and its trace go on. pagetide_start() joins again.
 * Errors: NOT_RECORDING, BUSY. */
static inline int pagetide_stop(void) { return PAGETIDE_CALL_(stop, ()); }

/* Sets the length of the following periods, in nanoseconds: at least 1 ms, or
 * 0. With 0 only pagetide_period_end() ends a period. Errors: NOT_RECORDING,
 * INVALID. */
static inline int pagetide_set_period(uint64_t ns) {
  return PAGETIDE_CALL_(set_period, (ns));
}

/* Ends the running period now and begins the next. Before this call returns,
 * the sets have been collected and hashed, the callback has run, and the period
 * is queued for the trace. The sets are exact if all other threads are
 * quiescent. Errors: NOT_RECORDING, BUSY. */
static inline int pagetide_period_end(void) {
  return PAGETIDE_CALL_(period_end, ());
}

/* Sets the function that is called at the end of every period; NULL: none. A
 * process has one callback. This call returns when the former callback is no
 * longer running. Errors: BUSY, NO_MEMORY.
 *
 * The callback runs on the thread that ends the period: on the caller of
 * pagetide_period_end() or pagetide_stop(), or on a thread of the runtime if
 * the clock ends the period. Its accesses are in no set. The clock does not
 * stop for it, so a slow callback lengthens periods.
 *
 * The callback must not wait for a thread that is in a function of this header.
 * If it runs in pagetide_period_end() or pagetide_stop(), it must not wait for
 * a thread in setuid, setgid, setgroups and similar calls either. These return
 * only after the recorder has made the same call.
 *
 * A child of fork keeps the callback; a child of _Fork does not. At exit() an
 * atexit handler calls it for the last time. Objects that were built before the
 * callback was set still exist then. The callback may end the program or call
 * exec. Then its period is still written, and it is not called again. */
static inline int pagetide_on_period(pagetide_callback callback, void *user) {
  return PAGETIDE_CALL_(on_period, (callback, user));
}

/* Waits until the kernel has all ended periods of the trace file. They may not
 * be on the disk yet. Errors: NOT_RECORDING, BUSY, IO. */
static inline int pagetide_flush(void) { return PAGETIDE_CALL_(flush, ()); }

/*===- Regions ------------------------------------------------------------===*/

/* From the running period on, reports only granules that overlap a watched
 * region. Without regions, reports all. Regions may overlap; their union
 * counts. At most 65536 regions. Errors: INVALID (empty or wrapping),
 * NO_MEMORY. */
static inline int pagetide_watch(const void *address, size_t bytes) {
  return PAGETIDE_CALL_(watch, (address, bytes));
}

/* Removes [address, address+bytes) from the watched regions. Regions that only
 * overlap it are cut. After the last byte is removed, nothing is reported.
 * pagetide_unwatch(NULL, 0) forgets all regions, and everything is reported
 * again. Errors: INVALID. */
static inline int pagetide_unwatch(const void *address, size_t bytes) {
  return PAGETIDE_CALL_(unwatch, (address, bytes));
}

/* Returns how the process accessed the granules that overlap the range since
 * the last period ended: 0 or a set of PAGETIDE_READ, _WRITTEN, _ACCESSED,
 * _MAY_READ and _MAY_WRITTEN. Errors: NOT_RECORDING, INVALID (empty or
 * wrapping), BUSY. */
static inline int pagetide_query(const void *address, size_t bytes) {
  return PAGETIDE_CALL_(query, (address, bytes));
}

/* Atomically takes and clears what pagetide_query() would see of the granules
 * that overlap the range. Each access is in the result of exactly one call:
 * this one or a later one. The running period's set keeps it too. Fills in at
 * most `capacity` runs, sorted by address, all threads together. *count is the
 * number of runs. If *count > capacity, nothing was cleared: call again with
 * more room. Errors: NOT_RECORDING, INVALID, BUSY, NO_MEMORY. */
static inline int pagetide_collect(const void *address, size_t bytes,
                                   pagetide_run *runs, size_t capacity,
                                   size_t *count) {
  return PAGETIDE_CALL_(collect, (address, bytes, runs, capacity, count));
}

/*===- Marks --------------------------------------------------------------===*/

/* Marks [address, address+bytes) as read, or as written, by the calling thread.
 * For accesses that the compiler does not see: inline assembly, generated code,
 * custom I/O. Call it before the access. If the kernel or a device writes, call
 * it after the write. Async-signal-safe. Errors: INVALID (beyond 47 bits). */
static inline int pagetide_mark_read(const void *address, size_t bytes) {
  return PAGETIDE_CALL_(mark, (address, bytes, PAGETIDE_READ));
}
static inline int pagetide_mark_written(const void *address, size_t bytes) {
  return PAGETIDE_CALL_(mark, (address, bytes, PAGETIDE_WRITTEN));
}

/*===- Leaving code out ---------------------------------------------------===*/

/* From pagetide_leave_out_begin() to the matching pagetide_leave_out_end() the
 * calling thread's accesses are in no set. Pairs may nest. Without an end they
 * stay in no set until the thread ends. Async-signal-safe. Errors: INVALID (an
 * end without a begin). To leave a function out at build time, use
 * __attribute__((disable_sanitizer_instrumentation)). */
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
