#include <stdio.h>

int squares[4096];
int sum_of_neighbours(const int *from);

int main(void) {
  for (int i = 0; i < 4096; ++i)
    squares[i] = i * i % 1000;
  printf("%d\n", sum_of_neighbours(squares));
  return 0;
}
