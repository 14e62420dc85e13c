/* Two threads touch a page every millisecond, until there is something to read.
   Says where the pages of each are, and that it has ended as it should. */

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 64 };
static char memory[2][PAGES * PAGE] __attribute__((aligned(PAGE)));
static volatile int ended;

/* Not static: calls from a loop that runs when marks begin reach marked code. */
__attribute__((noinline)) void touch(char *p) { *p += 1; }

static unsigned rounds(char *where) {
  unsigned done = 0;
  while (!ended) {
    touch(where + done++ % PAGES * PAGE);
    struct timespec pause = {0, 1000000};
    while (nanosleep(&pause, &pause) && errno == EINTR)
      ;
  }
  return done;
}

static void *other(void *blocks) {
  if (blocks) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
  }
  rounds(memory[1]);
  return NULL;
}

static void own(int number) { (void)number; }

int main(int count, char **words) {
  const char *how = count > 1 ? words[1] : "";
  pthread_t thread;
  if (!strcmp(how, "own-handler"))
    signal(60, own);
  const int forks = !strcmp(how, "forks");
  if (forks && fork() > 0) {
    int status;
    wait(&status);
    return status;
  }
  if (!strcmp(how, "waits-for-signals")) { /* none of which has a handler */
    sigset_t some;
    sigemptyset(&some);
    sigaddset(&some, SIGCHLD);
    sigaddset(&some, SIGUSR1);
    sigaddset(&some, SIGURG);
    sigprocmask(SIG_BLOCK, &some, NULL);
  }
  if (!forks)
    pthread_create(&thread, NULL, other,
                   strncmp(how, "blocked", 7) ? NULL : &thread);
  if (!strcmp(how, "blocked")) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
  }
  printf("ready %p %p\n", (void *)memory[0], (void *)memory[1]);
  fflush(stdout);
  struct pollfd in = {0, POLLIN, 0};
  unsigned done = 0;
  for (;;) {
    touch(memory[0] + done++ % PAGES * PAGE);
    int result = poll(&in, 1, 1);
    if (result > 0)
      break;
    if (result < 0 && errno != EINTR)
      return 3;
  }
  ended = 1;
  if (!forks)
    pthread_join(thread, NULL);
  puts("ended");
  return 0;
}
