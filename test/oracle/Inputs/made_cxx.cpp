//===- made_cxx.cpp - What C++ programs have their library do -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <fstream>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
  std::string name;
};
struct Square : Shape {
  explicit Square(double side) : side(side) { name = "square"; }
  double area() const override { return side * side; }
  double side;
};
struct Disc : Shape {
  explicit Disc(double radius) : radius(radius) { name = "disc"; }
  double area() const override { return 3.14159 * radius * radius; }
  double radius;
};

int throws(int n) {
  if (n % 3 == 0)
    throw std::string("three");
  if (n % 7 == 0)
    throw n;
  return n;
}

thread_local std::vector<int> own;

} // namespace

int main() {
  // Trees: _Rb_tree_insert_and_rebalance and increment are the library's.
  std::map<std::string, int> words;
  std::set<int> numbers;
  for (int i = 0; i < 600; ++i) {
    words["word " + std::to_string(i * 7919 % 601)] += i;
    numbers.insert(i * 131 % 997);
  }
  long sum = 0;
  for (const auto &[word, count] : words)
    sum += static_cast<long>(word.size()) * count;
  for (int i = 0; i < 300; i += 3)
    numbers.erase(i);
  sum += std::accumulate(numbers.begin(), numbers.end(), 0L);

  // Lists, hash tables, sorting.
  std::list<int> list;
  for (int i = 0; i < 500; ++i)
    list.push_front(i * 37 % 501);
  list.sort();
  std::unordered_map<int, std::string> names;
  for (int n : list)
    names[n] = std::string(static_cast<std::size_t>(n % 40), 'x');
  std::vector<std::string> sorted;
  for (auto &entry : names)
    sorted.push_back(entry.second + std::to_string(entry.first));
  std::sort(sorted.begin(), sorted.end());
  sum += static_cast<long>(sorted[sorted.size() / 2].size());

  // Streams: formatting, locales, buffers are the library's.
  std::ostringstream out;
  for (int i = 0; i < 300; ++i)
    out << i << ' ' << i / 7.0 << std::hex << i << std::dec << '\n';
  std::istringstream in(out.str());
  std::string line;
  while (std::getline(in, line))
    sum += line.empty() ? 0 : line[line.size() / 2];
  std::ofstream file("made_cxx.out");
  for (int i = 0; i < 2000; ++i)
    file << "line " << i << '\n';
  file.close();
  std::ifstream again("made_cxx.out");
  for (std::string word; again >> word;)
    sum += static_cast<long>(word.size());

  // Virtual calls, exceptions, thread-local storage.
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int i = 0; i < 100; ++i)
    if (i % 2)
      shapes.push_back(std::make_unique<Square>(i));
    else
      shapes.push_back(std::make_unique<Disc>(i));
  double area = 0;
  for (const auto &shape : shapes)
    area += shape->area();
  for (int i = 1; i < 60; ++i) {
    try {
      sum += throws(i);
    } catch (const std::string &text) {
      sum += static_cast<long>(text.size());
    } catch (int n) {
      own.push_back(n);
    }
  }
  std::cout << sum << ' ' << area << ' ' << own.size() << std::endl;
  return 0;
}
