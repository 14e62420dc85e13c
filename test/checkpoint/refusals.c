/*===- refusals.c - Saves that fail, folders that are refused ---------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: rm -rf %t && mkdir %t
// RUN: %build_c -O2 %s %link_checkpoint -o %t/refusals
// RUN: %t/refusals %t

#define _GNU_SOURCE

#include "checkpoints.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { PAGE = 4096, COUNT = 64 };

static const char *work;
static uint8_t *a;
static uint8_t want[COUNT * PAGE];

static int files_in(const char *folder) {
  int count = 0;
  DIR *directory = opendir(folder);
  while (readdir(directory))
    ++count;
  closedir(directory);
  return count;
}

static pagetide_checkpoint *open_protected(const char *name) {
  pagetide_checkpoint *c = open_folder(path_in(work, name));
  require_checkpoint(pagetide_checkpoint_protect(c, 1, a, COUNT * PAGE), 0);
  return c;
}

static void limit_files(rlim_t bytes) {
  struct rlimit limit;
  require(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  limit.rlim_cur = bytes;
  require(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

/* The files have the program's memory. */
static void private_files(void) {
  umask(0);
  pagetide_checkpoint *c = open_protected("private");
  saved(c);
  char path[8192];
  const char *names[] = {"", "/data-00000001-0", "/checkpoint-00000001"};
  for (int i = 0; i < 3; ++i) {
    struct stat status;
    snprintf(path, sizeof path, "%s%s", path_in(work, "private"), names[i]);
    require(stat(path, &status) == 0);
    require_equal(status.st_mode & 0777, i == 0 ? 0700 : 0600);
  }
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

/* The program goes on, the last checkpoint is there, and what could not be
 * saved is in the next one. */
static void no_room(void) {
  pagetide_checkpoint *c = open_protected("room");
  noise(a, COUNT * PAGE);
  saved(c);
  const int files = files_in(path_in(work, "room"));
  noise(a + 3 * PAGE, 20 * PAGE);
  limit_files(30000);
  require_checkpoint(pagetide_checkpoint_save(c, NULL),
                     PAGETIDE_CHECKPOINT_IO);
  require(strstr(pagetide_checkpoint_message(), "EFBIG"));
  require_equal(files_in(path_in(work, "room")), files);
  /* No signal is left behind. */
  sigset_t pending;
  sigpending(&pending);
  require(!sigismember(&pending, SIGXFSZ));
  a[40 * PAGE] ^= 1;
  require_checkpoint(pagetide_checkpoint_save(c, NULL),
                     PAGETIDE_CHECKPOINT_IO);
  limit_files(RLIM_INFINITY);
  memcpy(want, a, sizeof want);
  pagetide_checkpoint_result r = saved(c);
  require_equal(r.parent, 1);
  require_equal(r.moved_bytes, 21 * PAGE);
  memset(a, 0, sizeof want);
  restored(c, 0);
  require(memcmp(a, want, sizeof want) == 0);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

static void one_writer(void) {
  const char *name = "writers";
  int ready[2], go[2];
  char byte = 0;
  require(pipe(ready) == 0 && pipe(go) == 0);
  pid_t child = fork();
  if (child == 0) {
    pagetide_checkpoint *c = open_protected(name);
    saved(c);
    /* A child of the writer neither writes nor keeps the folder locked. */
    pid_t grandchild = fork();
    if (grandchild == 0) {
      require_checkpoint(pagetide_checkpoint_save(c, NULL),
                         PAGETIDE_CHECKPOINT_FORKED);
      require_checkpoint(pagetide_checkpoint_close(c),
                         PAGETIDE_CHECKPOINT_FORKED);
      pagetide_checkpoint *own = open_protected("child");
      noise(a, PAGE);
      saved(own);
      pid_t own_pid = getpid();
      require(write(ready[1], &own_pid, sizeof own_pid) == sizeof own_pid);
      pause();
    }
    require(read(go[0], &byte, 1) == 1);
    saved(c);
    /* As after SIGKILL. */
    kill(getpid(), SIGKILL);
  }
  pid_t grandchild;
  require(read(ready[0], &grandchild, sizeof grandchild) == sizeof grandchild);
  pagetide_checkpoint *c = NULL;
  pagetide_checkpoint_config config = in_folder(path_in(work, name));
  require_checkpoint(pagetide_checkpoint_open(&config, &c),
                     PAGETIDE_CHECKPOINT_BUSY);
  require(c == NULL);
  require(strstr(pagetide_checkpoint_message(), "another process"));
  require(write(go[1], &byte, 1) == 1);
  int status;
  require(waitpid(child, &status, 0) == child);
  require_equal(WTERMSIG(status), SIGKILL);
  /* The grandchild still runs. */
  c = open_protected(name);
  require_equal(saved(c).number, 3);
  require(kill(grandchild, SIGKILL) == 0);
  /* One folder for one process. */
  pagetide_checkpoint *second = NULL;
  config.folder = work;
  require_checkpoint(pagetide_checkpoint_open(&config, &second),
                     PAGETIDE_CHECKPOINT_BUSY);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

static void wrong_program(void) {
  pagetide_checkpoint_config config = in_folder(path_in(work, "program"));
  config.program = "the first";
  pagetide_checkpoint *c = open_with(&config);
  require_checkpoint(pagetide_checkpoint_protect(c, 1, a, PAGE), 0);
  saved(c);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
  config.program = "the second";
  require_checkpoint(pagetide_checkpoint_open(&config, &c),
                     PAGETIDE_CHECKPOINT_PROGRAM);
  require(strstr(pagetide_checkpoint_message(), "'the first'"));
}

/* A restore that is refused says what can be restored, and changes nothing. */
static void damaged(void) {
  pagetide_checkpoint *c = open_protected("damaged");
  noise(a, COUNT * PAGE);
  memcpy(want, a, sizeof want);
  saved(c);
  noise(a + PAGE, PAGE);
  saved(c);
  char path[4200];
  snprintf(path, sizeof path, "%s/data-00000002-0", path_in(work, "damaged"));
  FILE *file = fopen(path, "r+b");
  require(file && fseek(file, 2000, SEEK_SET) == 0);
  require(fwrite("damage", 1, 6, file) == 6 && fclose(file) == 0);
  memset(a, 0x77, sizeof want);
  pagetide_checkpoint_result r = {.size = sizeof r};
  require_checkpoint(pagetide_checkpoint_restore(c, 0, &r),
                     PAGETIDE_CHECKPOINT_DAMAGED);
  require_equal(r.number, 2);
  require_equal(r.last_good, 1);
  require(strstr(pagetide_checkpoint_message(), "data-00000002-0"));
  require(strstr(pagetide_checkpoint_message(), "Checkpoint 1 can be"));
  for (size_t i = 0; i < sizeof want; ++i)
    require_equal(a[i], 0x77);
  restored(c, r.last_good);
  require(memcmp(a, want, sizeof want) == 0);
  /* The next one does not depend on the damaged one. */
  a[5] ^= 1;
  r = saved(c);
  require_equal(r.number, 3);
  require_equal(r.parent, 0);
  /* The damaged one is still there, and still refused. */
  require_checkpoint(pagetide_checkpoint_restore(c, 2, NULL),
                     PAGETIDE_CHECKPOINT_DAMAGED);
  restored(c, 1);
  restored(c, 3);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

/* If recording was interrupted, nothing is lost: the save is whole. */
static void interrupted(void) {
  pagetide_checkpoint *c = open_protected("interrupted");
  saved(c);
  require_status(pagetide_stop(), PAGETIDE_OK);
  a[7 * PAGE] ^= 1;
  pagetide_checkpoint_result r = saved(c);
  require_equal(r.flags,
                PAGETIDE_CHECKPOINT_BASE | PAGETIDE_CHECKPOINT_UNTRACKED);
  /* It has begun again. */
  a[8 * PAGE] ^= 1;
  saved(c);
  a[9 * PAGE] ^= 1;
  r = saved(c);
  require_equal(r.flags, 0);
  require_equal(r.moved_bytes, PAGE);
  /* Stopped and started between two saves. */
  a[9 * PAGE] ^= 1;
  require_status(pagetide_stop(), PAGETIDE_OK);
  a[10 * PAGE] ^= 1;
  require_status(pagetide_start(NULL), PAGETIDE_OK);
  r = saved(c);
  require_equal(r.flags,
                PAGETIDE_CHECKPOINT_BASE | PAGETIDE_CHECKPOINT_UNTRACKED);
  a[11 * PAGE] ^= 1;
  require_equal(saved(c).moved_bytes, PAGE);
  /* The callback is another's. */
  require_status(pagetide_on_period(NULL, NULL), PAGETIDE_OK);
  a[12 * PAGE] ^= 1;
  r = saved(c);
  require_equal(r.flags,
                PAGETIDE_CHECKPOINT_BASE | PAGETIDE_CHECKPOINT_UNTRACKED);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
  pagetide_stop();
}

/* Regions that are not watched are saved whole. */
static void not_watched(void) {
  static uint8_t other[PAGE];
  pagetide_checkpoint *c = open_protected("watch");
  require_status(pagetide_watch(other, sizeof other), PAGETIDE_OK);
  saved(c);
  a[3 * PAGE] ^= 1;
  pagetide_checkpoint_result r = saved(c);
  require_equal(r.moved_bytes, COUNT * PAGE);
  require(r.flags & PAGETIDE_CHECKPOINT_UNTRACKED);
  require_status(pagetide_watch(a, COUNT * PAGE), PAGETIDE_OK);
  saved(c);
  a[3 * PAGE] ^= 1;
  r = saved(c);
  require_equal(r.moved_bytes, PAGE);
  require_equal(r.flags, 0);
  require_status(pagetide_unwatch(NULL, 0), PAGETIDE_OK);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

static pagetide_checkpoint *of_callback;
static int status_in_callback;
static void own_callback(const pagetide_period *period, void *user) {
  (void)user;
  if (!of_callback)
    return;
  pagetide_checkpoint_note_period(of_callback, period);
  if (period->index == 5)
    status_in_callback = pagetide_period_end();
}

static void callback_of_the_program(void) {
  pagetide_checkpoint_config config = in_folder(path_in(work, "callback"));
  config.own_callback = 1;
  require_status(pagetide_on_period(own_callback, NULL), PAGETIDE_OK);
  require_checkpoint(pagetide_checkpoint_open(&config, &of_callback), 0);
  require_checkpoint(
      pagetide_checkpoint_protect(of_callback, 1, a, COUNT * PAGE), 0);
  saved(of_callback);
  saved(of_callback);
  a[3 * PAGE] ^= 1;
  pagetide_checkpoint_result r = saved(of_callback);
  require_equal(r.flags, 0);
  require_equal(r.moved_bytes, PAGE);
  pagetide_checkpoint *c = of_callback;
  of_callback = NULL;
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

/* Arguments. */
static void wrong_use(void) {
  pagetide_checkpoint *c = NULL;
  pagetide_checkpoint_config config = in_folder(path_in(work, "wrong"));
  require_checkpoint(pagetide_checkpoint_open(NULL, &c),
                     PAGETIDE_CHECKPOINT_INVALID);
  config.size = 8;
  require_checkpoint(pagetide_checkpoint_open(&config, &c),
                     PAGETIDE_CHECKPOINT_INVALID);
  config = in_folder(path_in(work, "no/parent"));
  require_checkpoint(pagetide_checkpoint_open(&config, &c),
                     PAGETIDE_CHECKPOINT_IO);
  require(strstr(pagetide_checkpoint_message(), "ENOENT"));
  config = in_folder("");
  require_checkpoint(pagetide_checkpoint_open(&config, &c),
                     PAGETIDE_CHECKPOINT_INVALID);
  config = in_folder(path_in(work, "wrong"));
  const int none[] = {20, PAGETIDE_CHECKPOINT_LZ4 - 1};
  for (size_t i = 0; i < 2; ++i) {
    config.compression = none[i];
    require_checkpoint(pagetide_checkpoint_open(&config, &c),
                       PAGETIDE_CHECKPOINT_INVALID);
    require(strstr(pagetide_checkpoint_message(),
                   "compression is neither a level of zstd (1 to 19), 0, "
                   "PAGETIDE_CHECKPOINT_NO_COMPRESSION (-1) nor "
                   "PAGETIDE_CHECKPOINT_LZ4 (-2)"));
  }
  c = open_folder(path_in(work, "wrong"));
  require_checkpoint(pagetide_checkpoint_save(c, NULL),
                     PAGETIDE_CHECKPOINT_INVALID);
  require_checkpoint(pagetide_checkpoint_restore(c, 0, NULL),
                     PAGETIDE_CHECKPOINT_NONE);
  require_checkpoint(pagetide_checkpoint_close(NULL),
                     PAGETIDE_CHECKPOINT_INVALID);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

int main(int argc, char **argv) {
  require(argc == 2);
  work = argv[1];
  a = pages(COUNT);
  in_child(private_files);
  in_child(no_room);
  in_child(one_writer);
  in_child(wrong_program);
  in_child(damaged);
  in_child(interrupted);
  in_child(not_watched);
  in_child(callback_of_the_program);
  in_child(wrong_use);
  return 0;
}
