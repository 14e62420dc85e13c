#!/usr/bin/env python3
# ===- compare_calls.py - Marks of calls against what the calls did -------===#
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Compares what call_oracle.h prints: the truth, and the marks.

    compare_calls.py [--known FILE] NATIVELY MARKS

A page's accesses are letters. Of the truth: r, w what libc's code did; c its
content changed; b it read its own results; k, K the kernel needed it, and wrote it; ? the process died
before it was known. Of the marks: r, w; m, n as may.

lost:     libc or the kernel did it, and no mark says so, not even as may.
invented: a mark says that it was done, and it was not.
"""

import argparse
import collections
import sys


def calls(path):
    """The results and the pages of each row."""
    results, pages = {}, {}
    for line in open(path):
        words = line.split()
        if len(words) < 4 or not words[0].isdigit():
            continue
        row = (int(words[0]), words[1])
        if words[2] == "result":
            results[row] = words[3:5]
        else:
            pages[row + (int(words[2]), int(words[3]))] = "".join(words[4:])
    return results, pages


def known_accesses(path):
    """What the file says: sets of functions and their arguments."""
    kinds = {"kernel reads": set(), "kernel may read": set(),
             "not compared": set()}
    for line in open(path):
        kind, colon, rest = line.partition(": ")
        if line.startswith("#") or not colon:
            continue
        name, *words = rest.split()
        for word in words:
            if not word.isdigit():
                break
            kinds[kind].add((name, int(word)))
    return kinds.values()


class Page:
    """What was done to a page, and what the marks say."""

    def __init__(self, truth, marks, kernel_reads, kernel_may, elsewhere):
        self.truth, self.marks = set(truth), set(marks)
        self.wrote = bool(self.truth & set("wcK"))
        # The kernel has needed some page of the argument.
        self.kernel = "k" in self.truth and not elsewhere
        self.read = "r" in self.truth or (
            self.kernel and (kernel_reads or not self.wrote))
        self.may_read = self.read or "b" in self.truth or "k" in self.truth and (
            kernel_reads or kernel_may or not self.wrote)

    def faults(self):
        """What is wrong with the marks, as words."""
        if "?" in self.truth:
            return
        if self.wrote and not self.marks & set("wn"):
            yield "lost write"
        if self.read and not self.marks & set("rm"):
            yield "lost read"
        if "w" in self.marks and not self.wrote:
            yield "invented write"
        if "r" in self.marks and not self.may_read:
            yield "invented read"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--known", help="what cannot be seen")
    parser.add_argument("natively")
    parser.add_argument("marks")
    options = parser.parse_args()
    kernel_reads, kernel_may, not_compared = (
        known_accesses(options.known) if options.known else (set(),) * 3)
    (truths, truth), (mark_results, marks) = map(
        calls, (options.natively, options.marks))
    if not truth or set(truths) != set(mark_results):
        sys.exit("%d rows natively, %d marked"
                 % (len(truths), len(mark_results)))
    count = collections.Counter()
    for row in sorted(truths):
        if truths[row] != mark_results[row]:
            print("%d %s: ends otherwise: %s, marked %s"
                  % (*row, truths[row], mark_results[row]))
            count["other ends"] += 1
    marked_arguments = {page[:3] for page, found in marks.items()
                        if set("rm") & set(found)}
    left_out = set()
    for page in sorted(truth):
        place = page[1:3]
        found = marks.get(page, "")
        elsewhere = not set("rm") & set(found) and page[:3] in marked_arguments
        wrong = list(Page(truth[page], found, place in kernel_reads,
                          place in kernel_may, elsewhere).faults())
        if wrong and place in not_compared:
            left_out.add(place)
            continue
        for fault in wrong:
            print("%d %s: argument %d, page %d: %s: '%s', marked '%s'"
                  % (*page, fault, truth[page], found))
            count[fault] += 1
    unknown = sum("?" in text for text in truth.values())
    print("%d calls of %d functions, %d pages, %d not known, %d arguments not "
          "compared; %s" % (
              len(truths), len({name for _, name in truths}), len(truth),
              unknown, len(left_out),
              ", ".join("%d %s" % (n, what) for what, n in count.items())
              or "nothing lost or invented"))
    sys.exit(bool(count))


if __name__ == "__main__":
    main()
