/*===- seccomp_filter_and_forks.c - Forks under a filter of the program ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A program that is recorded forbids itself a call that it does not make, and
// forks. Its children run as natively. If the filter would end them for a call
// that recording makes, they run unrecorded, and a message names the call.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %build_c -O1 -I%support %s -o program && ./program
// RUN: %pagetide record -o trace -- ./program 2>err
// RUN: FileCheck %s <err
// RUN: %pagetide record -o cuts -p 5ms --checksum written --unstable cut -- \
// RUN:   ./program 2>err
// RUN: FileCheck %s --check-prefixes=CHECK,CUTS <err
// CUTS-DAG: ends processes that call ptrace
// CUTS-DAG: ends processes that call pwritev
// CHECK-DAG: its system call filter (seccomp) ends processes that call openat
// CHECK-DAG: ends processes that call memfd_create, as recording does
// CHECK-DAG: ends processes that call socket, as recording does
// CHECK-DAG: ends processes that call tgkill, as recording does

#define _GNU_SOURCE
#include "require.h"

#include "../Inputs/filter.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile char bytes[16 * 4096];

static void on_trap(int signal) { (void)signal; }

/* The status of a child that touches memory. */
static int status_of_child(void) {
  const pid_t child = fork();
  require(child >= 0);
  if (child == 0) {
    for (size_t at = 0; at < sizeof bytes; at += 4096)
      bytes[at]++;
    _exit(3);
  }
  int status;
  require(waitpid(child, &status, 0) == child);
  return status;
}

int main(void) {
  static const char *const calls[] = {
      "memfd_create", "socket", "sendmsg",    "tgkill", "madvise",
      "lseek",        "openat", "newfstatat", "fstat",  "getdents64",
      "ptrace",       "pwritev"};
  static const char *const actions[] = {"kill", "kill-thread", "trap", "errno"};
  signal(SIGSYS, on_trap);
  for (size_t c = 0; c < sizeof calls / sizeof *calls; ++c)
    for (size_t a = 0; a < sizeof actions / sizeof *actions; ++a) {
      const pid_t filtered = fork();
      require(filtered >= 0);
      if (filtered == 0) {
        require(install_filter(actions[a], calls[c], 0));
        _exit(status_of_child() == 3 << 8 ? 0 : 1);
      }
      int status;
      require(waitpid(filtered, &status, 0) == filtered);
      if (status != 0) {
        printf("%s %s: status %x\n", actions[a], calls[c], (unsigned)status);
        return 1;
      }
    }
  return 0;
}
