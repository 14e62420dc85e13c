// 1001 characters, one at a time: where push_back is compiled is the question.
#include <cstdio>
#include <string>

int main(int argc, char **) {
  std::string s;
  for (int i = 0; i < 1000 + argc; ++i)
    s.push_back(char(i));
  std::printf("%d\n", int(s.size()));
}
