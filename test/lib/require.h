/*===- require.h - A check that ends a test program with a message ---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#pragma once

#include <errno.h>
#include <pagetide/pagetide.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* _exit: neither destructors nor handlers of a broken program run on. */
#define require(condition)                                                     \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: does not hold: %s (errno: %s)\n", __FILE__,      \
              __LINE__, #condition, strerror(errno));                          \
      fflush(stderr);                                                          \
      _exit(99);                                                               \
    }                                                                          \
  } while (0)

/* For values of pagetide_status: says both by number and in words. */
#define require_status(got, want)                                              \
  do {                                                                         \
    int got_ = (got), want_ = (want);                                          \
    if (got_ != want_) {                                                       \
      fprintf(stderr, "%s:%d: %s is %d (%s), not %d (%s)\n", __FILE__,         \
              __LINE__, #got, got_, pagetide_status_string(got_), want_,       \
              pagetide_status_string(want_));                                  \
      fflush(stderr);                                                          \
      _exit(99);                                                               \
    }                                                                          \
  } while (0)

#define require_equal(got, want)                                               \
  do {                                                                         \
    unsigned long long got_ = (unsigned long long)(got),                       \
                       want_ = (unsigned long long)(want);                     \
    if (got_ != want_) {                                                       \
      fprintf(stderr, "%s:%d: %s is %llu (0x%llx), not %llu (0x%llx)\n",       \
              __FILE__, __LINE__, #got, got_, got_, want_, want_);             \
      fflush(stderr);                                                          \
      _exit(99);                                                               \
    }                                                                          \
  } while (0)
