/*===- environment_lost.c - Programs started without PAGETIDE_OPTIONS
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A program that is not instrumented may start an instrumented one with an empty
// environment. No interceptor sees that. The new program finds the options of the
// run by its ancestors, and records.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %build_c -O1 %s -o program
// RUN: %plain_c -O1 -static %e2e/Inputs/starts_bare.c -o starts_bare
// RUN: for start in 'env -i' ./starts_bare 'setsid --wait env -i' \
// RUN:   'env -u PAGETIDE_OPTIONS' './starts_bare ./starts_bare'; do \
// RUN:   echo $start; rm -f trace*; \
// RUN:   %pagetide record --engine marks -p 0 -o trace -- $start ./program \
// RUN:     >said 2>messages || { cat messages; exit 1; }; \
// RUN:   grep -x 'recording 1' said || { cat said messages; exit 1; }; \
// RUN:   %pagetide info trace | grep 'ended by exit' || exit 1; \
// RUN:   ls trace* | grep -cx trace || { ls; exit 1; }; done
// RUN: rm -f trace* && %pagetide audit -o trace -- env -i ./program >audit || \
// RUN:   test $? = 1
// RUN: grep 'Audit of process [0-9]*: ./program' audit
//
// Many that end at once.
// RUN: %pagetide record --engine marks -p 0 -o many -- sh -c 'for i in $(seq 50); do \
// RUN:   env -i ./program & done; wait' >said 2>messages || { cat messages; exit 1; }
// RUN: grep -cx 'recording 1' said | grep -x 50
// RUN: ls many* | wc -l | grep -x 50
//
// One that is killed.
// RUN: %pagetide record -p 0 -o killed -- sh -c './starts_bare ./program dies; :'
// RUN: %pagetide info killed | grep 'ended by death'
//
// One whose starter has ended before: record has adopted it.
// RUN: %pagetide record -p 0 -o orphan -- sh -c '( \
// RUN:   sh -c "until test -e go; do sleep 0.02; done; \
// RUN:     cut -d\" \" -f4 /proc/\$\$/stat >parent; \
// RUN:     exec env -i ./program >said_by_orphan" & ) ; \
// RUN:   touch go; until grep recording said_by_orphan; do sleep 0.02; done; \
// RUN:   test $(cat parent) = $PPID'
// RUN: grep -x 'recording 1' said_by_orphan && %pagetide info orphan
//
// Records at the same time, and one in another: the nearest one has the process.
// RUN: %pagetide record -p 0 -o one -- sh -c 'sleep 0.2; env -i ./program' & \
// RUN:   %pagetide record -p 0 -o two -- sh -c 'sleep 0.2; env -i ./program'; wait
// RUN: ls one two
// RUN: %pagetide record -p 0 -o outer -- %pagetide record -p 0 -o inner -- \
// RUN:   env -i ./program && test -e inner && test ! -e outer
//
// A program that no record has started is not recorded.
// RUN: %pagetide record -o waits -- sh -c 'until test -e done; do sleep 0.02; done' & \
// RUN:   until ls /tmp/pagetide-$(id -u); do sleep 0.02; done; \
// RUN:   env -i ./program >said; touch done; wait; grep -x 'recording 0' said
//
// An empty variable leaves a program out. Other options of its own do so too, and
// record names the program.
// RUN: rm -f trace* && %pagetide record -p 0 -o trace -- \
// RUN:   sh -c './program; PAGETIDE_OPTIONS= ./program' >said 2>messages
// RUN: grep -cx 'recording 0' said | grep -x 1 && not grep 'not recorded' messages
// RUN: rm -f trace* && %pagetide record -p 0 -o trace -- \
// RUN:   sh -c './program; PAGETIDE_OPTIONS=period=1s ./program' >said 2>messages
// RUN: grep -cx 'recording 0' said | grep -x 1
// RUN: grep '^pagetide: process [0-9]*, ./program, was not recorded: it was started with other PAGETIDE_OPTIONS' messages
// RUN: PAGETIDE_OPTIONS=period=1s ./program | grep -x 'recording 0'
//
// What a killed record leaves behind means nothing to others, and the next record
// removes it.
// RUN: (%pagetide record --engine marks -o dead -- sh -c 'pid=$PPID; echo $pid >pid; \
// RUN:   kill -9 $pid; while kill -0 $pid; do sleep 0.02; done; \
// RUN:   env -i ./program >said; touch ended'; :)
// RUN: until test -e ended; do sleep 0.02; done; grep -x 'recording 0' said
// RUN: %pagetide record -p 0 -o next -- ./program
// RUN: test -z "$(find /tmp/pagetide-$(id -u) -name "$(cat pid).*")"
//
// A file counts only for the descendants of the very process that its name tells:
// pid and start time.
// RUN: rm -f trace* && %pagetide record --engine marks -p 0 -o trace -- \
// RUN:   sh %e2e/Inputs/forge_options.sh wrong ./program
// RUN: test -e trace && test ! -e forged
// RUN: rm -f trace* && %pagetide record --engine marks -p 0 -o trace -- \
// RUN:   sh %e2e/Inputs/forge_options.sh right ./program
// RUN: test ! -e trace && test -e forged

#include "require.h"

#include "pagetide/pagetide.h"

#include <signal.h>
#include <stdio.h>

int main(int argc, char **argv) {
  (void)argv;
  static volatile char page[4096];
  page[0] = 1;
  printf("recording %d\n", pagetide_period_end() == PAGETIDE_OK);
  if (argc > 1) {
    page[1] = 1;
    raise(SIGKILL);
  }
  return 0;
}
