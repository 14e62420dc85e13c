/*===- titles.c - Processes that say what they do -------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Servers write a title over their arguments. Reports name each process by its
// last one, so that the processes of a run can be told apart.
// RUN: rm -rf %t && mkdir %t && cd %t && %pagetide_clang -O1 %s -o program
// RUN: %pagetide record -p 20ms -o run.ptrace -- ./program words to overwrite
// RUN: COLUMNS=120 %pagetide report processes run.ptrace | FileCheck %s
// RUN: %pagetide export -f csv --what processes --columns command --run \
// RUN:   run.ptrace | FileCheck %s --check-prefix=ROWS
// CHECK-DAG: {{^ +}}program: keeper of books {{.*}}
// CHECK-DAG: program: clerk 1, done {{.*}}
// CHECK-DAG: program: clerk 2, done {{.*}}
// ROWS-DAG: {{^.?}}program: keeper of books{{.?$}}
// ROWS-DAG: program: clerk 1, done
// ROWS-DAG: program: clerk 2, done

// A program that changes nothing keeps its words, and writes them once.
// RUN: %pagetide record -p 20ms -o plain.ptrace -- ./program
// RUN: %pagetide info plain.ptrace | FileCheck %s --check-prefix=PLAIN
// PLAIN: command {{ *}}./program{{$}}
// PLAIN: frames {{ *}}process: 1 (

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *title;
static size_t room;

static void set_title(const char *format, int number) {
  memset(title, 0, room);
  snprintf(title, room, format, number);
}

int main(int argc, char **argv) {
  if (argc == 1)
    return 0;
  title = argv[0];
  room = (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) - argv[0]);
  set_title("program: keeper of books", 0);
  for (int clerk = 1; clerk <= 2; ++clerk)
    if (fork() == 0) {
      set_title("program: clerk %d, busy", clerk);
      usleep(50000); // some periods
      set_title("program: clerk %d, done", clerk);
      return 0;
    }
  while (wait(NULL) > 0)
    ;
  return 0;
}
