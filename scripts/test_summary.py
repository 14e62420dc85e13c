#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says what became of a run of lit.

usage: test_summary.py RESULTS_JSON LIT_EXIT_STATUS

RESULTS_JSON is what lit --output wrote. Lists the slowest tests, those that
failed and those that were skipped, each with the reason, and ends with the line
`N passed, N failed, N skipped`. Every test is one of the three. Exit status 0
if none failed.
"""

import json
import sys

PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}
SLOWEST = 5


def reason(test):
    lines = [line.strip() for line in test.get("output", "").splitlines()]
    lines = [line for line in lines if line]
    return lines[0] if lines else "its own choice"


def main(path, lit_status):
    try:
        with open(path, encoding="utf-8") as results:
            tests = json.load(results)["tests"]
    except (OSError, ValueError, KeyError) as error:
        print("error: lit left no results (%s); its messages are above" % error,
              file=sys.stderr)
        tests = []
    passed = [t for t in tests if t["code"] in PASSED]
    skipped = [t for t in tests if t["code"] in SKIPPED]
    failed = [t for t in tests if t["code"] not in PASSED | SKIPPED]

    slowest = sorted(tests, key=lambda t: t.get("elapsed") or 0)[-SLOWEST:]
    if slowest:
        print("\nSlowest tests:")
    for test in reversed(slowest):
        print("  %6.1f s  %s" % (test.get("elapsed") or 0, test["name"]))
    if skipped:
        print("\nSkipped tests:")
    for test in sorted(skipped, key=lambda t: t["name"]):
        print("  %s: %s" % (test["name"], reason(test)))
    if failed:
        print("\nFailed tests:")
    for test in sorted(failed, key=lambda t: t["name"]):
        print("  %s: %s" % (test["name"], test["code"]))

    failures = len(failed)
    if not tests:
        failures += 1
        print("\nerror: no test was run", file=sys.stderr)
    elif lit_status != 0 and not failed:
        failures += 1
        print("\nerror: lit ended with status %d though no test failed; its "
              "messages are above" % lit_status, file=sys.stderr)
    sys.stderr.flush()
    print("\n%d passed, %d failed, %d skipped"
          % (len(passed), failures, len(skipped)))
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
