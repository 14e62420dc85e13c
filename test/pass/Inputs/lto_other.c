// The other file of the LTO tests.

int other(int *p) {
  p[3] = 6;
  return p[3] + p[1];
}
