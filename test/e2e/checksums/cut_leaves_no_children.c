/*===- cut_leaves_no_children.c - The helpers of a cut end with it ---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A program sees no children but its own, not even ended ones: init programs
// and shells wait for all.
// RUN: %build_c -O1 %s -o %t
// RUN: %pagetide record -o %t.ptrace -p 100ms --checksum written \
// RUN:   --unstable cut -- %t
// RUN: %pagetide report %t.ptrace | grep -E 'Cuts +[1-9][0-9]* of'

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile char bytes[1 << 22];

static void sleep_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

/* Names the ended children of this process. */
static int count_ended(void) {
  int count = 0;
  DIR *processes = opendir("/proc");
  for (struct dirent *entry; (entry = readdir(processes)) != NULL;) {
    char path[300], text[600], state = 0;
    int parent = 0;
    if (!isdigit((unsigned char)entry->d_name[0]))
      continue;
    snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
    FILE *file = fopen(path, "r");
    if (!file)
      continue;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const char *rest = strrchr(text, ')');
    if (rest && sscanf(rest + 1, " %c %d", &state, &parent) == 2 &&
        parent == getpid() && state == 'Z') {
      fprintf(stderr, "%.60s\n", text);
      ++count;
    }
  }
  closedir(processes);
  return count;
}

int main(void) {
  /* Some periods with many pages, and then none with any. */
  for (int round = 0; round < 40; ++round) {
    for (size_t i = 0; i < sizeof bytes; i += 64)
      bytes[i] = (char)round;
    sleep_ms(10);
  }
  sleep_ms(700);
  return count_ended();
}
