//===- restore.c - Makes checkpoints, and times a restore -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: restore make FOLDER MIB INCREMENTS COMPRESSION
//        restore back FOLDER
//        restore read FILE...
//        restore copy MIB
//
// `make` saves a region of records, as a table has them, and then so many
// increments, each after writes to a twentieth of its pages. COMPRESSION is
// that of the configuration. `back` restores the newest checkpoint into memory
// that was not touched before, as after a restart. `read` reads files one after
// the other into one buffer. `copy` copies memory that was touched to memory
// that was not. All but `make` print bytes and ns.

#include "../programs.h"

#include <pagetide/checkpoint.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, BUFFER = 1 << 20, REGION = 1 };

static void must(int status) {
  if (status == PAGETIDE_CHECKPOINT_OK)
    return;
  fprintf(stderr, "%s\n", pagetide_checkpoint_message());
  exit(1);
}

// As a table's pages: records of a key, a number, and a text of some words.
struct record {
  char key[24];
  uint64_t number;
  char text[96];
};

enum { WORDS = 1024, MOST_LETTERS = 10 };
static char dictionary[WORDS][MOST_LETTERS + 1];

static void make_dictionary(void) {
  uint64_t state = 7;
  for (size_t w = 0; w < WORDS; ++w) {
    const size_t letters = 3 + next_random(&state) % (MOST_LETTERS - 2);
    for (size_t i = 0; i < letters; ++i)
      dictionary[w][i] = (char)('a' + next_random(&state) % 26);
  }
}

static void fill_page(void *page, uint64_t *state) {
  struct record *records = page;
  for (size_t i = 0; i < PAGE / sizeof *records; ++i) {
    struct record *made = &records[i];
    memset(made, 0, sizeof *made);
    made->number = next_random(state);
    snprintf(made->key, sizeof made->key, "item %u",
             (unsigned)next_random(state));
    for (size_t at = 0; at + MOST_LETTERS + 1 < sizeof made->text;) {
      const char *word = dictionary[next_random(state) % WORDS];
      const size_t letters = strlen(word);
      memcpy(made->text + at, word, letters);
      made->text[at + letters] = ' ';
      at += letters + 1;
    }
  }
}

static pagetide_checkpoint *opened(const char *folder, int compression) {
  pagetide_checkpoint_config config = {.size = sizeof config,
                                       .folder = folder,
                                       .sync = PAGETIDE_CHECKPOINT_NO_SYNC,
                                       .compression = compression};
  pagetide_checkpoint *checkpoint;
  must(pagetide_checkpoint_open(&config, &checkpoint));
  return checkpoint;
}

static void make(const char *folder, size_t bytes, int increments,
                 int compression) {
  char *memory = mapped(bytes);
  uint64_t state = 1;
  make_dictionary();
  for (size_t at = 0; at < bytes; at += PAGE)
    fill_page(memory + at, &state);
  pagetide_checkpoint *checkpoint = opened(folder, compression);
  must(pagetide_checkpoint_protect(checkpoint, REGION, memory, bytes));
  must(pagetide_checkpoint_save(checkpoint, NULL));
  for (int i = 0; i < increments; ++i) {
    for (size_t n = 0; n < bytes / PAGE / 20; ++n)
      fill_page(memory + next_random(&state) % (bytes / PAGE) * PAGE, &state);
    must(pagetide_checkpoint_save(checkpoint, NULL));
  }
  must(pagetide_checkpoint_close(checkpoint));
}

static void print_time(uint64_t bytes, uint64_t begin) {
  printf("%llu %llu\n", (unsigned long long)bytes,
         (unsigned long long)(now_ns() - begin));
}

static void back(const char *folder) {
  pagetide_checkpoint *checkpoint = opened(folder, 0);
  size_t bytes;
  must(pagetide_checkpoint_saved_bytes(checkpoint, 0, REGION, &bytes));
  must(pagetide_checkpoint_protect(checkpoint, REGION, mapped(bytes), bytes));
  const uint64_t begin = now_ns();
  must(pagetide_checkpoint_restore(checkpoint, 0, NULL));
  print_time(bytes, begin);
}

static void read_files(char **names) {
  char *buffer = malloc(BUFFER);
  if (!buffer)
    fail("malloc");
  memset(buffer, 1, BUFFER);
  uint64_t bytes = 0;
  const uint64_t begin = now_ns();
  for (; *names; ++names) {
    const int file = open(*names, O_RDONLY);
    if (file < 0)
      fail(*names);
    for (ssize_t got; (got = read(file, buffer, BUFFER)) != 0;) {
      if (got < 0)
        fail(*names);
      bytes += (uint64_t)got;
    }
    close(file);
  }
  print_time(bytes, begin);
}

static void copy(size_t bytes) {
  char *from = mapped(bytes), *to = mapped(bytes);
  memset(from, 1, bytes);
  const uint64_t begin = now_ns();
  memcpy(to, from, bytes);
  print_time(bytes, begin);
}

int main(int argc, char **argv) {
  const char *what = argc > 2 ? argv[1] : "";
  if (strcmp(what, "make") == 0 && argc == 6)
    make(argv[2], strtoul(argv[3], NULL, 10) << 20, atoi(argv[4]),
         atoi(argv[5]));
  else if (strcmp(what, "back") == 0)
    back(argv[2]);
  else if (strcmp(what, "read") == 0)
    read_files(argv + 2);
  else if (strcmp(what, "copy") == 0)
    copy(strtoul(argv[2], NULL, 10) << 20);
  else {
    fprintf(stderr, "usage: restore make FOLDER MIB INCREMENTS COMPRESSION\n"
                    "       restore back FOLDER | read FILE... | copy MIB\n");
    return 2;
  }
  return 0;
}
