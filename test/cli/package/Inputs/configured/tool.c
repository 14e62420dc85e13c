#include <stdio.h>
int count_call(void);
int main(void) {
  count_call();
  printf("%s: %d\n", NAME, count_call());
  return 0;
}
