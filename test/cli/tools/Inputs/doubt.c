/* Of these pages precision near can tell that the second is written. An object
 * lies across the end of the fourth: that it is written is known, but not on
 * which page. Another lies across the end of the seventh, which is read for
 * certain. */

#include <sys/mman.h>

struct object {
  long fields[16];
};

static char *const pages = (char *)0x100000000000;

/* Two fields of an object by one mark. */
__attribute__((noinline)) static void write_two(struct object *o) {
  o->fields[0] = 1;
  o->fields[3] = 2;
}

int main(void) {
  if (mmap(pages, 8 * 4096, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != pages)
    return 1;
  write_two((struct object *)(pages + 4096));
  write_two((struct object *)(pages + 4 * 4096 - 64));
  (void)*(volatile long *)(pages + 6 * 4096);
  write_two((struct object *)(pages + 7 * 4096 - 64));
  return 0;
}
