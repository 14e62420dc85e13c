// Reads 100 pages and writes 50 others again and again: 30 by the first thread,
// 20 by a second one. Prints its number. Runs until its standard input ends, and
// then calls exec if it has an argument.

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kRead = 100, kMine = 30, kTheirs = 20, kPage = 4096 };

static char *const pages = (char *)0x100000000000;
static atomic_int over;

static void write_pages(int first, int count) {
  for (int i = first; i < first + count; ++i)
    pages[i * kPage] = 1;
}

static void *work(void *unused) {
  while (!over) {
    write_pages(kRead + kMine, kTheirs);
    usleep(1000);
  }
  return unused;
}

int main(int argc, char **argv) {
  const size_t bytes = (size_t)(kRead + kMine + kTheirs) * kPage;
  if (mmap(pages, bytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
           0) == MAP_FAILED)
    return 3;
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, NULL) != 0)
    return 3;
  struct pollfd input = {STDIN_FILENO, POLLIN, 0};
  volatile char sum = 0;
  printf("%d\n", getpid());
  fflush(stdout);
  while (poll(&input, 1, 1) == 0) {
    for (int i = 0; i < kRead; ++i)
      sum += pages[i * kPage];
    write_pages(kRead, kMine);
  }
  over = 1;
  pthread_join(thread, NULL);
  if (argc > 1)
    execlp(argv[1], argv[1], (char *)NULL);
  return 0;
}
