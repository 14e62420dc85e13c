#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: test/realworld/run.sh [PROGRAM...] [--layout L] [--mode M] ...
#
# Builds real programs with plain clang and with the wrappers, runs their own
# test suites on both, and compares test by test. --help tells the rest.

set -euo pipefail
exec python3 "$(dirname "${BASH_SOURCE[0]}")/run.py" "$@"
