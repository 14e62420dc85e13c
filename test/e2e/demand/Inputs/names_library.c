/* A library with a function that calls back, with an argument on the stack. */
struct row {
  long cell[4];
};
static int calls[64];

__attribute__((noinline)) void call_with(void (*function)(int), struct row r) {
  function((int)r.cell[1]);
  ++calls[r.cell[1]];
}

void call_back(void (*function)(int), int n) {
  struct row r = {{0, n}};
  call_with(function, r);
  ++calls[n];
}
