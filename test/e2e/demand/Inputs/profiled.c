/* Calls one function a thousand times. */

static volatile char page[4096];

__attribute__((noinline)) int counted(int n) {
  for (int i = 0; i < 100000; i++)
    page[i % sizeof page] += (char)n;
  return page[n % sizeof page];
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 1000; i++)
    sum += counted(i);
  return sum == -1;
}
