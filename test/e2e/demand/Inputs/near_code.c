/* Called by far_data.c. */
struct row {
  long cell[8];
};
static int touched[4096];

long sum(struct row r) {
  long result = 0;
  for (int i = 0; i < 8; ++i) {
    result += r.cell[i];
    touched[i * 512] = 1;
  }
  return result;
}

long apply(long (*function)(struct row), long first) {
  struct row r;
  for (int i = 0; i < 8; ++i)
    r.cell[i] = first + i;
  return function(r);
}
