// Functions that two copies of each could break, in C++. What is printed must not
// depend on marks.

#include <algorithm>
#include <coroutine>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
  int calls = 0;
};
struct Square : Shape {
  explicit Square(int side) : side(side) {}
  int area() const override { return side * side; }
  int side;
};
struct Twice : Square {
  using Square::Square;
  int area() const override { return 2 * Square::area(); }
};

int unwound;
struct Guard {
  ~Guard() { ++unwound; }
};
[[gnu::noinline]] int thrower(int depth) {
  Guard guard;
  if (depth == 0)
    throw std::runtime_error("thrown " + std::to_string(unwound));
  return thrower(depth - 1) + 1;
}
[[gnu::noinline]] void never_throws() noexcept {
  try {
    thrower(3);
  } catch (const std::exception &e) {
    std::printf("%s, unwound %d\n", e.what(), unwound);
  }
}

struct Generator {
  struct promise_type {
    int value = 0;
    Generator get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
};
Generator squares(int n) {
  for (int i = 0; i < n; ++i)
    co_yield i *i;
}

struct Global {
  std::vector<int> numbers{4, 2, 3};
  ~Global() { std::printf("gone %zu\n", numbers.size()); }
} global;

} // namespace

inline int counted() {
  static int count = 10; // one, for all copies
  return ++count;
}
template <typename T> T largest(const std::vector<T> &all) {
  return *std::max_element(all.begin(), all.end());
}
inline int (*address_of_counted())() { return counted; }
int counted_elsewhere();
int (*address_elsewhere())();

int main() {
  std::unique_ptr<Shape> shapes[] = {std::make_unique<Square>(3),
                                     std::make_unique<Twice>(4)};
  int sum = 0;
  for (auto &shape : shapes)
    sum += shape->area();
  std::printf("%d\n", sum);
  never_throws();
  Generator g = squares(4);
  while (g.handle.resume(), !g.handle.done())
    std::printf("%d ", g.handle.promise().value);
  g.handle.destroy();
  std::sort(global.numbers.begin(), global.numbers.end(),
            [](int a, int b) { return a > b; });
  std::function<int(int)> add = [&](int x) { return x + sum; };
  std::map<std::string, int> names{{"one", 1}, {"two", 2}};
  std::printf("%d %d %d\n", largest(global.numbers), add(1), names["two"]);
  std::printf("%d %d %d\n", counted(), counted_elsewhere(),
              address_of_counted() == address_elsewhere());
}
