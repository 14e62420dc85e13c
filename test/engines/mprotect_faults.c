/*===- mprotect_faults.c - Signals and system calls of a protected program -===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A program handles SIGSEGV itself, blocks it, has handlers on stacks in
// protected memory, and lets the kernel write to protected memory. It gets what
// it would get without the engine. Nothing of it depends on being recorded:
// first by itself.
// RUN: rm -rf %t && mkdir %t && cd %t && touch file
// RUN: %plain_c -O1 %s -o program && ./program
// RUN: %pagetide record --engine mprotect -p 0 -o trace -- ./program
// RUN: %pagetide info trace | grep -q complete
// The clock may end a period anywhere.
// RUN: %pagetide record --engine mprotect -p 1ms -o trace -- ./program

#include "recording.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

static char *a;
static sigjmp_buf back;
static void *volatile faulted;
static volatile int handled;

/* All is protected from here on. */
static void protect(void) { (void)pagetide_period_end(); }

static void on_fault(int number, siginfo_t *info, void *context) {
  (void)context;
  require(number == SIGSEGV);
  faulted = info->si_addr;
  write_byte(a + 9 * PAGE); /* a fault within */
  siglongjmp(back, 1);
}
static void on_signal(int number) {
  (void)number;
  write_byte(a + 10 * PAGE);
  ++handled;
}
static void on_fault_once(int number) {
  (void)number;
  ++handled;
  siglongjmp(back, 2);
}

static void expect_fault(char *p) {
  protect();
  faulted = NULL;
  if (!sigsetjmp(back, 1)) {
    write_byte(p);
    require(!"a write to a read-only page went through");
  }
  require(faulted == p);
}

static void own_handler(void) {
  struct sigaction action, former;
  memset(&action, 0, sizeof action);
  require(sigaction(SIGSEGV, NULL, &former) == 0);
  require(former.sa_handler == SIG_DFL);
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigfillset(&action.sa_mask);
  require(sigaction(SIGSEGV, &action, NULL) == 0);
  require(sigaction(SIGSEGV, NULL, &former) == 0);
  require(former.sa_sigaction == on_fault && former.sa_flags & SA_SIGINFO);
  require(mprotect(a, PAGE, PROT_READ) == 0);
  expect_fault(a);
  require(mprotect(a, PAGE, PROT_NONE) == 0);
  expect_fault(a);
  require(mprotect(a, PAGE, PROT_READ | PROT_WRITE) == 0);
  protect();
  write_byte(a);
  expect_fault(NULL);
  require((void *)signal(SIGSEGV, on_fault_once) == (void *)on_fault);
  handled = 0;
  if (!sigsetjmp(back, 1))
    write_byte(NULL);
  require(handled == 1);
  require(signal(SIGSEGV, SIG_DFL) == on_fault_once);
  /* What signal() is for who asks for X/Open: it holds once. */
  require(__sysv_signal(SIGSEGV, on_fault_once) == SIG_DFL);
  protect();
  write_byte(a);
  handled = 0;
  if (!sigsetjmp(back, 1))
    write_byte(NULL);
  require(handled == 1);
  require(__sysv_signal(SIGSEGV, SIG_DFL) == SIG_DFL);
}

static void blocked(void) {
  sigset_t all, former;
  sigfillset(&all);
  protect();
  require(sigprocmask(SIG_SETMASK, &all, &former) == 0);
  write_byte(a + PAGE);
  require(sigprocmask(SIG_SETMASK, &former, NULL) == 0);
  /* A handler with all blocked, on a stack in memory of the program's. */
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  sigfillset(&action.sa_mask);
  require(sigaction(SIGUSR1, &action, NULL) == 0);
  stack_t stack = {.ss_sp = a + 100 * PAGE, .ss_size = 16 * PAGE};
  require(sigaltstack(&stack, NULL) == 0);
  handled = 0;
  for (int i = 0; i < 3; ++i) {
    protect();
    raise(SIGUSR1);
  }
  require(handled == 3);
}

static void *thread(void *p) {
  protect();
  write_byte((char *)p);
  return p;
}
static void on_own_stack(void) {
  pthread_attr_t attributes;
  pthread_t id;
  require(pthread_attr_init(&attributes) == 0);
  require(pthread_attr_setstack(&attributes, a + 128 * PAGE, 64 * PAGE) == 0);
  for (int i = 0; i < 3; ++i) {
    protect();
    require(pthread_create(&id, i ? &attributes : NULL, thread, a + 2 * PAGE) ==
            0);
    require(pthread_join(id, NULL) == 0);
  }
}

static void kernel_writes(void) {
  int *descriptors = (int *)(void *)(a + 20 * PAGE + PAGE - 8);
  struct stat *status = (struct stat *)(void *)(a + 22 * PAGE);
  protect();
  require(pipe(descriptors) == 0);
  int in = descriptors[1], out = descriptors[0];
  require(write(in, "0123456789", 10) == 10);
  protect();
  require(read(out, a + 24 * PAGE - 5, 10) == 10);
  require(memcmp(a + 24 * PAGE - 5, "0123456789", 10) == 0);
  protect();
  require(fstat(in, status) == 0 && S_ISFIFO(status->st_mode));
  protect();
  require(stat(".", status) == 0 && S_ISDIR(status->st_mode));
  protect();
  require(getcwd(a + 30 * PAGE - 3, 4096) == a + 30 * PAGE - 3);
  protect();
  require(socketpair(AF_UNIX, SOCK_STREAM, 0, descriptors) == 0);
  require(send(descriptors[0], "abc", 3, 0) == 3);
  protect();
  require(recv(descriptors[1], a + 40 * PAGE, 100, 0) == 3);
  protect();
  require(syscall(SYS_uname, a + 50 * PAGE) == 0);
  require(strcmp(a + 50 * PAGE, "Linux") == 0);
}

static void libc_reads(void) {
  char line[64];
  FILE *f = fopen("lines", "w+");
  require(f && fputs("one\ntwo\n", f) >= 0 && fclose(f) == 0);
  /* Buffers are of the heap, which is protected by then. */
  for (int i = 0; i < 20; ++i)
    free(malloc((size_t)i * 1000));
  protect();
  f = fopen("lines", "r");
  require(f != NULL);
  protect();
  require(fgets(line, sizeof line, f) && strcmp(line, "one\n") == 0);
  protect();
  require(fgets(line, sizeof line, f) && strcmp(line, "two\n") == 0);
  require(fclose(f) == 0);
  protect();
  DIR *directory = opendir(".");
  require(directory != NULL);
  protect();
  int found = 0;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL; protect())
    found += strcmp(entry->d_name, "lines") == 0;
  require(found == 1 && closedir(directory) == 0);
}

static void processes(void) {
  int status, pid;
  char *arguments[] = {(char *)"true", NULL};
  protect();
  require(posix_spawnp(&pid, "true", NULL, NULL, arguments, environ) == 0);
  require(waitpid(pid, &status, 0) == pid && status == 0);
  protect();
  require(system("exit 3") == 3 << 8);
  protect();
  FILE *f = popen("echo output", "r");
  char line[64];
  require(f && fgets(line, sizeof line, f) && strcmp(line, "output\n") == 0);
  require(pclose(f) == 0);
  protect();
  pid = fork();
  require(pid >= 0);
  if (pid == 0) {
    write_byte(a + 60 * PAGE);
    signal(SIGSEGV, SIG_DFL);
    write_byte(NULL);
  }
  require(waitpid(pid, &status, 0) == pid);
  require(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  pid = fork();
  require(pid >= 0);
  if (pid == 0) {
    raise(SIGSEGV);
    _exit(1);
  }
  require(waitpid(pid, &status, 0) == pid);
  require(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

int main(void) {
  a = map_arena(0, 256 * PAGE);
  for (int round = 0; round < 5; ++round) {
    own_handler();
    blocked();
    on_own_stack();
    kernel_writes();
    libc_reads();
    processes();
  }
  return 0;
}
