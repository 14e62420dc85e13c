/*===- files_and_shared_memory.c - Regions that others may change ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: rm -rf %t && mkdir %t
// RUN: %build_c -O2 %s %link_checkpoint -o %t/program
// RUN: cd %t && ./program

#define _GNU_SOURCE /* memfd_create, mremap */

#include "checkpoints.h"

#include <pagetide/pagetide.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, COUNT = 64, BYTES = COUNT * PAGE };

static uint8_t *mapped(int flags, int fd) {
  void *memory = mmap(0, BYTES, PROT_READ | PROT_WRITE, flags, fd, 0);
  require(memory != MAP_FAILED);
  return memory;
}

static int file_of(size_t bytes) {
  const int fd = memfd_create("file", 0);
  require(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
  return fd;
}

static void require_refused(int status, const char *done, uint8_t *region,
                            size_t offset) {
  char text[200];
  require_checkpoint(status, PAGETIDE_CHECKPOINT_INVALID);
  snprintf(text, sizeof text, "region 7 cannot be %s at %p, %zu bytes", done,
           (void *)(region + offset), offset);
  if (!strstr(pagetide_checkpoint_message(), text))
    fprintf(stderr, "%s\n%s\n", text, pagetide_checkpoint_message());
  require(strstr(pagetide_checkpoint_message(), text) != NULL);
}

/* The mapping is longer than the file, or the file is cut while it is mapped.
 */
static void ends_of_files(int flags, const char *folder) {
  const int fd = file_of(2 * PAGE + 100);
  pagetide_checkpoint *c = open_folder(folder);
  uint8_t *memory = mapped(flags, fd), *other = pages(2);
  require_checkpoint(pagetide_checkpoint_protect(c, 7, memory, BYTES), 0);
  require_checkpoint(pagetide_checkpoint_protect(c, 8, other, 2 * PAGE), 0);
  memory[0] = 1;
  require_refused(pagetide_checkpoint_save(c, NULL), "read", memory, 3 * PAGE);
  require_checkpoint(pagetide_checkpoint_protect(c, 7, memory, 3 * PAGE), 0);
  memory[2 * PAGE] = 2;
  other[0] = 3;
  saved(c);
  require(ftruncate(fd, PAGE) == 0);
  other[0] = 4;
  require_refused(pagetide_checkpoint_save(c, NULL), "read", memory, PAGE);
  /* Nothing is restored if not all can be. */
  require_refused(pagetide_checkpoint_restore(c, 0, NULL), "read", memory,
                  PAGE);
  require_equal(other[0], 4);
  require(ftruncate(fd, 0) == 0);
  require_refused(pagetide_checkpoint_save(c, NULL), "read", memory, 0);
  require(ftruncate(fd, 2 * PAGE + 100) == 0);
  restored(c, 0);
  require_equal(memory[0], 1);
  require_equal(memory[2 * PAGE], 2);
  require_equal(other[0], 3);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}
static void end_of_shared_file(void) { ends_of_files(MAP_SHARED, "shared"); }
static void end_of_private_file(void) { ends_of_files(MAP_PRIVATE, "private"); }

static int cut_file, is_cutting = 1;
static void *cut(void *unused) {
  (void)unused;
  while (__atomic_load_n(&is_cutting, __ATOMIC_RELAXED)) {
    require(ftruncate(cut_file, PAGE) == 0);
    usleep(1000);
    require(ftruncate(cut_file, BYTES) == 0);
    usleep(1000);
  }
  return NULL;
}

/* The file is cut while a save or a restore is under way. */
static void cut_meanwhile(void) {
  cut_file = file_of(BYTES);
  pagetide_checkpoint_config config = in_folder("cut");
  config.sync = PAGETIDE_CHECKPOINT_NO_SYNC;
  pagetide_checkpoint *c = open_with(&config);
  uint8_t *memory = mapped(MAP_SHARED, cut_file);
  require_checkpoint(pagetide_checkpoint_protect(c, 7, memory, BYTES), 0);
  saved(c);
  pthread_t thread;
  require(pthread_create(&thread, NULL, cut, NULL) == 0);
  int refused = 0, done = 0;
  for (int i = 0; i < 400 || !refused || !done; ++i) {
    const int status = i % 2 ? pagetide_checkpoint_save(c, NULL)
                             : pagetide_checkpoint_restore(c, 0, NULL);
    if (status)
      require_checkpoint(status, PAGETIDE_CHECKPOINT_INVALID);
    status ? ++refused : ++done;
  }
  __atomic_store_n(&is_cutting, 0, __ATOMIC_RELAXED);
  pthread_join(thread, NULL);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

enum { FILE_TWICE, ANONYMOUS_TWICE, FILE_OF_CHILD, ANONYMOUS_OF_CHILD };

/* Written at another address, or by another process, after a checkpoint. */
static void written_elsewhere(int way, uint32_t kernel_writes,
                              const char *folder) {
  const int is_file = way == FILE_TWICE || way == FILE_OF_CHILD;
  const int by_child = way == FILE_OF_CHILD || way == ANONYMOUS_OF_CHILD;
  uint8_t *region = mapped(MAP_SHARED | (is_file ? 0 : MAP_ANONYMOUS),
                           is_file ? file_of(BYTES) : -1),
          *view = region;
  if (!by_child)
    view = mremap(region, 0, BYTES, MREMAP_MAYMOVE);
  require(view != MAP_FAILED && (by_child || view != region));
  pagetide_checkpoint_config config = in_folder(folder);
  config.kernel_writes = kernel_writes;
  pagetide_checkpoint *c = open_with(&config);
  require_checkpoint(pagetide_checkpoint_protect(c, 7, region, BYTES), 0);
  memset(region, 1, BYTES);
  saved(c);
  const pid_t child = by_child ? fork() : 0;
  if (!child)
    view[5 * PAGE] = 9;
  if (by_child && !child)
    _exit(0);
  if (by_child)
    require(waitpid(child, NULL, 0) == child);
  saved(c);
  memset(view, 0, BYTES);
  restored(c, 0);
  require_equal(region[5 * PAGE], 9);
  require_equal(region[6 * PAGE], 1);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}
static void file_twice(void) { written_elsewhere(FILE_TWICE, 0, "a"); }
static void memory_twice(void) { written_elsewhere(ANONYMOUS_TWICE, 0, "b"); }
static void file_of_child(void) { written_elsewhere(FILE_OF_CHILD, 0, "c"); }
static void memory_of_child(void) {
  written_elsewhere(ANONYMOUS_OF_CHILD, 0, "d");
}

/* A parent's memory, that the parent writes. */
static void memory_of_parent(void) {
  uint8_t *region = mapped(MAP_SHARED | MAP_ANONYMOUS, -1);
  volatile uint8_t *turn = region + BYTES - PAGE;
  memset(region, 1, BYTES);
  pid_t child = fork();
  if (child == 0) {
    pagetide_checkpoint *c = open_folder("e");
    require_checkpoint(pagetide_checkpoint_protect(c, 7, region, BYTES - PAGE),
                       0);
    saved(c);
    *turn = 2;
    while (*turn == 2)
      usleep(1000);
    saved(c);
    memset(region, 0, BYTES - PAGE);
    restored(c, 0);
    require_equal(region[5 * PAGE], 9);
    _exit(0);
  }
  while (*turn != 2)
    usleep(1000);
  region[5 * PAGE] = 9;
  *turn = 3;
  int status;
  require(waitpid(child, &status, 0) == child);
  require_equal(status, 0);
}

/* A checkpoint in the background follows too. */
static void in_background(void) {
  const int fd = file_of(BYTES);
  uint8_t *region = mapped(MAP_SHARED, fd), *view = mapped(MAP_SHARED, fd);
  pagetide_checkpoint *c = open_folder("background");
  require_checkpoint(pagetide_checkpoint_protect(c, 7, region, BYTES), 0);
  memset(region, 1, BYTES);
  saved(c);
  view[5 * PAGE] = 9;
  require_checkpoint(pagetide_checkpoint_every(c, 20 * 1000 * 1000, NULL, NULL),
                     0);
  pagetide_checkpoint_counts counts = {.size = sizeof counts};
  do {
    usleep(10 * 1000);
    require_checkpoint(pagetide_checkpoint_count(c, &counts), 0);
  } while (!counts.made);
  require_checkpoint(pagetide_checkpoint_every(c, 0, NULL, NULL), 0);
  memset(view, 0, BYTES);
  restored(c, 0);
  require_equal(region[5 * PAGE], 9);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

int main(void) {
  in_child(end_of_shared_file);
  in_child(end_of_private_file);
  in_child(cut_meanwhile);
  in_child(file_twice);
  in_child(memory_twice);
  in_child(file_of_child);
  in_child(memory_of_child);
  in_child(memory_of_parent);
  in_child(in_background);
  return 0;
}
