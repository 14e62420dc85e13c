/*===- finds.c - One fault for each sanitizer to find
 *-----------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 *   finds FAULT
 *
 * The faults are within calls of memcpy and the like, or of functions that the
 * runtime makes for the program. Without a fault, or with `clean`, it ends
 *well.
 *
 *===----------------------------------------------------------------------===*/

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *shared_bytes;
static volatile size_t count;
static void *volatile lost;

struct block {
  char bytes[300];
};

static void *fill(void *with) {
  memset(shared_bytes, *(char *)with, count);
  return with;
}

/* One thread fills, then the other, with no order between them. */
static void race(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, fill, "a");
  pthread_create(&two, NULL, fill, "b");
  pthread_join(one, NULL);
  pthread_join(two, NULL);
}

static __attribute__((noinline)) void overflow(const char *how, char *room) {
  char source[4096];
  memset(source, 'x', sizeof source - 1);
  source[sizeof source - 1] = 0;
  if (strcmp(how, "set") == 0)
    memset(room, 0, count);
  if (strcmp(how, "copy") == 0)
    memcpy(room, source, count);
  if (strcmp(how, "move") == 0)
    memmove(room + 1, room, count);
  if (strcmp(how, "struct") == 0)
    *(struct block *)room = *(const struct block *)(source + count);
  if (strcmp(how, "read") == 0)
    memcpy(source, room, count);
  if (strcmp(how, "length") == 0)
    count = strlen(memset(room, 'a', 256));
  if (strcmp(how, "string") == 0)
    strcpy(room, source);
  if (strcmp(how, "freed") == 0) {
    free(room);
    memset(room, 1, 10);
  }
}

/* Whether a byte that nobody has written decides something. */
static __attribute__((noinline)) int undecided(const char *how, char *room) {
  static char known[256];
  char *copy = (char *)malloc(256);
  if (strcmp(how, "copied") == 0)
    memcpy(copy, room, 256);
  else if (strcmp(how, "compared") == 0)
    return memcmp(room, known, 256) != 0;
  else if (strcmp(how, "measured") == 0)
    return strlen(room) > 3;
  else
    memset(copy, 0, 256);
  return copy[count % 256] ? 1 : 0;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "clean";
  char *room = (char *)malloc(256);
  count = 1000;
  if (strcmp(how, "clean") == 0) {
    char *large = (char *)malloc(3 << 20);
    count = 1 << 20;
    memset(large, 1, count);
    memcpy(large + count, large, count);
    memmove(large + count / 2, large, 2 * count);
    memmove(large, large + 7, 2 * count);
    count = 200;
    memset(room, 'r', 255);
    room[255] = 0;
    if (strlen(room) != 255 || memcmp(large, large + 5, count) != 0)
      return 3;
    shared_bytes = large;
    fill("c");
    free(large);
    free(room);
    return 0;
  }
  if (strcmp(how, "race") == 0) {
    shared_bytes = room;
    count = 200;
    race();
  } else if (strcmp(how, "leak") == 0) {
    lost = malloc(77);
    lost = NULL;
  } else if (strcmp(how, "shift") == 0) {
    count = (size_t)(1 << (int)count);
  } else if (strcmp(how, "copied") == 0 || strcmp(how, "compared") == 0 ||
             strcmp(how, "measured") == 0) {
    if (undecided(how, room))
      puts("decided");
  } else {
    overflow(how, room);
  }
  return 0;
}
