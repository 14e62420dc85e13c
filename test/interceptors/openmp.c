/*===- openmp.c - The threads of OpenMP's teams ---------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// LLVM's OpenMP library makes its threads by pthread_create: they have shadows
// of their own, and what the loops' bodies do counts as the thread's that did
// it. Between loops they spin, so that they may not have settled when a period
// ends.
// RUN: %known_sets --ways O0,O2,O2/access --flag=-fopenmp --may-carry \
// RUN:   --env OMP_PROC_BIND=close %s

#include "known_sets.h"

#include <omp.h>

enum { TEAM = 4, PAGES = 64 };

int main(void) {
  require(omp_get_proc_bind() == omp_proc_bind_close);
  char *a = arena(0, PAGES * PAGE), *b = arena(1, PAGES * PAGE);
  end_period();
  for (int round = 0; round < 3; ++round) {
    /* Each page is some thread's. */
#pragma omp parallel for num_threads(TEAM) schedule(static)
    for (int i = 0; i < PAGES; ++i) {
      *(volatile char *)(a + (size_t)i * PAGE) = 1;
      expect_write(a + (size_t)i * PAGE, 1);
    }
    end_period();
    /* Pages go to whoever is free. */
#pragma omp parallel for num_threads(TEAM) schedule(dynamic)
    for (int i = 0; i < PAGES; ++i) {
      *(volatile char *)(b + (size_t)i * PAGE) =
          *(volatile char *)(a + (size_t)i * PAGE);
      expect_read(a + (size_t)i * PAGE, 1);
      expect_write(b + (size_t)i * PAGE, 1);
    }
    end_period();
    long sum = 0;
    int threads = 0;
#pragma omp parallel num_threads(TEAM) reduction(+ : sum)
    {
      int me = omp_get_thread_num();
      long v = *(volatile char *)(b + (size_t)me * PAGE);
      expect_read(b + (size_t)me * PAGE, 1);
      sum += v;
#pragma omp atomic
      ++threads;
#pragma omp barrier
#pragma omp critical
      *(volatile char *)(a + (size_t)me * PAGE + 8) += 1;
      expect_both(a + (size_t)me * PAGE + 8, 1);
    }
    require(sum == threads && threads > 1);
    end_period();
    /* Tasks run on any of them. */
#pragma omp parallel num_threads(TEAM)
#pragma omp single
    for (int i = 0; i < PAGES; ++i)
#pragma omp task firstprivate(i)
    {
      *(volatile char *)(a + (size_t)i * PAGE) = 2;
      expect_write(a + (size_t)i * PAGE, 1);
    }
    end_period();
    /* A loop in tasks, whose sum libomp puts together. */
    sum = 0;
#pragma omp parallel num_threads(TEAM)
#pragma omp single
#pragma omp taskloop grainsize(5) reduction(+ : sum)
    for (int i = 0; i < PAGES; ++i) {
      sum += *(volatile char *)(a + (size_t)i * PAGE);
      expect_read(a + (size_t)i * PAGE, 1);
      *(volatile char *)(b + (size_t)i * PAGE) = 3;
      expect_write(b + (size_t)i * PAGE, 1);
    }
    require(sum == 2 * PAGES);
    end_period();
    /* Vectors: each thread has as many pages. */
#pragma omp parallel num_threads(TEAM)
    {
      const size_t share = PAGES / TEAM * PAGE;
      require(omp_get_num_threads() == TEAM);
#pragma omp for simd schedule(static)
      for (size_t i = 0; i < PAGES * PAGE / sizeof(long); ++i)
        ((long *)b)[i] += 1;
      expect_both(b + (size_t)omp_get_thread_num() * share, share);
    }
    end_period();
  }
  return 0;
}
