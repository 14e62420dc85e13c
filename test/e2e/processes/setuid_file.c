/*===- setuid_file.c - A setuid file of root's, run by someone else --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// The caller's options count for nothing, be they right, help=1 or nonsense, and
// the program does what it does without Pagetide, as does what it forks and execs.
// REQUIRES: root, setuid-files
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: dir=$(mktemp -d /tmp/pagetide-setuid.XXXXXX) && trap 'rm -rf $dir' EXIT
// RUN: chmod 755 $dir && cp %runtime $dir/libpagetide.so.1
// RUN: %clang_pagetide -O1 -I%include -I%support %s -Wl,--no-as-needed \
// RUN:   $dir/libpagetide.so.1 -Wl,-rpath,$dir -o $dir/program
// RUN: mkdir $dir/out && chmod 777 $dir/out && cd $dir/out
//
// An ordinary copy obeys.
// RUN: PAGETIDE_OPTIONS=trace_path=$dir/out/mine:period=0 setpriv --reuid 65534 \
// RUN:   --regid 65534 --clear-groups ../program >said 2>&1
// RUN: grep -x 'uid 65534, euid 65534, secure 0, recording 1' said
// RUN: %pagetide info mine | grep 'ended by exit'
//
// RUN: chown 0:0 ../program && chmod 4755 ../program
// RUN: for options in trace_path=$dir/out/theirs:period=0 help=1 nonsense=1 \
// RUN:   log_path=$dir/out/log:verbosity=1; do \
// RUN:   PAGETIDE_OPTIONS=$options setpriv --reuid 65534 --regid 65534 \
// RUN:     --clear-groups ../program >said 2>&1 || exit 1; cat said; \
// RUN:   printf '%%s\n' 'uid 65534, euid 0, secure 1, recording 0' \
// RUN:     'child: status 0' | cmp - said || exit 1; done
// RUN: ls | sort | tr '\n' ' ' | grep -x 'mine mine.[0-9]* said '

#include "known_sets.h"

#include <sys/auxv.h>
#include <sys/wait.h>

int main(void) {
  static char page[3 * PAGE];
  const int secure = (int)getauxval(AT_SECURE);
  *(volatile char *)&page[PAGE] = 1;
  const int recording = pagetide_period_end() == PAGETIDE_OK;
  printf("uid %d, euid %d, secure %d, recording %d\n", (int)getuid(),
         (int)geteuid(), secure, recording);
  fflush(stdout);
  int pid = fork(), status;
  require(pid >= 0);
  if (pid == 0) {
    *(volatile char *)page = 2;
    exit(page[0] == 2 ? 0 : 1);
  }
  require(waitpid(pid, &status, 0) == pid);
  printf("child: status %d\n", status);
  return 0;
}
