/*===- stream_rounds.c - What the rounds of a stream send -------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: rm -rf %t && mkdir %t
// RUN: %build_c -O2 %s %link_checkpoint -o %t/stream_rounds
// RUN: export PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=2s
// RUN: %t/stream_rounds %t %pagetide
// The marks of 64 bytes, and sets by thread.
// RUN: %build_c -O2 -Xclang -mllvm -Xclang -pagetide-granule=6 %s %link_checkpoint -o %t/small
// RUN: mkdir %t/64 && %pagetide record --per-thread --no-output -- %t/small %t/64 %pagetide
// Without marks.
// RUN: %plain_c -O2 %s %link_checkpoint -o %t/plain
// RUN: mkdir %t/no && %t/plain %t/no %pagetide plain

#define _GNU_SOURCE

#include "checkpoints.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>

enum { PAGE = 4096, COUNT = 2000 };

extern char **environ;
static const char *work, *pagetide;
static uint8_t *a, *moving;
static size_t moving_pages = 3;
static pagetide_checkpoint *c;

//===- A thread that writes so much during each round ---------------------===//

static sem_t wanted, done;
/* Pages to write in each round; below 0: move a region too. 0: no more. */
static const int *plan;
static int value;

static void write_pages(int pages) {
  for (int i = 0; i < pages; ++i)
    noise(a + (size_t)i * PAGE, PAGE);
}

static void move_region(void) {
  size_t pages = moving_pages + 2;
  pagetide_update_begin();
  uint8_t *to = (uint8_t *)mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(to != MAP_FAILED);
  memcpy(to, moving, moving_pages * PAGE);
  memset(to + moving_pages * PAGE, ++value, (pages - moving_pages) * PAGE);
  require(munmap(moving, moving_pages * PAGE) == 0);
  moving = to;
  moving_pages = pages;
  require_checkpoint(
      pagetide_checkpoint_protect(c, 2, moving, moving_pages * PAGE), 0);
  require(pagetide_update_end() == 0);
}

static void *write_as_planned(void *unused) {
  for (;;) {
    sem_wait(&wanted);
    if (!plan)
      return unused;
    write_pages(abs(*plan));
    if (*plan < 0)
      move_region();
    ++plan;
    sem_post(&done);
  }
}

/* At the end of each round. */
static void told(void *user, uint64_t at, uint64_t total) {
  require(user == &plan && at <= total);
  if (at != total || !plan || *plan == 0)
    return;
  sem_post(&wanted);
  sem_wait(&done);
}

//===- The other side -----------------------------------------------------===//

static pid_t receiver;

/* Starts `pagetide checkpoint apply`. Returns the end of its pipe. */
static int send_to(const char *folder) {
  int ends[2];
  require(pipe2(ends, O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  char *arguments[] = {(char *)pagetide, (char *)"checkpoint", (char *)"apply",
                       (char *)folder, NULL};
  require(posix_spawn(&receiver, pagetide, &actions, NULL, arguments,
                      environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  return ends[1];
}

static int end_of_receiver(int fd) {
  int status;
  close(fd);
  require(waitpid(receiver, &status, 0) == receiver && WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void protect_all(void) {
  require_checkpoint(pagetide_checkpoint_protect(c, 1, a, COUNT * PAGE), 0);
  require_checkpoint(
      pagetide_checkpoint_protect(c, 2, moving, moving_pages * PAGE), 0);
}

static void open_all(const char *name) {
  pagetide_checkpoint_config config = in_folder(path_in(work, name));
  config.sync = PAGETIDE_CHECKPOINT_NO_SYNC;
  config.progress = told;
  config.progress_user = &plan;
  c = open_with(&config);
  protect_all();
}

static uint64_t checksum(void) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < COUNT * PAGE; ++i)
    hash = (hash ^ a[i]) * 1099511628211u;
  for (size_t i = 0; i < moving_pages * PAGE; ++i)
    hash = (hash ^ moving[i]) * 1099511628211u;
  return hash;
}

/* Only the plan's thread writes, and not since the cut: memory is still as it
 * was then. What another process restores must be equal to it. */
static void check_image(const char *name) {
  require_checkpoint(pagetide_checkpoint_close(c), 0);
  const uint64_t want = checksum();
  pid_t child = fork();
  if (child == 0) {
    memset(a, 0xee, COUNT * PAGE);
    memset(moving, 0xee, moving_pages * PAGE);
    plan = NULL;
    open_all(name);
    restored(c, 0);
    require_equal(checksum(), want);
    _exit(0);
  }
  int status;
  require(waitpid(child, &status, 0) == child);
  require_equal(status, 0);
}

static pagetide_checkpoint_streamed
stream(const char *name, const pagetide_checkpoint_stream_config *how,
       const int *pages) {
  pthread_t thread;
  const char *image = path_in(work, name);
  pagetide_checkpoint_streamed result = {.size = sizeof result};
  int fd = send_to(image);
  plan = pages;
  require(pthread_create(&thread, NULL, write_as_planned, NULL) == 0);
  require_checkpoint(pagetide_checkpoint_stream(c, fd, how, &result), 0);
  require_equal(end_of_receiver(fd), 0);
  plan = NULL;
  sem_post(&wanted);
  pthread_join(thread, NULL);
  for (uint32_t i = 0; i < result.rounds; ++i)
    fprintf(stderr, "%s: round %u: %llu KiB\n", name, i,
            (unsigned long long)result.round_bytes[i] >> 10);
  require_equal(result.bytes, (COUNT + moving_pages) * PAGE);
  require(result.stream_bytes > 0 && result.duration_ns > result.pause_ns);
  return result;
}

static pagetide_checkpoint_stream_config how(uint64_t small_pages) {
  pagetide_checkpoint_stream_config config = {.size = sizeof config};
  config.small_bytes = small_pages * PAGE;
  return config;
}

/* So many pages, and what carried marks and neighbours add. */
static void require_pages(uint64_t bytes, uint64_t pages) {
  require(bytes >= pages * PAGE);
  require(bytes <= (pages + 20) * PAGE);
}

//===- Rounds -------------------------------------------------------------===//

static void shrinking(void) {
  open_all("sender");
  const int pages[] = {1000, 500, 200, 60, 0};
  pagetide_checkpoint_stream_config config = how(100);
  pagetide_checkpoint_streamed r = stream("shrinks", &config, pages);
  require_equal(r.rounds, 5);
  require_equal(r.why, PAGETIDE_STREAM_SMALL);
  require_equal(r.round_bytes[0], r.bytes);
  for (int i = 1; i < 5; ++i)
    require_pages(r.round_bytes[i], (uint64_t)pages[i - 1]);
  require(r.cut_ns > 0);
  check_image("shrinks");
}

static void everything_changes(void) {
  open_all("sender");
  const int pages[] = {COUNT, COUNT, COUNT, COUNT, 0};
  pagetide_checkpoint_streamed r = stream("all", NULL, pages);
  require_equal(r.rounds, 2);
  require_equal(r.why, PAGETIDE_STREAM_NOT_SHRINKING);
  require_pages(r.round_bytes[1], COUNT);
  check_image("all");
}

static void stops_shrinking(void) {
  open_all("sender");
  const int pages[] = {1000, 300, 280, 280, 280, 0};
  pagetide_checkpoint_stream_config config = how(1);
  pagetide_checkpoint_streamed r = stream("stops", &config, pages);
  require_equal(r.rounds, 4);
  require_equal(r.why, PAGETIDE_STREAM_NOT_SHRINKING);
  check_image("stops");
}

static void bounds(void) {
  open_all("sender");
  const int pages[] = {1000, 500, 200, 60, 0};
  pagetide_checkpoint_stream_config config = how(1);
  config.most_rounds = 3;
  pagetide_checkpoint_streamed r = stream("rounds", &config, pages);
  require_equal(r.rounds, 3);
  require_equal(r.why, PAGETIDE_STREAM_MOST_ROUNDS);
  check_image("rounds");
  open_all("sender");
  config = how(1);
  config.most_ns = 1;
  r = stream("time", &config, pages);
  require_equal(r.rounds, 2);
  require_equal(r.why, PAGETIDE_STREAM_TIME);
  check_image("time");
}

static void regions_that_move(void) {
  open_all("sender");
  const int pages[] = {-1000, -500, -200, -60, 0};
  pagetide_checkpoint_stream_config config = how(100);
  pagetide_checkpoint_streamed r = stream("moves", &config, pages);
  require_equal(r.rounds, 5);
  check_image("moves");
}

static void updates_held(void) {
  open_all("sender");
  const int pages[] = {1000, -300, -60, 0};
  pagetide_checkpoint_stream_config config = how(100);
  config.without_cut = 1;
  pagetide_checkpoint_streamed r = stream("held", &config, pages);
  require_equal(r.rounds, 4);
  require_equal(r.why, PAGETIDE_STREAM_SMALL);
  require(r.cut_ns > 0 && r.pause_ns > 0);
  check_image("held");
}

static volatile int has_begun;

static void *begin_update(void *unused) {
  pagetide_update_begin();
  has_begun = 1;
  require(pagetide_update_end() == 0);
  return unused;
}

/* Updates wait until the program lets them go on. */
static void updates_kept(int without_cut) {
  plan = NULL;
  has_begun = 0;
  open_all("sender");
  require_checkpoint(pagetide_checkpoint_go_on(c), PAGETIDE_CHECKPOINT_INVALID);
  const int pages[] = {1000, 60, 0};
  pagetide_checkpoint_stream_config config = how(100);
  config.stay_held = 1;
  config.without_cut = without_cut;
  stream("kept", &config, pages);
  pthread_t thread;
  require(pthread_create(&thread, NULL, begin_update, NULL) == 0);
  require_checkpoint(pagetide_checkpoint_save(c, NULL),
                     PAGETIDE_CHECKPOINT_BUSY);
  require(strstr(pagetide_checkpoint_message(), "go_on"));
  usleep(20000);
  require(!has_begun);
  require_checkpoint(pagetide_checkpoint_go_on(c), 0);
  pthread_join(thread, NULL);
  require(has_begun);
  saved(c);
  /* A stream that fails keeps nobody. */
  require_checkpoint(
      pagetide_checkpoint_stream(c, open("/dev/full", O_WRONLY), &config, NULL),
      PAGETIDE_CHECKPOINT_IO);
  begin_update(NULL);
  check_image("kept");
}

static void updates_kept_at_cut(void) { updates_kept(0); }
static void updates_kept_without_cut(void) { updates_kept(1); }

/* The program ends while threads are held back. */
static void ends_while_held(void) {
  plan = NULL;
  open_all("sender");
  pagetide_checkpoint_stream_config config = how(1);
  config.stay_held = 1;
  int null = open("/dev/null", O_WRONLY);
  require_checkpoint(pagetide_checkpoint_stream(c, null, &config, NULL), 0);
  pthread_t thread;
  require(pthread_create(&thread, NULL, begin_update, NULL) == 0);
  usleep(20000);
  exit(0);
}

/* The stream takes nothing from the folder's checkpoints. */
static void saves_around(void) {
  plan = NULL;
  open_all("saves");
  saved(c);
  noise(a, 5 * PAGE);
  const int pages[] = {30, 0};
  stream("around", NULL, pages);
  a[100 * PAGE] ^= 1;
  pagetide_checkpoint_result r = saved(c);
  require_equal(r.parent, 1);
  require(r.moved_bytes >= 31 * 64 && r.moved_bytes <= 40 * PAGE);
  check_image("saves");
}

//===- Refusals -----------------------------------------------------------===//

static int try_stream(int fd, pagetide_checkpoint_stream_config config) {
  return pagetide_checkpoint_stream(c, fd, &config, NULL);
}

static void arguments(void) {
  c = open_folder(path_in(work, "arguments"));
  pagetide_checkpoint_stream_config config = how(0);
  require_checkpoint(try_stream(1, config), PAGETIDE_CHECKPOINT_INVALID);
  require(strstr(pagetide_checkpoint_message(), "protect"));
  protect_all();
  require_checkpoint(try_stream(-1, config), PAGETIDE_CHECKPOINT_INVALID);
  require(strstr(pagetide_checkpoint_message(), "EBADF"));
  config.most_rounds = 1;
  require_checkpoint(try_stream(1, config), PAGETIDE_CHECKPOINT_INVALID);
  config.most_rounds = 65;
  require_checkpoint(try_stream(1, config), PAGETIDE_CHECKPOINT_INVALID);
  config.most_rounds = 0;
  config.size = 3;
  require_checkpoint(try_stream(1, config), PAGETIDE_CHECKPOINT_INVALID);
  config.size = sizeof config;
  pagetide_update_begin();
  require_checkpoint(try_stream(1, config), PAGETIDE_CHECKPOINT_BUSY);
  require(pagetide_update_end() == 0);
  require_checkpoint(pagetide_checkpoint_close(c), 0);
}

/* Everything changes, and there is no room for copies of it. */
static void no_room_for_copies(void) {
  const int pages[] = {COUNT, 0};
  pthread_t thread;
  pagetide_checkpoint_config config = in_folder(path_in(work, "room"));
  config.copy_bytes = 100 * PAGE;
  config.progress = told;
  config.progress_user = &plan;
  c = open_with(&config);
  protect_all();
  int fd = send_to(path_in(work, "no-room"));
  plan = pages;
  require(pthread_create(&thread, NULL, write_as_planned, NULL) == 0);
  require_checkpoint(try_stream(fd, how(0)), PAGETIDE_CHECKPOINT_NO_MEMORY);
  require(strstr(pagetide_checkpoint_message(), "copy_bytes"));
  require_equal(end_of_receiver(fd), 2);
  plan = NULL;
  sem_post(&wanted);
  pthread_join(thread, NULL);
  saved(c);
  check_image("room");
}

/* The program goes on, and can save and stream. */
static void reader_dies(void) {
  plan = NULL;
  open_all("dies");
  saved(c);
  a[0] ^= 1;
  int ends[2];
  require(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    close(ends[1]);
    static char some[100000];
    _exit(read(ends[0], some, sizeof some) <= 0);
  }
  close(ends[0]);
  signal(SIGPIPE, SIG_DFL);
  require_checkpoint(try_stream(ends[1], how(0)), PAGETIDE_CHECKPOINT_IO);
  require(strstr(pagetide_checkpoint_message(), "EPIPE"));
  close(ends[1]);
  sigset_t pending;
  sigpending(&pending);
  require(!sigismember(&pending, SIGPIPE));
  int status;
  require(waitpid(child, &status, 0) == child && status == 0);
  pagetide_checkpoint_result r = saved(c);
  require_equal(r.parent, 1);
  const int pages[] = {30, 0};
  stream("after", NULL, pages);
  check_image("after");
}

static void *read_slowly(void *argument) {
  static char some[65536];
  int fd = *(int *)argument;
  int out = open(path_in(work, "slow.stream"), O_WRONLY | O_CREAT, 0600);
  for (ssize_t got; (got = read(fd, some, sizeof some)) > 0;) {
    require(write(out, some, (size_t)got) == got);
    usleep(100);
  }
  close(out);
  return NULL;
}

/* A socket that does not wait by itself. */
static void socket_that_does_not_wait(void) {
  plan = NULL;
  open_all("sender");
  int ends[2];
  require(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  require(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
  pthread_t thread;
  require(pthread_create(&thread, NULL, read_slowly, &ends[1]) == 0);
  require_checkpoint(try_stream(ends[0], how(0)), 0);
  close(ends[0]);
  pthread_join(thread, NULL);
  int in = open(path_in(work, "slow.stream"), O_RDONLY);
  int fd = send_to(path_in(work, "slow"));
  static char some[1 << 20];
  for (ssize_t got; (got = read(in, some, sizeof some)) > 0;)
    require(write(fd, some, (size_t)got) == got);
  require_equal(end_of_receiver(fd), 0);
  check_image("slow");
}

/* Nothing tells what changes: everything is sent, once. */
static void without_marks(void) {
  plan = NULL;
  open_all("plain");
  int null = open("/dev/null", O_WRONLY);
  require_checkpoint(try_stream(null, how(0)),
                     PAGETIDE_CHECKPOINT_UNSUPPORTED);
  require(strstr(pagetide_checkpoint_message(), "pagetide-clang"));
  close(null);
  pagetide_checkpoint_stream_config config = how(0);
  config.without_cut = 1;
  pagetide_checkpoint_streamed r = {.size = sizeof r};
  int fd = send_to(path_in(work, "whole"));
  require_checkpoint(pagetide_checkpoint_stream(c, fd, &config, &r), 0);
  require_equal(end_of_receiver(fd), 0);
  require_equal(r.rounds, 1);
  require_equal(r.why, PAGETIDE_STREAM_ONE_ROUND);
  require_equal(r.round_bytes[0], r.bytes);
  check_image("whole");
}

int main(int argc, char **argv) {
  require(argc >= 3);
  work = argv[1];
  pagetide = argv[2];
  a = pages(COUNT);
  noise(a, COUNT * PAGE);
  moving = (uint8_t *)mmap(NULL, moving_pages * PAGE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(moving != MAP_FAILED);
  require(sem_init(&wanted, 0, 0) == 0 && sem_init(&done, 0, 0) == 0);
  if (argc > 3) {
    in_child(without_marks);
    return 0;
  }
  in_child(shrinking);
  in_child(everything_changes);
  in_child(stops_shrinking);
  in_child(bounds);
  in_child(regions_that_move);
  in_child(updates_held);
  in_child(updates_kept_at_cut);
  in_child(updates_kept_without_cut);
  in_child(ends_while_held);
  in_child(saves_around);
  in_child(arguments);
  in_child(no_room_for_copies);
  in_child(reader_dies);
  in_child(socket_that_does_not_wait);
  return 0;
}
