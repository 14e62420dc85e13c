// Needs the C++ library.
#include <iostream>
#include <string>

int main() {
  std::string greeting = "hello from C++";
  std::cout << greeting << '\n';
}
