/* Three gigabytes of data, of which two pages are used. The functions of the other
 * file are called through pointers, with arguments on the stack. */
#include <stdio.h>

struct row {
  long cell[8];
};
long sum(struct row r);
long apply(long (*function)(struct row), long first);

static char far[3UL << 30];

int main(int count, char **words) {
  (void)words;
  far[count * 4096UL] = 1;
  far[(2UL << 30) + count] = 2;
  printf("%d %ld\n", far[4096] + far[(2UL << 30) + 1], apply(sum, count));
  return 0;
}
