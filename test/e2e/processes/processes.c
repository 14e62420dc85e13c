/*===- processes.c - Processes made in every way ---------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Each has a trace of its own with its own sets; none has a page of another's.
// A bounded fork bomb: 1 + 4 + 16 + 64 processes.
// RUN: %known_sets --ways O1 --modes process --traces 85 --info complete \
// RUN:   --arg tree %s
// A fork while other threads write.
// RUN: %known_sets --may-carry --ways O1 --traces 11 --info complete \
// RUN:   --arg amid_writers %s
// RUN: %known_sets --ways O1 --traces 9 --info complete --arg in_handler %s
// RUN: %known_sets --may-carry --ways O1 --traces 21 --info complete \
// RUN:   --arg in_handler_storm %s
// RUN: %known_sets --may-carry --ways O1 --traces 5 --info complete \
// RUN:   --arg in_destructor %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg vfork_exec %s
// RUN: %known_sets --ways O1 --traces 3 --info complete --arg spawn %s
// RUN: %known_sets --ways O1 --traces 3 --info complete --arg daemon %s
// RUN: %known_sets --ways O1 --traces 1 --info complete --arg shells %s
// RUN: %known_sets --ways O1 --traces 4 --info complete --arg clone %s
// RUN: %known_sets --may-carry --ways O1 --traces 1 --info complete \
// RUN:   --arg exec_in_thread %s
// Generations inherit nothing that the runtime had mapped.
// RUN: %known_sets --ways O1 --traces 21 --info complete --arg generations %s

#include "known_sets.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static char *a;
static const char *self;

static void touch(int page) {
  *(volatile char *)(a + page * PAGE) += 1;
  expect_both(a + page * PAGE, 1);
}

static void wait_for_child(int pid) {
  int status;
  require(pid > 0);
  while (waitpid(pid, &status, 0) != pid)
    require(errno == EINTR);
  require_equal(status, 0);
}

/*===- A tree --------------------------------------------------------------===*/

static void tree(int depth, int place) {
  int children[4];
  touch(place);
  if (depth < 3)
    for (int i = 0; i < 4; ++i) {
      children[i] = fork();
      require(children[i] >= 0);
      if (children[i] == 0) {
        known_sets_after_fork();
        tree(depth + 1, 4 * place + i + 1);
        end_period();
        touch(0);
        exit(0);
      }
    }
  end_period();
  touch(place + 100);
  if (depth < 3)
    for (int i = 0; i < 4; ++i)
      wait_for_child(children[i]);
}

/*===- Amid writers --------------------------------------------------------===*/

static int writers_begun, writers_stop;

static void *writes(void *argument) {
  volatile char *mine = a + (size_t)argument * 32 * PAGE;
  for (size_t i = 0; !__atomic_load_n(&writers_stop, __ATOMIC_ACQUIRE); ++i) {
    mine[i % 32 * PAGE] = (char)i;
    if (i == 32)
      __atomic_add_fetch(&writers_begun, 1, __ATOMIC_RELEASE);
  }
  expect_write(mine, 32 * PAGE);
  return NULL;
}

static void amid_writers(void) {
  pthread_t threads[3];
  for (size_t t = 0; t < 3; ++t)
    require(pthread_create(&threads[t], NULL, writes, (void *)t) == 0);
  while (__atomic_load_n(&writers_begun, __ATOMIC_ACQUIRE) < 3)
    sched_yield();
  for (int round = 0; round < 10; ++round) {
    int pid = fork();
    if (pid == 0) {
      known_sets_after_fork();
      touch(100 + round);
      end_period();
      touch(130 + round);
      exit(0);
    }
    touch(160 + round);
    wait_for_child(pid);
  }
  __atomic_store_n(&writers_stop, 1, __ATOMIC_RELEASE);
  for (size_t t = 0; t < 3; ++t)
    require(pthread_join(threads[t], NULL) == 0);
  end_period();
}

/*===- In handlers and destructors -----------------------------------------===*/

static int forked[64];
static int fork_count;

static void fork_and_touch(int unsafe) {
  int saved = errno;
  int pid = unsafe ? fork() : _Fork();
  require(pid >= 0);
  if (pid == 0) {
    known_sets_after_fork();
    touch(10 + fork_count);
    end_period();
    touch(80 + fork_count);
    _exit(0);
  }
  forked[fork_count++] = pid;
  touch(150 + fork_count);
  errno = saved;
}

static void forking_handler(int signal) {
  fork_and_touch(signal == SIGUSR1);
}
static void storm_handler(int signal) {
  (void)signal;
  if (fork_count < 20)
    fork_and_touch(0);
}

static void in_handler(void) {
  signal(SIGUSR1, forking_handler);
  signal(SIGUSR2, forking_handler);
  for (int i = 0; i < 4; ++i) {
    raise(SIGUSR1);
    raise(SIGUSR2);
    end_period();
  }
}

static void *short_thread(void *page) {
  memset(page, 1, 10);
  expect_write(page, 10);
  return NULL;
}

static void in_handler_storm(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = storm_handler;
  action.sa_flags = SA_RESTART;
  require(sigaction(SIGALRM, &action, NULL) == 0);
  timer_t timer;
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGALRM;
  event._sigev_un._tid = thread_id();
  require(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  struct itimerspec often = {{0, 2000000}, {0, 2000000}};
  require(timer_settime(timer, 0, &often, NULL) == 0);
  while (*(volatile int *)&fork_count < 20) {
    pthread_t thread;
    require(pthread_create(&thread, NULL, short_thread, a) == 0);
    require(pthread_join(thread, NULL) == 0);
  }
  timer_delete(timer);
}

static pthread_key_t key;
static int destructor_round;

static void forking_destructor(void *value) {
  ++destructor_round;
  require(pthread_setspecific(key, value) == 0); /* once more, to the last */
  int pid = fork();
  require(pid >= 0);
  if (pid == 0) {
    known_sets_after_fork();
    /* In the last round the thread has left its slot. */
    if (destructor_round == 4)
      a[20 * PAGE] = 1, expect_at(0, 0, a + 20 * PAGE, 1, "w");
    else
      touch(10 + destructor_round);
    exit(0);
  }
  wait_for_child(pid);
}

static void *has_destructor(void *unused) {
  require(pthread_setspecific(key, a) == 0);
  return unused;
}

static void in_destructor(void) {
  pthread_t thread;
  require(pthread_key_create(&key, forking_destructor) == 0);
  require(pthread_create(&thread, NULL, has_destructor, NULL) == 0);
  require(pthread_join(thread, NULL) == 0);
  require_equal(destructor_round, 4);
  touch(1);
}

/*===- vfork, spawn, shells ------------------------------------------------===*/

static void vfork_exec(void) {
  for (int round = 0; round < 3; ++round) {
    touch(1);
    int pid = vfork();
    if (pid == 0) {
      a[2 * PAGE] = 1; /* its parent's memory, its parent's set */
      execl("/bin/true", "true", (char *)NULL);
      _exit(99);
    }
    expect_write(a + 2 * PAGE, 1);
    touch(3);
    wait_for_child(pid);
    pid = vfork();
    if (pid == 0) {
      a[4 * PAGE] = 1;
      _exit(0);
    }
    expect_write(a + 4 * PAGE, 1);
    wait_for_child(pid);
    end_period();
  }
}

static void spawn(void) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none;
  require(posix_spawn_file_actions_init(&actions) == 0);
  require(posix_spawn_file_actions_addopen(&actions, 5, "/dev/null", O_RDWR,
                                           0) == 0);
  require(posix_spawn_file_actions_adddup2(&actions, 5, 1) == 0);
  require(posix_spawn_file_actions_addclosefrom_np(&actions, 3) == 0);
  require(posix_spawnattr_init(&attributes) == 0);
  sigemptyset(&none);
  require(posix_spawnattr_setsigmask(&attributes, &none) == 0);
  require(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETSID) == 0);
  char *instrumented[] = {(char *)self, (char *)"spawned", NULL};
  char *plain[] = {(char *)"sh", (char *)"-c", (char *)"exit 0", NULL};
  int pid;
  for (int round = 0; round < 2; ++round) {
    touch(1);
    require(posix_spawn(&pid, self, &actions, &attributes, instrumented,
                        environ) == 0);
    wait_for_child(pid);
    touch(2);
    require(posix_spawnp(&pid, "sh", &actions, &attributes, plain, environ) ==
            0);
    wait_for_child(pid);
    end_period();
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
}

static void shells(void) {
  touch(1);
  require_equal(system("exit 0"), 0);
  touch(2);
  end_period();
  FILE *pipe = popen("echo 12345", "r");
  require(pipe != NULL);
  char line[16];
  require(fgets(line, sizeof line, pipe) && strcmp(line, "12345\n") == 0);
  touch(3);
  require_equal(pclose(pipe), 0);
  end_period();
}

/*===- A daemon ------------------------------------------------------------===*/

static void daemonise(void) {
  int *daemon_pid = (int *)mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  require(daemon_pid != MAP_FAILED);
  touch(1);
  int pid = fork();
  require(pid >= 0);
  if (pid == 0) {
    known_sets_after_fork();
    require(setsid() >= 0);
    touch(2);
    pid = fork();
    require(pid >= 0);
    if (pid > 0)
      _exit(0);
    known_sets_after_fork();
    require(chdir("/") == 0);
    umask(0);
    closefrom(0);
    require(open("/dev/null", O_RDWR) == 0);
    require(dup(0) == 1 && dup(0) == 2);
    for (int round = 0; round < 5; ++round) {
      touch(10 + round);
      end_period();
    }
    touch(20);
    __atomic_store_n(daemon_pid, (int)getpid(), __ATOMIC_RELEASE);
    exit(0);
  }
  wait_for_child(pid);
  touch(3);
  end_period();
  while (!__atomic_load_n(daemon_pid, __ATOMIC_ACQUIRE))
    usleep(1000);
  /* Not our child, but its death can be seen: its trace is then whole. */
  while (kill(*daemon_pid, 0) == 0)
    usleep(1000);
  touch(4);
}

/*===- clone, exec in a thread, generations --------------------------------===*/

static int cloned(void *argument) {
  known_sets_after_fork();
  touch(10 + (int)(size_t)argument);
  end_period();
  touch(20);
  if ((size_t)argument == 1)
    exit(0);
  if ((size_t)argument == 2)
    _exit(0);
  return 0;
}

static void clone_processes(void) {
  char *stack = (char *)malloc(256 * KIB);
  require(stack != NULL);
  for (size_t i = 0; i < 3; ++i) {
    touch((int)i);
    int pid = clone(cloned, stack + 256 * KIB, SIGCHLD, (void *)i);
    touch(5 + (int)i);
    wait_for_child(pid);
    end_period();
  }
  free(stack);
}

static void *execs(void *unused) {
  touch(2);
  execl("/bin/true", "true", (char *)NULL);
  return unused;
}

static void exec_in_thread(void) {
  pthread_t thread, writer;
  require(pthread_key_create(&key, NULL) == 0);
  touch(1);
  require(pthread_create(&writer, NULL, has_destructor, NULL) == 0);
  require(pthread_join(writer, NULL) == 0);
  require(pthread_create(&thread, NULL, execs, NULL) == 0);
  for (;;)
    pause();
}

static long mapped_kib(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  require(file != NULL && fscanf(file, "%ld", &pages) == 1);
  fclose(file);
  return pages * 4;
}

enum { GENERATIONS = 20 };

static void generations(int generation, long of_third) {
  touch(generation);
  end_period();
  touch(50 + generation);
  if (generation == 3)
    of_third = mapped_kib();
  if (generation == GENERATIONS) {
    /* Buffers differ in size by their parents' luck; 1 MiB a generation is
     * another matter. */
    require(mapped_kib() < of_third + 2048);
    return;
  }
  int pid = fork();
  require(pid >= 0);
  if (pid == 0) {
    known_sets_after_fork();
    generations(generation + 1, of_third);
    exit(0);
  }
  wait_for_child(pid);
}

int main(int argc, char **argv) {
  require(argc == 2);
  const char *how = argv[1];
  self = argv[0];
  a = arena(0, 256 * PAGE);
  if (strcmp(how, "tree") == 0)
    tree(0, 0);
  else if (strcmp(how, "amid_writers") == 0)
    amid_writers();
  else if (strcmp(how, "in_handler") == 0)
    in_handler();
  else if (strcmp(how, "in_handler_storm") == 0)
    in_handler_storm();
  else if (strcmp(how, "in_destructor") == 0)
    in_destructor();
  else if (strcmp(how, "vfork_exec") == 0)
    vfork_exec();
  else if (strcmp(how, "spawn") == 0)
    spawn();
  else if (strcmp(how, "spawned") == 0)
    touch(60), end_period(), touch(61);
  else if (strcmp(how, "daemon") == 0)
    daemonise();
  else if (strcmp(how, "shells") == 0)
    shells();
  else if (strcmp(how, "clone") == 0)
    clone_processes();
  else if (strcmp(how, "exec_in_thread") == 0)
    exec_in_thread();
  else if (strcmp(how, "generations") == 0)
    generations(0, 0);
  else
    require(!"a known way");
  for (int i = 0; i < fork_count; ++i)
    wait_for_child(forked[i]);
  return 0;
}
