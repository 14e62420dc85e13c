/*===- several_views.c - Pages that are written by another address
 *----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A page may be written without a mark at its address: at another address of
// this process, by another process, or by a call of another process. Then no
// checksum is called stable that is of no content which the page had. The list
// of mappings is read once, when recording begins: the program's calls tell
// what has been mapped since.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %build_c -O1 %s %support/reference_hash.c -o views
// RUN: %plain_c -O1 %e2e/Inputs/fills_file.c -o fills_file
// DEFINE: %{policy} =
// DEFINE: %{checksum} = written
// DEFINE: %{views} =
// DEFINE: %{check} = for how in %{views}; do rm -f trace* && \
// DEFINE:   echo "$how %{policy}" && \
// DEFINE:   PAGETIDE_OPTIONS=mappings=1h:settle_wait=1ms %pagetide record \
// DEFINE:     -p 3ms --checksum %{checksum} --unstable %{policy} -o trace \
// DEFINE:     -- ./views $how > known && \
// DEFINE:   %pagetide export --format csv trace > sets && \
// DEFINE:   %python %e2e/Inputs/only_known_contents.py known sets || \
// DEFINE:     exit 1; done
//
// REDEFINE: %{policy} = flag
// REDEFINE: %{views} = memfd file shm_open shmat mremap moved
// RUN: %{check}
// REDEFINE: %{views} = child process write
// RUN: %{check}
// REDEFINE: %{policy} = rehash
// REDEFINE: %{views} = shmat moved child process write
// RUN: %{check}
// While its threads stand, only other processes write.
// REDEFINE: %{policy} = stop
// REDEFINE: %{views} = child process write
// RUN: %{check}
// REDEFINE: %{policy} = cut
// RUN: %{check}
// A private page of a file that the program has not written yet.
// REDEFINE: %{checksum} = accessed
// REDEFINE: %{policy} = flag
// REDEFINE: %{views} = private
// RUN: %{check}
// REDEFINE: %{policy} = rehash
// RUN: %{check}

#include "known_sets.h"
#include "reference_hash.h"

#include <pthread.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <time.h>

enum { WORDS = PAGE / 8, LAST = WORDS - 1 };

static volatile uint64_t *page, *view, *own, *copied;
static const char *how;
static int stop_filling;

static int is(const char *name) { return strcmp(how, name) == 0; }

/* Writes all words but the last, with the values of fills_file.c. */
static void *fill(void *unused) {
  for (uint64_t value = 1; !__atomic_load_n(&stop_filling, __ATOMIC_RELAXED);
       value = value % 3 + 1)
    for (int i = 0; i < LAST; ++i)
      view[i] = value;
  return unused;
}

static volatile uint64_t *map(int flags, int fd) {
  void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, flags, fd, 0);
  require(p != MAP_FAILED);
  return p;
}

/* Maps a file as `page`, and once more as `view`. */
static void map_twice(int fd) {
  require(fd >= 0 && ftruncate(fd, PAGE) == 0);
  page = map(is("private") ? MAP_PRIVATE : MAP_SHARED, fd);
  view = map(MAP_SHARED, fd);
  if (is("private")) /* a copy: what is written elsewhere is not seen here */
    copied = map(MAP_PRIVATE, fd);
  close(fd);
}

static int open_file(void) { return open("mapped", O_RDWR | O_CREAT, 0600); }

static void map_views(void) {
  if (is("memfd") || is("private")) {
    map_twice(memfd_create("views", 0));
  } else if (is("file")) {
    map_twice(open_file());
  } else if (is("shm_open")) {
    char name[64];
    snprintf(name, sizeof name, "/pagetide-views-%d", (int)getpid());
    map_twice(shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600));
    shm_unlink(name);
  } else if (is("shmat")) {
    int id = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
    require(id >= 0);
    page = shmat(id, NULL, 0), view = shmat(id, NULL, 0);
    shmctl(id, IPC_RMID, NULL);
    require(page != (void *)-1 && view != (void *)-1);
  } else if (is("mremap")) {
    view = map(MAP_SHARED | MAP_ANONYMOUS, -1);
    page = mremap((void *)view, 0, PAGE, MREMAP_MAYMOVE);
    require(page != MAP_FAILED && page != view);
  } else if (is("moved")) {
    map_twice(memfd_create("views", 0));
    void *target = map_arena(0, PAGE);
    page =
        mremap((void *)page, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, target);
    require(page == target);
  } else if (is("child")) {
    page = view = map(MAP_SHARED | MAP_ANONYMOUS, -1);
  } else {
    map_twice(open_file());
  }
}

static pid_t start_process(void) {
  pid_t child = fork();
  require(child >= 0);
  if (child)
    return child;
  if (is("child"))
    fill(NULL);
  execl("./fills_file", "fills_file", "mapped", is("write") ? "write" : "map",
        (char *)NULL);
  _exit(1);
}

static void print_known(const char *name, volatile uint64_t *address,
                        uint64_t first, uint64_t end, uint64_t last) {
  static uint64_t content[WORDS];
  printf("%s %p", name, (void *)address);
  for (uint64_t value = first; value < end; ++value) {
    for (int i = 0; i < LAST; ++i)
      content[i] = value;
    content[LAST] = last;
    printf(" %#llx", (unsigned long long)reference_hash(content, PAGE));
  }
  printf("\n");
}

static void look(volatile uint64_t *at) {
  uint64_t value = at[LAST];
  OPAQUE(value);
}

static uint64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int main(int argc, char **argv) {
  require(argc == 2);
  how = argv[1];
  map_views();
  const int only_reads = is("private");
  own = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
  for (int i = 0; i < WORDS; ++i)
    own[i] = 5;
  print_known("certain", own, 5, 6, 5);
  print_known("written-elsewhere", page, 0, 4, only_reads ? 0 : 7);
  if (copied != NULL) {
    for (int i = 0; i < WORDS; ++i)
      copied[i] = 6;
    print_known("certain", copied, 6, 7, 6);
  }
  fflush(stdout);
  const int by_process = is("child") || is("process") || is("write");
  pthread_t thread;
  pid_t child = 0;
  if (!only_reads)
    page[LAST] = 7;
  if (by_process)
    child = start_process();
  else
    require(pthread_create(&thread, NULL, fill, NULL) == 0);
  for (uint64_t end = now_ms() + 400; now_ms() < end; usleep(500)) {
    own[LAST] = 5;
    if (only_reads)
      look(page), look(copied);
    else
      page[LAST] = 7;
  }
  if (by_process) {
    require(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
  } else {
    __atomic_store_n(&stop_filling, 1, __ATOMIC_RELAXED);
    require(pthread_join(thread, NULL) == 0);
  }
  return 0;
}
