/*===- refuses_threads.c - pthread_create fails when it is told to ---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

/* Stands behind the runtime and before libc in the order of look-up. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

int refuse_threads;

int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                   void *(*run)(void *), void *arg) {
  int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (refuse_threads)
    return EAGAIN;
  *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
  return real(thread, attr, run, arg);
}
