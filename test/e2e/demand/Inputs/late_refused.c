/* A thread that blocks all signals keeps marks off while it lives. */

#include "recording.h"

#include <pthread.h>
#include <signal.h>

const char *__pagetide_default_options(void) { return "marks=late"; }

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *blocks(void *unused) {
  (void)unused;
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  return NULL;
}

int main(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_t thread;
  pthread_mutex_lock(&gate);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  require(pthread_create(&thread, NULL, blocks, NULL) == 0);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  require_status(pagetide_start(NULL), PAGETIDE_UNSUPPORTED);
  require_status(pagetide_on_period(see, NULL), PAGETIDE_UNSUPPORTED);
  pthread_mutex_unlock(&gate);
  pthread_join(thread, NULL);
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  start_driven();
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(seen.calls, 1);
  require_status(pagetide_stop(), PAGETIDE_OK);
  puts("ok");
  return 0;
}
