/*===- makes_calls.c - A program that uses much of the system --------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile char bytes[1 << 20];

static void *work(void *late) {
  if (late) /* whoever waits for the thread waits by a call, in each run */
    usleep(200000);
  for (int i = 0; i < 50; ++i)
    memset((char *)bytes, i, sizeof bytes / 2);
  return late;
}

static void handle(int number) { bytes[number] = 1; }

int main(int argc, char **argv) {
  pthread_t thread;
  int status = 1;
  if (argc > 1 && strcmp(argv[1], "executed") == 0)
    return 0;
  signal(SIGUSR1, handle);
  raise(SIGUSR1);
  if (pthread_create(&thread, NULL, work, &thread) != 0)
    return 2;
  work(NULL);
  pthread_join(thread, NULL);
  dlclose(dlopen("libm.so.6", RTLD_NOW));
  if (fork() == 0) {
    work(NULL);
    execl(argv[0], argv[0], "executed", NULL);
    _exit(3);
  }
  wait(&status);
  char *heap = (char *)malloc(1 << 22);
  memset(heap, 1, 1 << 22);
  puts(heap[argc] ? "done" : "");
  free(heap);
  return status;
}
