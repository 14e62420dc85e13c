static volatile int kept[4096];

int sum_of_neighbours(const int *from) {
  int sum = 0;
  for (int i = 0; i < 4096; ++i) {
    kept[i] = from[i ^ 1];
    sum += kept[i] % 7;
  }
  return sum;
}
