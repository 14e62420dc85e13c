/*===- memory_calls.c - What a program does with its memory ---------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// memory_calls SEED STEPS [FOLDER KERNEL_WRITES]: calls at random, by a seed,
// and what each gave: its error, and what the memory then holds. A run prints
// the same whoever watches the memory. All of it is at addresses where the
// kernel puts nothing by itself.
//
// With CHECKPOINTS it also saves parts of what it maps.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef CHECKPOINTS
#include <pagetide/checkpoint.h>
static pagetide_checkpoint *checkpoint;
#endif

enum { kPage = 4096, kZonePages = 256, kZoneBytes = kZonePages * kPage };
enum { kCollapse = 25 }; /* MADV_COLLAPSE, since Linux 6.1 */
// Far from where the kernel puts mappings by itself.
static char *const zone = (char *)0x200000000000;
static uint64_t state;
static int file, kernel_moves_many;
static sigjmp_buf back;

static unsigned below(unsigned bound) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % bound;
}
static void on_fault(int number) { siglongjmp(back, number); }
static int touch(volatile char *p, int write) {
  int fault = sigsetjmp(back, 1);
  if (!fault) {
    if (write)
      *p = (char)write;
    else
      (void)*p;
  }
  return fault;
}
static uint64_t hash_of(const char *p, size_t bytes) {
  uint64_t hash = 1;
  for (size_t at = 0; at < bytes; at += kPage) {
    static uint64_t words[kPage / 8];
    struct iovec to = {words, kPage}, from = {(void *)(p + at), kPage};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != kPage)
      hash = hash * 31 + 7;
    else
      for (int i = 0; i < kPage / 8; ++i)
        hash = (hash ^ words[i]) * 0x100000001b3u;
  }
  return hash;
}
static void say(const char *what, int result, const char *p, size_t bytes) {
  int error = errno;
  printf("%s: %s, %lx\n", what, result ? strerror(error) : "ok",
         (long)hash_of(p, bytes));
}
static void look(void) {
  if (!below(3))
    usleep(3000);
}
static void fill(char *p, size_t bytes) {
  for (size_t at = 0; at < bytes; at += kPage)
    if (below(4))
      touch(p + at + below(kPage), 1 + (int)below(100));
}
static void say_move(const char *what, char *p, char *to, size_t bytes) {
  if (to == MAP_FAILED)
    say(what, -1, p, bytes);
  else if (to >= zone && to < zone + kZoneBytes) {
    printf("at %ld ", (long)(to - zone) / kPage);
    say(what, 0, to, bytes);
  } else {
    say(what, 0, to, bytes);
    munmap(to, bytes);
  }
}

// One mapping to the kernel, which was made and used in several steps.
static char *made_in_steps(char *p, unsigned pages) {
  const size_t bytes = pages * kPage;
  const int kind = below(4);
  const int flags = MAP_FIXED | (kind == 2   ? MAP_SHARED
                                 : kind == 3 ? MAP_PRIVATE
                                             : MAP_PRIVATE | MAP_ANONYMOUS);
  const int fd = kind < 2 ? -1 : file;
  const int first_rights = kind == 1 ? PROT_NONE : PROT_READ | PROT_WRITE;
  if (mmap(p, bytes, first_rights, flags, fd, 0) != p)
    return 0;
  unsigned at = 0;
  if (kind == 1)
    for (unsigned step; at < pages; at += step) {
      step = 1 + below(pages - at);
      mprotect(p + at * kPage, step * kPage, PROT_READ | PROT_WRITE);
      fill(p + at * kPage, step * kPage);
      look();
    }
  else {
    look();
    fill(p, bytes);
    look();
    unsigned from = below(pages), n = 1 + below(pages - from);
    mmap(p + from * kPage, n * kPage, first_rights, flags, fd, from * kPage);
    fill(p + from * kPage, n * kPage);
    look();
  }
#ifdef CHECKPOINTS
  unsigned from = below(pages), n = 1 + below(pages - from);
  // A save may write to a region's first page, which gets a copy of its own.
  if (kind == 3)
    return p;
  if (pagetide_checkpoint_protect(checkpoint, 1, p + from * kPage, n * kPage) ||
      pagetide_checkpoint_save(checkpoint, 0))
    puts(pagetide_checkpoint_message());
  if (below(2))
    fill(p, bytes);
  pagetide_checkpoint_unprotect(checkpoint, 1);
#endif
  return p;
}

static void *move(void *p, size_t old, size_t bytes, int flags, void *to) {
  if (below(2))
    return (void *)syscall(SYS_mremap, p, old, bytes, (long)flags, to);
  return mremap(p, old, bytes, flags, to);
}

static void move_whole(void) {
  const unsigned pages = 2 + below(30), start = below(kZonePages / 2 - 64);
  char *p = zone + start * kPage,
       *to = zone + kZoneBytes / 2 + below(40) * kPage;
  munmap(p, 64 * kPage);
  munmap(to, 80 * kPage);
  if (!made_in_steps(p, pages))
    return say("mmap", -1, p, kPage);
  const size_t bytes = pages * kPage, more = (1 + below(20)) * kPage;
  const int in_way = below(2);
  if (in_way)
    mmap(p + bytes, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
         -1, 0);
  switch (below(8)) {
  case 0:
    say_move("grow", p, move(p, bytes, bytes + more, MREMAP_MAYMOVE, 0),
             bytes + more);
    break;
  case 1:
    say_move("grow in place", p, move(p, bytes, bytes + more, 0, 0),
             bytes + more);
    break;
  case 2:
    say_move("move", p,
             move(p, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to), bytes);
    break;
  case 3:
    say_move("move and grow", p,
             move(p, bytes, bytes + more, MREMAP_MAYMOVE | MREMAP_FIXED, to),
             bytes + more);
    break;
  case 4: {
    const size_t less = (1 + below(pages - 1)) * kPage;
    if (below(2))
      say_move("shrink", p, move(p, bytes, less, 0, 0), less);
    else
      say_move("move and shrink", p,
               move(p, bytes, less, MREMAP_MAYMOVE | MREMAP_FIXED, to), less);
    break;
  }
  case 5:
    say_move(
        "leave mapped", p,
        move(p, bytes, bytes,
             MREMAP_MAYMOVE | MREMAP_DONTUNMAP | (below(2) ? MREMAP_FIXED : 0),
             to),
        bytes);
    break;
  case 6:
    say_move("second view", p,
             move(p, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to), bytes);
    break;
  default: {
    const unsigned from = below(pages), n = 1 + below(pages - from);
    say_move("move a part", p,
             move(p + from * kPage, n * kPage, n * kPage,
                  MREMAP_MAYMOVE | MREMAP_FIXED, to),
             n * kPage);
  }
  }
  say("what is left", 0, zone, kZoneBytes);
}

static void move_anything(void) {
  const unsigned n = 1 + (kernel_moves_many ? below(40) : 0);
  char *p = zone + below(kZonePages / 2 - 40) * kPage,
       *to = zone + kZoneBytes / 2 + below(kZonePages / 2 - 40) * kPage;
  void *moved = move(
      p, n * kPage, n * kPage,
      MREMAP_MAYMOVE | MREMAP_FIXED | (below(4) ? 0 : MREMAP_DONTUNMAP), to);
  say("move anything", moved == MAP_FAILED ? -1 : 0, zone, kZoneBytes);
}

static const struct {
  int number;
  const char *name;
} advices[] = {{MADV_DONTNEED, "DONTNEED"},
               {MADV_REMOVE, "REMOVE"},
               {MADV_HUGEPAGE, "HUGEPAGE"},
               {MADV_NOHUGEPAGE, "NOHUGEPAGE"},
               {MADV_DONTFORK, "DONTFORK"},
               {MADV_DOFORK, "DOFORK"},
               {MADV_WIPEONFORK, "WIPEONFORK"},
               {MADV_KEEPONFORK, "KEEPONFORK"},
               {MADV_WILLNEED, "WILLNEED"},
               {MADV_SEQUENTIAL, "SEQUENTIAL"},
               {MADV_COLD, "COLD"},
               {MADV_PAGEOUT, "PAGEOUT"},
               {MADV_POPULATE_READ, "POPULATE_READ"},
               {MADV_POPULATE_WRITE, "POPULATE_WRITE"},
               {24, "DONTNEED_LOCKED"},
               {MADV_FREE, "FREE"},
               {kCollapse, "COLLAPSE"},
               {MADV_MERGEABLE, "MERGEABLE"}};

static void step(void) {
  const unsigned a = below(kZonePages), n = 1 + below(kZonePages - a) % 64;
  char *p = zone + a * kPage;
  const size_t bytes = n * kPage;
  static const int rights[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE,
                               PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE};
  const int right = rights[below(5)];
  look();
  switch (below(16)) {
  case 0:
  case 1:
    return say("map",
               mmap(p, bytes, right, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                    -1, 0) != p,
               p, bytes);
  case 2: {
    static const int ways[] = {MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED,
                               MAP_PRIVATE};
    return say(
        "map otherwise",
        mmap(p, bytes, right, ways[below(3)] | MAP_FIXED, file, a * kPage) != p,
        p, bytes);
  }
  case 3:
    return say("unmap", munmap(p, bytes), p, bytes);
  case 4:
    return say("protect", mprotect(p, bytes, right), p, bytes);
  case 5:
  case 6: {
    const unsigned i = below(sizeof(advices) / sizeof(*advices));
    int result = madvise(p, bytes, advices[i].number);
    if (advices[i].number == kCollapse)
      result = 0; /* a huge page may be there or not, natively too */
    if (advices[i].number == MADV_FREE)
      fill(p, bytes);
    return advices[i].number == MADV_FREE
               ? say("FREE", 0, zone, 0)
               : say(advices[i].name, result, p, bytes);
  }
  case 7:
    return say("lock", mlock(p, bytes > 8 * kPage ? 8 * kPage : bytes), p,
               bytes);
  case 8:
    return say("unlock", munlock(p, bytes), p, bytes);
  case 9:
    return move_anything();
  case 10:
  case 11:
    return move_whole();
  case 12: {
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
      fill(zone, kZoneBytes);
      say("child", 0, zone, kZoneBytes);
      fflush(stdout);
      _exit(0);
    }
    waitpid(child, 0, 0);
    return say("parent", 0, zone, kZoneBytes);
  }
  case 13: {
    static char *block;
    static size_t used;
    const size_t wanted = (1 + below(200)) * 16 * kPage;
    block = realloc(block, wanted);
    if (used < wanted)
      memset(block + used, (int)below(100), wanted - used);
    used = wanted;
    return say("realloc", 0, block, used);
  }
  case 14: {
    const int bytes = (int)below(16) * kPage;
    char *was = sbrk(bytes);
    if (bytes)
      memset(was, 1, bytes);
    if (sbrk(-bytes) != was + bytes)
      puts("the break moved");
    return say("sbrk", 0, zone, 0);
  }
  default:
    fill(p, bytes);
    return say("write", 0, p, bytes);
  }
}

static int probe(void) {
  char *p = mmap(0, 4 * kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(p, kPage, PROT_READ | PROT_WRITE);
  char *to = p + 2 * kPage;
  return mremap(p, 2 * kPage, 2 * kPage, MREMAP_MAYMOVE | MREMAP_FIXED, to) ==
         to;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  const int steps = atoi(argv[2]);
  state = strtoul(argv[1], 0, 0);
  kernel_moves_many = probe();
  file = memfd_create("data", 0);
  for (int i = 0; i < kZonePages; ++i)
    dprintf(file, "%4096d", i);
  struct sigaction action = {.sa_handler = on_fault};
  sigaction(SIGSEGV, &action, 0);
  sigaction(SIGBUS, &action, 0);
#ifdef CHECKPOINTS
  pagetide_checkpoint_config config = {
      .size = sizeof config, .folder = argv[3], .kernel_writes = atoi(argv[4])};
  if (pagetide_checkpoint_open(&config, &checkpoint))
    return puts(pagetide_checkpoint_message()), 2;
#endif
  mmap(zone, kZoneBytes, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  for (int i = 0; i < steps; ++i) {
    printf("%d ", i);
    step();
  }
}
