/*===- as_natively.c - Situations in which a plain program is recorded -----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// usage: as_natively SITUATION
// Prints what the program sees of it. "all" prints the names of the situations.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static const char *self;

static void print_status(pid_t child) {
  int status = -1;
  if (waitpid(child, &status, 0) != child)
    printf("no child: %s\n", strerror(errno));
  printf("child %x\n", (unsigned)status);
}

static pid_t start_again(const char *how) {
  const pid_t child = fork();
  if (child == 0) {
    execl(self, self, how, (char *)NULL);
    _exit(99);
  }
  return child;
}

static void end(void) { printf("end\n"); }

static void daemon_of_two_forks(void) {
  int ends[2];
  char text[100] = "";
  if (pipe(ends) == 0 && fork() == 0) {
    setsid();
    if (fork() == 0) {
      dprintf(ends[1], "daemon %d\n", getsid(0) != getpid());
      _exit(3);
    }
    _exit(0);
  }
  close(ends[1]);
  wait(NULL);
  while (read(ends[0], text, sizeof(text) - 1) > 0)
    printf("%s", text);
}

static void vfork_chain(void) {
  const pid_t child = vfork();
  if (child == 0) {
    execl(self, self, "exec_chain", (char *)NULL);
    _exit(99);
  }
  print_status(child);
}

/* What the former program has left is no child of this one. */
static void exec_chain(void) { execl(self, self, "exec_chain2", (char *)NULL); }
static void exec_chain2(void) {
  int status;
  usleep(50000);
  printf("zombies %d\n", waitpid(-1, &status, WNOHANG | __WALL) > 0);
}

static void spawn_in_session(void) {
  pid_t child;
  posix_spawnattr_t attributes;
  char *arguments[] = {(char *)self, (char *)"end", NULL};
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  if (posix_spawn(&child, self, NULL, &attributes, arguments, environ) == 0)
    print_status(child);
}

static void all_closed(void) {
  close_range(3, ~0U, 0);
  for (int fd = 3; fd < 2000; ++fd)
    close(fd);
  printf("next %d\n", open("/dev/null", O_RDONLY));
  print_status(start_again("end"));
}

static void descriptors(void) {
  for (int fd = 3; fd < 2000; ++fd)
    if (fcntl(fd, F_GETFD) >= 0)
      printf("descriptor %d\n", fd);
}

static void no_descriptors(void) {
  const struct rlimit limit = {3, 3};
  setrlimit(RLIMIT_NOFILE, &limit);
  printf("open %d\n", open("/dev/null", O_RDONLY));
  const pid_t child = fork();
  if (child == 0)
    _exit(4);
  print_status(child);
}

static void little_address_space(void) {
  const struct rlimit limit = {64 << 20, 64 << 20};
  setrlimit(RLIMIT_AS, &limit);
  printf("%d\n", malloc(100 << 20) != NULL);
  print_status(start_again("end"));
}

static void other_root(void) {
  mkdir("root", 0755);
  printf("%d\n", chroot("root"));
  const pid_t child = fork();
  if (child == 0) {
    execl("/none", "none", (char *)NULL);
    _exit(errno);
  }
  print_status(child);
}

static void no_arguments(void) {
  char *none[] = {NULL};
  execve(self, none, environ);
}

static void no_environment(void) {
  char *arguments[] = {(char *)self, (char *)"end", NULL}, *none[] = {NULL};
  execve(self, arguments, none);
}

static void program_in_memory(void) {
  static char bytes[65536];
  char *arguments[] = {(char *)"program", (char *)"end", NULL};
  const int target = memfd_create("program", MFD_CLOEXEC);
  const int source = open(self, O_RDONLY);
  for (ssize_t n; (n = read(source, bytes, sizeof(bytes))) > 0;)
    if (write(target, bytes, (size_t)n) != n)
      return;
  fexecve(target, arguments, environ);
}

static void exec_by_number(void) {
  char *arguments[] = {(char *)self, (char *)"end", NULL};
  syscall(SYS_execve, self, arguments, environ);
}

static void exec_below(void) {
  char *arguments[] = {(char *)"true", NULL};
  execveat(open("/bin", O_PATH), "true", arguments, environ, 0);
}

static void undumpable(void) {
  prctl(PR_SET_DUMPABLE, 0);
  const pid_t child = fork();
  if (child == 0)
    _exit(4);
  print_status(child);
}

static void strict_mode(void) {
  fflush(stdout);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  if (write(1, "strict\n", 7) == 7)
    syscall(SYS_exit, 6);
}

static void tracer(void) {
  const pid_t child = fork();
  int status;
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    _exit(5);
  }
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    printf("stop %x\n", (unsigned)status);
    ptrace(PTRACE_CONT, child, NULL, NULL);
  }
  printf("end %x\n", (unsigned)status);
}

static void large_environment(void) {
  char *value = calloc(1, 100001), name[] = "LARGE_A";
  memset(value, 'x', 100000);
  for (; name[6] < 'K'; ++name[6])
    setenv(name, value, 1);
  print_status(start_again("end"));
}

static void folder_gone(void) {
  char path[100];
  if (mkdir("gone", 0755) != 0 || chdir("gone") != 0 || rmdir("../gone") != 0)
    printf("%s\n", strerror(errno));
  printf("%d\n", getcwd(path, sizeof(path)) != NULL);
  print_status(start_again("end"));
}

static void signals(void) {
  sigset_t blocked;
  struct sigaction action;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  for (int i = 1; i < 65; ++i)
    if (sigismember(&blocked, i) == 1 ||
        (sigaction(i, NULL, &action) == 0 && action.sa_handler != SIG_DFL))
      printf("signal %d\n", i);
}

static void adopts(void) {
  int status, count = 0;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (fork() == 0) {
    if (fork() == 0)
      _exit(4);
    _exit(3);
  }
  while (wait(&status) > 0)
    count += WEXITSTATUS(status);
  printf("%d\n", count);
}

static void *wait_for_ever(void *argument) {
  pause();
  return argument;
}

static void threads_exec(void) {
  pthread_t thread;
  for (int i = 0; i < 8; ++i)
    pthread_create(&thread, NULL, wait_for_ever, NULL);
  execl(self, self, "end", (char *)NULL);
}

static void kills_itself(void) { raise(SIGRTMAX); }

static const struct {
  const char *name;
  void (*run)(void);
} situations[] = {
#define SITUATION(name) {#name, name}
    SITUATION(end),
    SITUATION(daemon_of_two_forks),
    SITUATION(vfork_chain),
    SITUATION(exec_chain),
    SITUATION(exec_chain2),
    SITUATION(spawn_in_session),
    SITUATION(all_closed),
    SITUATION(descriptors),
    SITUATION(no_descriptors),
    SITUATION(little_address_space),
    SITUATION(other_root),
    SITUATION(no_arguments),
    SITUATION(no_environment),
    SITUATION(program_in_memory),
    SITUATION(exec_by_number),
    SITUATION(exec_below),
    SITUATION(undumpable),
    SITUATION(strict_mode),
    SITUATION(tracer),
    SITUATION(large_environment),
    SITUATION(folder_gone),
    SITUATION(signals),
    SITUATION(adopts),
    SITUATION(threads_exec),
    SITUATION(kills_itself),
};

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "end";
  self = getenv("SELF");
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (unsigned i = 0; i < sizeof(situations) / sizeof(*situations); ++i) {
    if (strcmp(how, "all") == 0)
      puts(situations[i].name);
    else if (strcmp(how, situations[i].name) == 0) {
      situations[i].run();
      return 5;
    }
  }
  return strcmp(how, "all") == 0 ? 0 : 77;
}
