/*===- files_and_shared_memory.c - Regions that others may change ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: rm -rf %t && mkdir %t
// RUN: %build_c -O2 %s %link_checkpoint -o %t/program
// RUN: cd %t && ./program

#define _GNU_SOURCE /* memfd_create, mremap, _Fork */

#include "checkpoints.h"

#include <pagetide/pagetide.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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

/* Children that no handler of pthread_atfork sees are made by other calls. */
static pid_t by_fork(void) { return fork(); }
static pid_t by_plain_fork(void) { return _Fork(); }
static pid_t by_number(void) { return (pid_t)syscall(SYS_fork); }

/* Written at another address, or by another process, after a checkpoint. */
static void written_elsewhere(int is_file, pid_t (*make_child)(void),
                              int kernel_writes, const char *folder) {
  const int by_child = make_child != NULL;
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
  const pid_t child = by_child ? make_child() : 0;
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
static void file_twice(void) { written_elsewhere(1, NULL, 0, "a"); }
static void memory_twice(void) { written_elsewhere(0, NULL, 0, "b"); }
static void file_of_child(void) { written_elsewhere(1, by_fork, 0, "c"); }
static void memory_of_child(void) { written_elsewhere(0, by_fork, 0, "d"); }
static void memory_of_plain_fork(void) {
  written_elsewhere(0, by_plain_fork, 0, "f");
}
static void memory_of_number(void) { written_elsewhere(0, by_number, 1, "g"); }

/* Pages of a private mapping that nobody has written are those of the file. */
static void file_written(int is_kernel_asked, const char *folder) {
  const int fd = file_of(BYTES);
  uint8_t *region = mapped(MAP_PRIVATE, fd), *view = mapped(MAP_SHARED, fd);
  pagetide_checkpoint_config config = in_folder(folder);
  config.kernel_writes = is_kernel_asked;
  pagetide_checkpoint *c = open_with(&config);
  require_checkpoint(
      pagetide_checkpoint_protect(c, 7, region + 100, BYTES - 200), 0);
  region[5 * PAGE] = 1;
  region[7 * PAGE] = region[8 * PAGE]; /* a copy of the page */
  saved(c);
  const uint8_t nine = 9;
  require(pwrite(fd, &nine, 1, 6 * PAGE) == 1);
  view[200] = view[7 * PAGE] = view[BYTES - 101] = 8;
  const pagetide_checkpoint_result r = saved(c);
  require_equal(r.flags, 0);
  require_equal(r.moved_bytes, BYTES - 200 - 2 * PAGE);
  memset(view, 0, BYTES);
  restored(c, 0);
  require_equal(region[200], 8);
  require_equal(region[5 * PAGE], 1);
  require_equal(region[6 * PAGE], 9);
  require_equal(region[7 * PAGE], 0);
  require_equal(region[BYTES - 101], 8);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}
static void file_of_private(void) { file_written(0, "h"); }
static void file_of_private_watched(void) { file_written(1, "i"); }

/* A parent's memory, that the parent writes. Then it has the memory no more. */
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
  require(munmap(region, BYTES - PAGE) == 0);
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

/* What the program cannot write is saved, and named by a restore. */
static void not_writable(void) {
  uint8_t *region = mapped(MAP_PRIVATE | MAP_ANONYMOUS, -1);
  region[3 * PAGE] = 5;
  require(mprotect(region, BYTES, PROT_READ) == 0);
  pagetide_checkpoint *c = open_folder("rights");
  require_checkpoint(pagetide_checkpoint_protect(c, 7, region, BYTES), 0);
  saved(c);
  require_refused(pagetide_checkpoint_restore(c, 0, NULL), "written", region,
                  0);
  require(mprotect(region, BYTES, PROT_READ | PROT_WRITE) == 0);
  region[3 * PAGE] = 6;
  restored(c, 0);
  require_equal(region[3 * PAGE], 5);
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
  in_child(memory_of_plain_fork);
  in_child(memory_of_number);
  in_child(memory_of_parent);
  in_child(file_of_private);
  in_child(file_of_private_watched);
  in_child(in_background);
  in_child(not_writable);
  return 0;
}
