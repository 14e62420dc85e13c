#include <cstdio>

extern "C" int number(int i);
const char *add_word(const char *word);

int runs; // something to mark

int main() {
  ++runs;
  add_word("forty");
  std::printf("%s%d\n", add_word("two:"), number(42));
}
