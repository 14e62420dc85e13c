/*===- emulate_ways.c - A program that ends and starts others in many ways -===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 64
#define PAGE 4096

static _Alignas(PAGE) volatile char pages[PAGES * PAGE];

static void *nothing(void *p) { return p; }

/* In the child of a process with threads: a new thread. */
static int fork_then_thread(void) {
  pthread_t thread;
  for (int i = 0; i < 3; ++i)
    pthread_create(&thread, NULL, nothing, NULL);
  if (fork() == 0) {
    if (pthread_create(&thread, NULL, nothing, NULL) ||
        pthread_join(thread, NULL))
      _exit(1);
    _exit(23);
  }
  int status;
  wait(&status);
  return WEXITSTATUS(status);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  for (int i = 0; i < PAGES; ++i)
    pages[i * PAGE] = 1;
  printf("%s %s %d\n", argv[0], how, argc);
  fflush(stdout);
  if (!strcmp(how, "abort"))
    abort();
  if (!strcmp(how, "fault"))
    *(volatile char *)8 = 1;
  if (!strcmp(how, "kill"))
    kill(getpid(), SIGKILL);
  if (!strcmp(how, "close")) /* what the plugin has open must not matter */
    for (int fd = 3; fd < 64; ++fd)
      close(fd);
  if (!strcmp(how, "again"))
    execl("/proc/self/exe", "another name", "exec", (char *)NULL);
  if (!strcmp(how, "thread"))
    return fork_then_thread();
  if (!strcmp(how, "bad")) {
    char *words[] = {"x", NULL};
    if (execve("/bin/true", (char **)8, NULL) != -1 || errno != EFAULT)
      return 1;
    if (execv("/nonexistent", words) != -1 || errno != ENOENT)
      return 2;
    if (execv("/etc/passwd", words) != -1 || errno != EACCES)
      return 3;
  }
  return getenv("LD_LIBRARY_PATH") ? 17 : 5;
}
