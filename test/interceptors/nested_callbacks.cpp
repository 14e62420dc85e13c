//===- nested_callbacks.cpp - libc's functions that call the program ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each of libc's functions that take a function of the program is called,
// called again by that function, left by longjmp, and left by an exception. The
// program prints what it sees, which has to be what it sees natively.
// Afterwards the runtime's knowledge of calls under way is whole: the recording
// ends well.
//
//===----------------------------------------------------------------------===//

// RUN: rm -rf %t.d; mkdir -p %t.d/a/b; cd %t.d; touch a/x a/y a/b/z
// RUN: %plain_cxx -O1 %s -o %t.plain
// RUN: %t.plain > %t.natively
// RUN: %build_cxx -O1 %s -o %t
// RUN: %t > %t.unrecorded
// RUN: diff %t.natively %t.unrecorded
// RUN: %pagetide record -p 0 -o %t.run -- %t > %t.recorded
// RUN: diff %t.natively %t.recorded
// RUN: FileCheck %s --input-file=%t.natively

// CHECK: scandir: nested {{.*}} calls
// CHECK: scandir: left by longjmp
// CHECK: scandir: left by an exception

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <argp.h>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <link.h>
#include <mutex>
#include <printf.h>
#include <pthread.h>
#include <search.h>
#include <sys/stat.h>
#include <threads.h>
#include <ucontext.h>
#include <unistd.h>

enum How { kNested, kJump, kThrow };
static How how;
static int depth, calls;
static jmp_buf target;
static void (*again)();
struct Left {};

/// What each function of the program does: calls again, or leaves.
static void act() {
  ++calls;
  if (how == kJump)
    longjmp(target, 1);
  if (how == kThrow)
    throw Left();
  if (depth < 3) {
    ++depth;
    again();
    --depth;
  }
}

static int compareInts(const void *a, const void *b) {
  act();
  return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}
static int compareWith(const void *a, const void *b, void *) {
  return compareInts(a, b);
}
static const int wanted = 2;

static void callQsort() {
  int values[] = {3, 1, 2};
  qsort(values, 3, sizeof(int), compareInts);
}
static void callQsortR() {
  int values[] = {3, 1, 2};
  qsort_r(values, 3, sizeof(int), compareWith, nullptr);
}
static void callBsearch() {
  const int values[] = {1, 2, 3};
  bsearch(&wanted, values, 3, sizeof(int), compareInts);
}
static void callLsearch() {
  int values[4] = {1, 3, 4};
  size_t count = 3;
  lsearch(&wanted, values, &count, sizeof(int), compareInts);
}
static void callLfind() {
  const int values[] = {1, 3};
  size_t count = 2;
  lfind(&wanted, values, &count, sizeof(int), compareInts);
}
static void callTsearch() {
  static const int values[] = {1, 2, 3};
  void *root = nullptr;
  const How before = how;
  how = kNested, depth += 3; // only build the tree
  for (const int &value : values)
    tsearch(&value, &root, compareInts);
  how = before, depth -= 3;
  tfind(&wanted, &root, compareInts);
  tsearch(&wanted, &root, compareInts);
  tdelete(&wanted, &root, compareInts);
}
static void onNode(const void *, VISIT, int) { act(); }
static void callTwalk() {
  static const int value = 1;
  void *root = nullptr;
  const How before = how;
  how = kNested, depth += 3;
  tsearch(&value, &root, compareInts);
  how = before, depth -= 3;
  twalk(root, onNode);
}
static int takeAll(const dirent *) {
  act();
  return 1;
}
static int compareNames(const dirent **a, const dirent **b) {
  act();
  return strcmp((*a)->d_name, (*b)->d_name);
}
static void callScandir() {
  dirent **list;
  const int n = scandir("a", &list, takeAll, nullptr);
  printf(" %d", n);
}
static void callScandirSorted() {
  dirent **list;
  const int n = scandir("a", &list, nullptr, compareNames);
  printf(" %d %s", n, list[2]->d_name);
}
static void callScandirat() {
  dirent **list;
  printf(" %d", scandirat(AT_FDCWD, "a", &list, takeAll, nullptr));
}
static int takeAll64(const dirent64 *) {
  act();
  return 1;
}
static void callScandir64() {
  dirent64 **list;
  printf(" %d", scandir64("a", &list, takeAll64, nullptr));
}
static void *openFolder(const char *name) {
  act();
  return opendir(name);
}
static dirent *readFolder(void *folder) {
  return readdir(static_cast<DIR *>(folder));
}
static void closeFolder(void *folder) { closedir(static_cast<DIR *>(folder)); }
static void callGlob() {
  glob_t found = {};
  found.gl_opendir = openFolder;
  found.gl_readdir = readFolder;
  found.gl_closedir = closeFolder;
  found.gl_stat = stat;
  found.gl_lstat = lstat;
  const int error = glob("a/*", GLOB_ALTDIRFUNC, nullptr, &found);
  printf(" %d %zu", error, found.gl_pathc);
}
static int onGlobError(const char *, int) {
  act();
  return 0;
}
static void callGlobError() {
  glob_t found = {};
  printf(" %d", glob("a/x/*", 0, onGlobError, &found));
}
static int onFile(const char *, const struct stat *, int, FTW *) {
  act();
  return 0;
}
static void callNftw() { printf(" %d", nftw("a", onFile, 5, FTW_PHYS)); }
static int onAnyFile(const char *, const struct stat *, int) {
  act();
  return 0;
}
static void callFtw() { printf(" %d", ftw("a", onAnyFile, 5)); }
static int compareEntries(const FTSENT **a, const FTSENT **b) {
  act();
  return strcmp((*a)->fts_name, (*b)->fts_name);
}
static void callFts() {
  char name[] = "a";
  char *names[] = {name, nullptr};
  FTS *fts = fts_open(names, FTS_PHYSICAL | FTS_NOCHDIR, compareEntries);
  int n = 0;
  while (fts_read(fts))
    ++n;
  fts_close(fts);
  printf(" %d", n);
}
static int onObject(dl_phdr_info *, size_t, void *) {
  act();
  return 1;
}
static void callDlIterate() { dl_iterate_phdr(onObject, nullptr); }
static pthread_once_t onces[4];
static void callOnce() {
  onces[depth] = PTHREAD_ONCE_INIT;
  pthread_once(&onces[depth], act);
}
static std::once_flag flags[3][4];
static void callStdOnce() { std::call_once(flags[how][depth], act); }
static void onSignal(int) { act(); }
static void callSignal() {
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_NODEFER;
  sigaction(SIGUSR1, &action, nullptr);
  raise(SIGUSR1);
}
static ssize_t writeCookie(void *, const char *, size_t n) {
  act();
  return static_cast<ssize_t>(n);
}
static void callCookie() {
  FILE *f = fopencookie(nullptr, "w", {nullptr, writeCookie, nullptr, nullptr});
  setvbuf(f, nullptr, _IONBF, 0);
  printf(" %d", fputs("text", f));
}
static error_t onOption(int, char *, argp_state *) {
  act();
  return 0;
}
static void callArgp() {
  const argp parser = {nullptr, onOption, nullptr, nullptr,
                       nullptr, nullptr,  nullptr};
  char name[] = "name", word[] = "word";
  char *arguments[] = {name, word, nullptr};
  printf(" %d",
         argp_parse(&parser, 2, arguments, ARGP_NO_EXIT, nullptr, nullptr));
}
static ucontext_t caller[4], called[4];
static char stacks[4][65536];
static void callContext() {
  const int here = depth;
  getcontext(&called[here]);
  called[here].uc_stack.ss_sp = stacks[here];
  called[here].uc_stack.ss_size = sizeof stacks[here];
  called[here].uc_link = &caller[here];
  makecontext(&called[here], act, 0);
  swapcontext(&caller[here], &called[here]);
}
static int printOwn(FILE *f, const printf_info *, const void *const *) {
  act();
  return fputs("own", f);
}
static int ownArguments(const printf_info *, size_t, int *, int *) { return 0; }
static void callPrintf() {
  static const char *volatile format = "%Y";
  char text[20];
#pragma clang diagnostic ignored "-Wformat-security"
  const int n = snprintf(text, sizeof text, format);
  printf(" %d", n);
}

struct Row {
  const char *name;
  void (*call)();
  bool jumps, throws; ///< libc allows it, without a lock that stays held
};
static const Row rows[] = {
    {"qsort", callQsort, true, true},
    {"qsort_r", callQsortR, true, true},
    {"bsearch", callBsearch, true, true},
    {"lsearch", callLsearch, true, true},
    {"lfind", callLfind, true, true},
    {"tsearch", callTsearch, true, true},
    {"twalk", callTwalk, true, true},
    {"scandir", callScandir, true, true},
    {"scandir, sorted", callScandirSorted, true, false},
    {"scandirat", callScandirat, true, true},
    {"scandir64", callScandir64, true, true},
    {"glob", callGlob, true, true},
    {"glob, errors", callGlobError, true, true},
    {"nftw", callNftw, true, true},
    {"ftw", callFtw, true, true},
    {"fts_open", callFts, true, true},
    {"dl_iterate_phdr", callDlIterate, false, true},
    {"pthread_once", callOnce, false, true},
    {"std::call_once", callStdOnce, false, true},
    {"signal", callSignal, true, false},
    {"fopencookie", callCookie, false, false},
    {"argp_parse", callArgp, true, true},
    {"makecontext", callContext, false, false},
    {"printf", callPrintf, false, false},
};

int main() {
  register_printf_specifier('Y', printOwn, ownArguments);
  for (const Row &row : rows) {
    again = row.call;
    how = kNested, depth = 0, calls = 0;
    printf("%s: nested", row.name);
    row.call();
    printf(" %d calls\n", calls);
    for (int times = 0; row.jumps && times < 3; ++times) {
      how = kJump;
      if (!setjmp(target))
        row.call();
      else
        printf("%s: left by longjmp\n", row.name);
    }
    for (int times = 0; row.throws && times < 3; ++times) {
      how = kThrow;
      try {
        row.call();
        printf("%s: not left\n", row.name);
      } catch (const Left &) {
        printf("%s: left by an exception\n", row.name);
      }
    }
    how = kNested, depth = 0;
    row.call();
    puts("");
  }
  return 0;
}
