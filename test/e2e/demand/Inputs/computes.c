/* Touches a page after the other, and calls little of libc between. How it
   spends its time is its argument. SIGTERM ends it. */

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 64 };
static char memory[PAGES * PAGE] __attribute__((aligned(PAGE)));
static volatile int ended, handler_ends;

/* Not static: calls from a loop that runs when marks begin reach marked code.
 */
__attribute__((noinline)) void touch(char *p) { *p += 1; }

static void on_signal(int number) {
  ended |= number == SIGTERM;
  handler_ends |= number != SIGUSR1;
}

static void pauses(long ns) {
  struct timespec pause = {0, ns};
  nanosleep(&pause, NULL);
}

/* Interrupts what may hold a lock. Its signal is not blocked meanwhile. */
static void long_handler(int number) {
  (void)number;
  while (!handler_ends)
    pauses(1000000);
}

static void handles(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_NODEFER};
  sigaction(number, &action, NULL);
}

enum way { LOOP, STRINGS, USLEEP, NANOSLEEP, SLEEP, PAUSE, WAYS };
static const char *const names[WAYS] = {"loop",      "strings", "usleep",
                                        "nanosleep", "sleep",   "pause"};
static char text[1 << 16];

static void *rounds(void *argument) {
  const enum way way = *(enum way *)argument;
  for (unsigned done = 0; !ended; done++) {
    touch(memory + done % PAGES * PAGE);
    if (way == STRINGS)
      text[strlen(text) % 8] = 'a';
    else if (way == USLEEP)
      usleep(1000);
    else if (way == NANOSLEEP)
      pauses(1000000);
    else if (way == SLEEP)
      sleep(1000);
    else if (way == PAUSE)
      pause();
  }
  return NULL;
}

int main(int count, char **words) {
  const char *how = count > 1 ? words[1] : "";
  enum way way = LOOP;
  for (int i = 0; i < WAYS; i++)
    if (!strcmp(how, names[i]))
      way = i;
  memset(text, 'a', sizeof text - 1);
  handles(SIGTERM, on_signal);
  handles(SIGUSR1, on_signal);
  handles(SIGUSR2, on_signal);
  if (!strcmp(how, "blocks-handled")) {
    sigset_t some;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    sigprocmask(SIG_BLOCK, &some, NULL);
  }
  printf("ready %p\n", (void *)memory);
  fflush(stdout);
  if (!strcmp(how, "handler")) {
    handles(SIGUSR1, long_handler);
    raise(SIGUSR1);
  }
  if (!strcmp(how, "thread")) {
    pthread_t thread;
    pthread_create(&thread, NULL, rounds, &way);
    pthread_join(thread, NULL);
  } else {
    rounds(&way);
  }
  puts("ended");
  return 0;
}
