//===- algebra.cpp - Formulas read, transformed and written, by GiNaC -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: algebra ROUNDS <FORMULAS
//
// A formula a line, in x, y and z. GiNaC asks what a term is by dynamic_cast
// and typeid, reads and writes by streams, and throws what it cannot do: a
// pole of a series, a formula that is none, a divisor that its quick search did
// not find. Prints what each kind of work came to, and checksums of the texts.

#include "../kernels/kernel.h"

#include "ginac.h"

#include <sstream>
#include <string>
#include <vector>

namespace {

using GiNaC::ex;

struct Tally {
  uint64_t count = 0;
  uint64_t refused = 0; // thrown
  uint64_t sum = 0;

  void add(const std::string &text) {
    ++count;
    for (const char c : text)
      sum = mix(sum, static_cast<unsigned char>(c));
  }

  void add(const ex &formula) {
    std::ostringstream out;
    out << formula;
    add(out.str());
  }
};

class Algebra {
public:
  Algebra() {
    for (const GiNaC::symbol &symbol : {x_, y_, z_})
      symbols_[symbol.get_name()] = symbol;
  }

  std::vector<ex> read(const std::vector<std::string> &lines, Tally &tally) {
    std::vector<ex> formulas;
    GiNaC::parser parse(symbols_, true);
    for (const std::string &line : lines) {
      std::istringstream in(line);
      try {
        formulas.push_back(parse(in));
        tally.add(formulas.back());
      } catch (const std::exception &error) {
        ++tally.refused;
        tally.add(error.what());
      }
    }
    return formulas;
  }

  void expand(const std::vector<ex> &formulas, Tally &tally) const {
    for (std::size_t i = 1; i < formulas.size(); ++i)
      tally.add((formulas[i - 1] * formulas[i]).expand().collect(x_));
  }

  void derive(const std::vector<ex> &formulas, Tally &tally) const {
    for (const ex &formula : formulas)
      tally.add(formula.diff(x_, 2) + formula.diff(y_));
  }

  /// Sums of fractions in lowest terms, which takes greatest common divisors.
  void cancel(const std::vector<ex> &formulas, Tally &tally) const {
    for (std::size_t i = 2; i < formulas.size(); ++i) {
      const ex factor = formulas[i - 2] + z_;
      const ex above = (formulas[i] * factor).expand();
      const ex below = ((formulas[i - 1] + 1) * factor).expand();
      try {
        tally.add((above / below + x_ / (y_ + 1)).normal());
      } catch (const std::exception &error) {
        ++tally.refused;
        tally.add(error.what());
      }
    }
  }

  /// Without Pi and Euler's constant: GiNaC sorts these by their address.
  void develop(const std::vector<ex> &formulas, Tally &tally) const {
    const ex outers[] = {sin(x_) / x_, tan(x_), log(1 + x_), 1 / (exp(x_) - 1)};
    for (const ex &formula : formulas)
      for (const ex &outer : outers) {
        try {
          tally.add((outer * formula).series(x_ == 0, 3));
        } catch (const std::exception &error) {
          ++tally.refused;
          tally.add(error.what());
        }
      }
  }

  /// Written in several ways, and read again.
  void write(const std::vector<ex> &formulas, Tally &tally) {
    GiNaC::parser parse(symbols_, true);
    for (const ex &formula : formulas) {
      std::stringstream plain;
      plain << formula;
      tally.count += parse(plain).is_equal(formula);
      std::ostringstream others;
      others << GiNaC::latex << formula << GiNaC::csrc_double << formula
             << GiNaC::tree << formula.nops();
      tally.add(others.str());
    }
  }

  /// What the terms of all formulas are.
  void classify(const std::vector<ex> &formulas, Tally &tally) const {
    for (const ex &formula : formulas)
      for (auto it = formula.preorder_begin(); it != formula.preorder_end();
           ++it) {
        ++tally.count;
        tally.sum = mix(tally.sum, kind(*it));
      }
  }

private:
  static uint64_t kind(const ex &term) {
    if (GiNaC::is_a<GiNaC::symbol>(term))
      return 1;
    if (GiNaC::is_a<GiNaC::numeric>(term))
      return 2;
    if (GiNaC::is_a<GiNaC::function>(term))
      return 3;
    if (GiNaC::is_a<GiNaC::power>(term))
      return 4;
    if (GiNaC::is_a<GiNaC::expairseq>(term))
      return 5 + term.nops();
    return 0;
  }

  GiNaC::symbol x_{"x"};
  GiNaC::symbol y_{"y"};
  GiNaC::symbol z_{"z"};
  GiNaC::symtab symbols_;
};

std::vector<std::string> read_lines() {
  std::vector<std::string> lines;
  std::string line;
  while (std::getline(std::cin, line))
    lines.push_back(line);
  return lines;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s ROUNDS <FORMULAS\n",
            argc > 0 ? argv[0] : "algebra");
    return 2;
  }
  const uint64_t rounds = kernel_number(argv[1]);
  const std::vector<std::string> lines = read_lines();
  Algebra algebra;
  for (uint64_t round = 0; round < rounds; ++round) {
    enum { kRead, kWritten, kDerived, kTerms, kExpanded, kCancelled, kSeries };
    static const char *const kNames[] = {
        "read", "written", "derived", "terms", "expanded", "lowest", "series"};
    Tally tallies[kSeries + 1];
    const std::vector<ex> formulas = algebra.read(lines, tallies[kRead]);
    algebra.write(formulas, tallies[kWritten]);
    algebra.derive(formulas, tallies[kDerived]);
    algebra.classify(formulas, tallies[kTerms]);
    // A few of them take as long as reading and writing all.
    const std::vector<ex> few(formulas.begin(),
                              formulas.begin() + formulas.size() / 10);
    algebra.expand(few, tallies[kExpanded]);
    algebra.cancel(few, tallies[kCancelled]);
    algebra.develop(few, tallies[kSeries]);
    for (int work = kRead; work <= kSeries; ++work) {
      const Tally &tally = tallies[work];
      printf("%" PRIu64 " (%" PRIu64 ") ", tally.count, tally.refused);
      print_checksum(kNames[work], tally.sum);
    }
  }
  return 0;
}
