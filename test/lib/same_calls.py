#!/usr/bin/env python3
# ===- same_calls.py - Calls that have to do what they do natively ---------===#
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Compares what programs of call_table.h print: first natively, then otherwise.

A call that ends in a signal natively may do anything otherwise, because vectors
of libc read more than the functions need. Every other call has to do the same.
"""

import sys


def main():
    native, other = (open(path).read().splitlines() for path in sys.argv[1:3])
    if not native or len(native) != len(other):
        sys.exit("%d calls natively, %d otherwise" % (len(native), len(other)))
    different = [
        "natively  %s\notherwise %s" % pair
        for pair in zip(native, other)
        if pair[0] != pair[1] and not died(*pair)
    ]
    print("\n".join(different))
    if different:
        sys.exit("%d of %d calls differ" % (len(different), len(native)))


def died(native, other):
    call, _, result = native.rpartition(":")
    return result.startswith(" signal ") and other.startswith(call + ":")


main()
