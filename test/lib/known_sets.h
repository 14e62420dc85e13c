/*===- known_sets.h - Programs that state the page sets they must have -----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*
 *
 * For C99 and C++11. A test program maps arenas at fixed addresses and watches
 * them, so that its stack, its globals and libc's memory stay out of the sets.
 * It states each access to an arena in its source (`expect_write(p, 8)`), never
 * by asking Pagetide, and ends its periods itself. known_sets.py builds it,
 * runs it and compares the exported rows with the statements.
 *
 * The statements go to the file $PAGETIDE_TRUTH, one per line, each appended
 * with one call of write(): threads, forks and deaths of the process lose none.
 *
 *===----------------------------------------------------------------------===*/

#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <fcntl.h>
#include <pagetide/pagetide.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "require.h"

#define PAGE ((size_t)4096)
#define KIB ((size_t)1024)
#define MIB ((size_t)1024 * 1024)
#define GIB ((size_t)1024 * 1024 * 1024)

/* Arena number n lies at ARENA_BASE + n GiB: far from what the kernel hands out
 * by itself, and 2 MiB aligned for the largest granule. Other sanitizers have
 * shadows of their own there. */
#if __has_feature(thread_sanitizer)
#define ARENA_BASE ((uintptr_t)0x010000000000)
#elif __has_feature(address_sanitizer)
#define ARENA_BASE ((uintptr_t)0x200000000000)
#else
#define ARENA_BASE ((uintptr_t)0x100000000000)
#endif

/* Hides a value from the optimiser, so that it can neither see through the
 * access under test nor merge it with another. */
#define OPAQUE(value) __asm__ volatile("" : "+r"(value))
#define COMPILER_BARRIER() __asm__ volatile("" ::: "memory")
#define NOINLINE __attribute__((noinline))

static uint64_t known_period_; /* index of the running period */

static inline int thread_id(void) { return (int)syscall(SYS_gettid); }

/* Waits until a thread is blocked in a call, by the kernel's own word. */
static inline void wait_until_blocked(int tid) {
  char path[64], state = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
  while (state != 'S') {
    FILE *stat = fopen(path, "r");
    require(stat && fscanf(stat, "%*d (%*[^)]) %c", &state) == 1);
    fclose(stat);
  }
}

static inline void truth_line(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
static inline void truth_line(const char *format, ...) {
  char line[256];
  va_list args;
  const char *path = getenv("PAGETIDE_TRUTH");
  int fd, length;
  require(path != NULL);
  va_start(args, format);
  length = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  require(length > 0 && (size_t)length < sizeof line);
  fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  require(fd >= 0);
  require(write(fd, line, (size_t)length) == length);
  close(fd);
}

/* States that thread `tid` of this process does `what` ("r", "w", "rw", or
 * "mr", "mw" for a call that fails half way) to the range in period `period`. */
static inline void expect_at(uint64_t period, int tid, const volatile void *p,
                             size_t bytes, const char *what) {
  if (bytes)
    truth_line("access %d %llu %d 0x%llx %llu %s\n", (int)getpid(),
               (unsigned long long)period, tid,
               (unsigned long long)(uintptr_t)p, (unsigned long long)bytes,
               what);
}

/* The calling thread, in the running period. */
static inline void expect_read(const volatile void *p, size_t bytes) {
  expect_at(known_period_, thread_id(), p, bytes, "r");
}
static inline void expect_write(const volatile void *p, size_t bytes) {
  expect_at(known_period_, thread_id(), p, bytes, "w");
}
static inline void expect_both(const volatile void *p, size_t bytes) {
  expect_at(known_period_, thread_id(), p, bytes, "rw");
}

/* Code of precision near may list the range as may ("r" or "w"), though neither it
 * nor what is beside it is accessed. */
static inline void allow_near_may(const volatile void *p, size_t bytes,
                                  const char *what) {
  truth_line("near-may %d %llu %d 0x%llx %llu %s\n", (int)getpid(),
             (unsigned long long)known_period_, thread_id(),
             (unsigned long long)(uintptr_t)p, (unsigned long long)bytes, what);
}

/* Ends the running period. The other threads must be quiescent. */
static inline void end_period(void) {
  int status = pagetide_period_end();
  require_status(status, PAGETIDE_OK);
  ++known_period_;
}

/* To be called first in the child of a fork: its trace counts from 0. */
static inline void known_sets_after_fork(void) { known_period_ = 0; }

/* Maps fresh zero pages at ARENA_BASE + n GiB, without watching them. */
static inline char *map_arena(unsigned n, size_t bytes) {
  void *want = (void *)(ARENA_BASE + n * GIB);
  void *got = mmap(want, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  require(got == want);
  return (char *)got;
}

static inline char *arena(unsigned n, size_t bytes) {
  char *p = map_arena(n, bytes);
#ifdef WATCHED_FROM_OUTSIDE /* as a whole, and without the API */
  return p;
#endif
  int status = pagetide_watch(p, bytes);
  require_status(status, PAGETIDE_OK);
  return p;
}
