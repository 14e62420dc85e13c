/*===- call_oracle.h - What a call does to the memory of its arguments -----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * call_table.h includes this file if CALL_ORACLE is defined. Then a row is not
 * called with bad pointers. It prints what was done to each page of each
 * argument. Built with CALL_ORACLE=1, and without Pagetide, that is the truth:
 *
 *  - Code of libc. One argument at a time has no rights. Each access faults. A
 *    handler notes it, opens the page for one instruction, and closes it again.
 *  - The kernel. If it needs an argument without rights, the call does not end
 *    as it does with rights. If it needs one that can only be read, it writes
 *    it. What changed, though no instruction wrote it, the kernel wrote. What
 *    it needed in a call that ends with EFAULT anyway is not known.
 *
 * Each such call is made in a process of its own. Built with CALL_ORACLE=2 and
 * Pagetide, a row prints the marks that pagetide_query has of one call.
 * compare_calls.py compares the two.
 *
 *===----------------------------------------------------------------------===*/

#pragma once

#if CALL_ORACLE == 2
#include <pagetide/pagetide.h>
#endif

enum {
  USER_READ = 1,
  USER_WROTE = 2,
  READ_BACK = 4, /* its own results */
  MOST_PAGES = SPAN / BASE_PAGE,
  MOST_APART = 4, /* pages of an argument, each of which the kernel may need */
  MOST_FAULTS = 60, /* of a page, and then it stays open */
  WIDEST = 32       /* bytes of a vector */
};

/* What one call did, in memory shared with the process that made it. */
struct observed {
  int finished, died, error;
  long result;
  unsigned char pages[MOST_PAGES]; /* of the watched argument, from its end */
  unsigned sums[MOST_ARGUMENTS][MOST_PAGES];
  unsigned char changed[MOST_ARGUMENTS][MOST_PAGES];
};

static int oracle_row; /* the number of the row */
/* The next rows are called in this process: what they need is not inherited. */
static int same_process;

HIDDEN static int pages_of(const struct argument *a) {
  return a->kind == MEMORY ? (int)((a->bytes + BASE_PAGE - 1) / BASE_PAGE) : 0;
}
HIDDEN static char *page_at(int argument, int page) {
  return end_of(argument) - (page + 1L) * BASE_PAGE;
}

HIDDEN static void place_all(const struct argument *a, int count) {
  if (refresh)
    refresh();
  for (int i = 0; i < count; ++i)
    if (a[i].kind == MEMORY)
      place(&a[i], i);
}

#if CALL_ORACLE == 1

/* The argument whose pages fault, and its rights. */
static int watched = -1, watched_rights;
static struct observed *seen_by;
static char *open_pages[MOST_PAGES];
static int open_count;
/* The bytes that the call has changed. libc may read its own results. */
static unsigned char written[MOST_PAGES][BASE_PAGE], was[MOST_PAGES][BASE_PAGE];
static int faults_of[MOST_PAGES];

/* Whether the instruction that faulted with a write reads the same memory. */
static int reads_too(const unsigned char *p) {
  int wide = 0;
  for (;; ++p) {
    if (*p == 0x62 || *p == 0xc4 || *p == 0xc5)
      return 0; /* vectors are stored */
    if (*p != 0x66 && *p != 0xf2 && *p != 0xf3 && *p != 0xf0 && *p != 0x2e &&
        *p != 0x36 && *p != 0x3e && *p != 0x26 && *p != 0x64 && *p != 0x65 &&
        (*p & 0xf0) != 0x40)
      break;
  }
  if (*p == 0x0f)
    wide = 1, ++p;
  static const unsigned char stores[] = {0x88, 0x89, 0x8c, 0x8f, 0xa2, 0xa3,
                                         0xa4, 0xa5, 0xaa, 0xab, 0xc6, 0xc7,
                                         0xd9, 0xdb, 0xdd, 0xdf, 0xe8, 0xff};
  static const unsigned char wide_stores[] = {
      0x11, 0x13, 0x17, 0x29, 0x2b, 0x7e, 0x7f, 0xd6, 0xe7, 0xc3,
      0xae, 0x38, 0x90, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97,
      0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f};
  if (!wide && *p == 0xff && (p[1] >> 3 & 7) < 2)
    return 1; /* inc, dec */
  return wide ? !memchr(wide_stores, *p, sizeof wide_stores)
              : !memchr(stores, *p, sizeof stores);
}

static void on_access(int number, siginfo_t *info, void *context) {
  const int error = errno;
  greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
  char *const p = info->si_addr;
  char *page = (char *)((uintptr_t)p & -(uintptr_t)BASE_PAGE);
  if (watched < 0 || page < end_of(watched) - SPAN || page >= end_of(watched) ||
      open_count == MOST_PAGES)
    crash(number);
  const int writes = r[REG_ERR] >> 1 & 1;
  const int index = (int)((end_of(watched) - page) / BASE_PAGE) - 1;
  /* A vector may begin before what it is loaded for. */
  const size_t at = (uintptr_t)p % BASE_PAGE;
  const size_t width = BASE_PAGE - at < WIDEST ? BASE_PAGE - at : WIDEST;
  if (!writes || reads_too((unsigned char *)r[REG_RIP]))
    seen_by->pages[index] |=
        memchr(&written[index][at], 1, width) ? READ_BACK : USER_READ;
  if (writes)
    seen_by->pages[index] |= USER_WROTE;
  mprotect(page, BASE_PAGE, PROT_READ | PROT_WRITE);
  memcpy(was[index], page, BASE_PAGE);
  if (++faults_of[index] < MOST_FAULTS) {
    open_pages[open_count++] = page;
    r[REG_EFL] |= 0x100; /* one instruction */
  }
  errno = error;
}
static void after_access(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  const int error = errno;
  while (open_count) {
    char *const page = open_pages[--open_count];
    const int index = (int)((end_of(watched) - page) / BASE_PAGE) - 1;
    const int known = seen_by->pages[index];
    for (int i = 0; i < BASE_PAGE; ++i)
      written[index][i] |= was[index][i] != (unsigned char)page[i];
    if ((known & (USER_READ | USER_WROTE)) != (USER_READ | USER_WROTE))
      mprotect(page, BASE_PAGE, known & USER_READ ? PROT_READ : watched_rights);
  }
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100L;
  errno = error;
}

/* Makes the call in a process of its own. `watch` is -1 or an argument, of
 * which all pages have these rights, or one. */
static void observe(struct observed *o, char kind, void *function,
                    const struct argument *a, int count, int watch, int page,
                    int rights) {
  memset(o, 0, sizeof *o);
  fflush(NULL);
  const pid_t child = same_process ? 0 : fork();
  if (child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      ;
    if (!o->finished)
      o->died = WIFSIGNALED(status) ? WTERMSIG(status) : 99;
    return;
  }
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  action.sa_sigaction = on_access;
  sigaction(SIGSEGV, &action, NULL);
  action.sa_sigaction = after_access;
  sigaction(SIGTRAP, &action, NULL);
  place_all(a, count);
  unsigned before[MOST_ARGUMENTS][MOST_PAGES];
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < pages_of(&a[i]); ++k)
      before[i][k] = sum_of(page_at(i, k), BASE_PAGE);
  seen_by = o, watched = watch, watched_rights = rights;
  if (watch >= 0)
    mprotect(page < 0 ? end_of(watch) - SPAN : page_at(watch, page),
             page < 0 ? SPAN : BASE_PAGE, rights);
  const struct call_end end = make_call(kind, function, a, count, -1, GOOD);
  o->died = end.ended, o->result = end.result, o->error = end.error;
  if (watch >= 0)
    mprotect(end_of(watch) - SPAN, SPAN, PROT_READ | PROT_WRITE);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < pages_of(&a[i]); ++k) {
      o->sums[i][k] = sum_of(page_at(i, k), BASE_PAGE);
      o->changed[i][k] = o->sums[i][k] != before[i][k];
    }
  o->finished = 1;
  if (!same_process)
    _exit(0);
  memset(faults_of, 0, sizeof faults_of);
  memset(written, 0, sizeof written);
  watched = -1, open_count = 0;
}

static long comparable(char kind, long result) {
  return kind == 'i' || kind == 'e' ? (int)result
         : kind == 'l'              ? result
         : kind == 's'              ? ((int)result > 0) - ((int)result < 0)
         : kind == 'p'              ? !!result
         : kind == 'f'              ? (int)result < 0
                                    : 0;
}
/* How a call has ended, in a word. */
static const char *outcome_of(char kind, long result) {
  const int failed = kind == 'i'   ? (int)result == -1
                     : kind == 'l' ? result == -1
                     : kind == 'e' ? (int)result != 0
                     : kind == 'p' ? result == 0
                     : kind == 'f' ? (int)result < 0
                                   : 0;
  return outcome ? outcome : failed ? "failure" : "success";
}
static int ends_alike(const struct observed *a, const struct observed *b,
                      const struct argument *arguments, int count, char kind) {
  if (a->died != b->died ||
      comparable(kind, a->result) != comparable(kind, b->result) ||
      (a->error == EFAULT) != (b->error == EFAULT))
    return 0;
  for (int i = 0; i < count; ++i)
    for (int page = 0; page < pages_of(&arguments[i]); ++page)
      if (arguments[i].opaque ? a->changed[i][page] != b->changed[i][page]
                              : a->sums[i][page] != b->sums[i][page])
        return 0;
  return 1;
}

static void observe_row(const char *name, char kind, void *function,
                        const struct argument *a, int count) {
  static struct observed *normal, *closed, *read_only;
  if (!normal) {
    normal = mmap(NULL, 3 * sizeof *normal, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    closed = normal + 1, read_only = normal + 2;
  }
  observe(normal, kind, function, a, count, -1, -1, 0);
  fprintf(said, "%d %s result %d %ld errno %d %s\n", oracle_row, name,
          normal->died,
          kind == 'p' || kind == 'v' ? 0 : comparable(kind, normal->result),
          normal->error,
          is_death(normal->died) ? "death"
          : normal->died         ? "gone"
                                 : outcome_of(kind, normal->result));
  for (int i = 0; i < count; ++i) {
    if (!pages_of(&a[i]))
      continue;
    observe(closed, kind, function, a, count, i, -1, PROT_NONE);
    int kernel = !ends_alike(normal, closed, a, count, kind);
    if (kernel)
      observe(read_only, kind, function, a, count, i, -1, PROT_READ);
    int kernel_writes =
        kernel && !ends_alike(normal, read_only, a, count, kind);
    const int apart =
        kernel && pages_of(&a[i]) > 1 && pages_of(&a[i]) <= MOST_APART;
    const int died = is_death(closed->died) && !kernel_writes;
    unsigned char accesses[MOST_PAGES];
    memcpy(accesses, closed->pages, sizeof accesses);
    for (int page = 0; page < pages_of(&a[i]); ++page) {
      if (apart) {
        observe(closed, kind, function, a, count, i, page, PROT_NONE);
        kernel = !ends_alike(normal, closed, a, count, kind);
        observe(read_only, kind, function, a, count, i, page, PROT_READ);
        kernel_writes =
            kernel && !ends_alike(normal, read_only, a, count, kind);
        accesses[page] |= closed->pages[page];
      }
      /* libc may look at an argument because the kernel has refused it. */
      const int user = accesses[page] & ~(kernel_writes ? USER_READ : 0);
      const int changed = normal->changed[i][page];
      fprintf(said, "%d %s %d %d %s%s%s%s%s%s%s\n", oracle_row, name, i, page,
              user & USER_READ ? "r" : "", user & READ_BACK ? "b" : "",
              user & USER_WROTE ? "w" : "", changed ? "c" : "",
              kernel ? "k" : "", kernel_writes ? "K" : "",
              is_death(normal->died) || (died && !kernel_writes && !changed) ||
                      (normal->error == EFAULT && !user && !changed)
                  ? "?"
                  : "");
    }
  }
  if (same_process)
    return;
  place_all(a, count);
  /* Each row is called once as it is: later rows go on from there. */
  clean_after(make_call(kind, function, a, count, -1, GOOD));
}

#else /* CALL_ORACLE == 2 */

static void observe_row(const char *name, char kind, void *function,
                        const struct argument *a, int count) {
  place_all(a, count);
  if (pagetide_period_end() < 0)
    abort();
  const struct call_end end = make_call(kind, function, a, count, -1, GOOD);
  const long result = end.result;
  long shown = 0;
  if (kind == 'i' || kind == 'e')
    shown = (int)result;
  if (kind == 'l')
    shown = result;
  if (kind == 's')
    shown = ((int)result > 0) - ((int)result < 0);
  if (kind == 'f')
    shown = (int)result < 0;
  fprintf(said, "%d %s result %d %ld\n", oracle_row, name, end.ended, shown);
  for (int i = 0; i < count; ++i)
    for (int page = 0; page < pages_of(&a[i]); ++page) {
      const int marks = pagetide_query(page_at(i, page), 1);
      fprintf(said, "%d %s %d %d %s%s%s%s\n", oracle_row, name, i, page,
              marks & PAGETIDE_READ ? "r" : "",
              marks & PAGETIDE_WRITTEN ? "w" : "",
              marks & PAGETIDE_MAY_READ ? "m" : "",
              marks & PAGETIDE_MAY_WRITTEN ? "n" : "");
    }
  clean_after(end);
}

#endif
