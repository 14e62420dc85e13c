/* Threads one after another. The calls of prctl mark where they begin and end
 * in a list of system calls. */
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>

static void *run(void *arg) { return arg; }

static int make(int threads) {
  for (int i = 0; i < threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
      return 1;
  }
  return 0;
}

int main(void) {
  if (make(20)) /* the first ones make what later ones use again */
    return 1;
  prctl(PR_GET_DUMPABLE);
  const int failed = make(100);
  prctl(PR_GET_DUMPABLE);
  return failed;
}
