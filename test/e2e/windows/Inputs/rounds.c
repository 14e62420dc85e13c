/* A thread goes round some pages in one loop without calls. Another one waits
   for something to read, or (API) records the process twice. Then both end. */

#include <pthread.h>
#include <stdio.h>
#ifdef API
#include <pagetide/pagetide.h>
#include <time.h>
#endif

enum { PAGES = 64, PAGE = 4096 };
static char memory[PAGES * PAGE] __attribute__((aligned(PAGE)));
static volatile int ends;

static void *go_round(void *pages) {
  volatile char *p = pages;
  for (unsigned i = 0; !ends; ++i)
    p[i % PAGES * PAGE] = 1;
  return NULL;
}

#ifdef API
int marks_are_on(void);

static void pauses(long ns) {
  const struct timespec pause = {0, ns};
  nanosleep(&pause, NULL);
}

/* 0 if marks are on exactly while it is recorded. */
static int record_twice(void) {
  static const char *const traces[] = {"first.ptrace", "second.ptrace"};
  for (int i = 0; i < 2; ++i) {
    const pagetide_config config = {.size = sizeof config,
                                    .period_ns = 20000000,
                                    .trace_path = traces[i]};
    if (pagetide_start(&config) || !marks_are_on())
      return 1;
    pauses(300000000);
    if (pagetide_stop() || marks_are_on())
      return 2;
    pauses(300000000); /* in which the other thread changes to plain code */
  }
  return 0;
}
#else
static int record_twice(void) {
  getchar();
  return 0;
}
#endif

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, go_round, memory))
    return 1;
  printf("%p %d\n", (void *)memory, PAGES);
  fflush(stdout);
  const int result = record_twice();
  ends = 1;
  pthread_join(thread, NULL);
  puts("ended");
  return result;
}
