/* Says which functions its frames belong to, as crash handlers do: in main's
 * thread, in a library's function, in one without an exported name, and in a
 * signal handler. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void call_back(void (*function)(int), int n);

int touched[4096];

__attribute__((noinline)) void say(const char *what, const char *name) {
  printf("%s: %s\n", what, name ? name : "no name");
  fflush(stdout);
}

__attribute__((noinline)) void show(int n) {
  void *frames[64];
  Dl_info info;
  const ElfW(Sym) *symbol = NULL;
  memset(frames, 0, sizeof frames);
  if (dladdr(__builtin_return_address(0), &info))
    say("caller", info.dli_sname);
  if (dladdr1(__builtin_return_address(0), &info, (void **)&symbol,
              RTLD_DL_SYMENT))
    say("caller's symbol", symbol ? "has one" : NULL);
  if (info.dli_sname)
    say("is where dlsym finds it",
        dlsym(RTLD_DEFAULT, info.dli_sname) == info.dli_saddr ? "yes" : "no");
  int count = backtrace(frames, 64);
  printf("%d frames\n", count);
  for (int room = 1; room <= count; ++room) {
    void *few[64];
    few[room] = few;
    int got = backtrace(few, room);
    if (got != room || few[room] != few ||
        memcmp(few + 1, frames + 1, (size_t)(got - 1) * sizeof *few) != 0)
      printf("with room for %d: %d frames, other ones\n", room, got);
  }
  char **lines = backtrace_symbols(frames, count);
  for (int i = 0; i < count; ++i)
    puts(lines[i]);
  free(lines);
  fflush(stdout);
  backtrace_symbols_fd(frames, count, STDOUT_FILENO);
  touched[n & 4095] += count;
}

__attribute__((noinline)) static void has_no_name(int n) {
  show(n + 1);
  ++touched[n];
}

__attribute__((noinline)) void exported(int n) {
  has_no_name(n);
  show(n);
  ++touched[n];
}

static void on_signal(int number) {
  show(number);
  ++touched[number];
}

int main(void) {
  exported(1);
  call_back(exported, 2);
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  Dl_info info;
  if (dladdr((void *)exported, &info))
    say("pointer", info.dli_sname);
  return touched[1] == 0;
}
