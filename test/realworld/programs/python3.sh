# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# python3: its regression tests (`python -m test`), file by file, without the
# resources that need the network, a display or gigabytes. PYTHON_TESTS, names
# such as 'test_list test_dict', chooses some.

package=python3.11
needs='libffi-dev zlib1g-dev libbz2-dev liblzma-dev libssl-dev libsqlite3-dev'

build() {
  ./configure CC="$CC" CXX="$CXX" OPT="$CFLAGS -DNDEBUG" --without-ensurepip
  make -j"$JOBS"
}

audited() { $AUDIT ./python -E -m test.test_json; }

check() {
  LC_ALL=C.UTF-8 ./python -u -W default -bb -E -m test -w -j"$JOBS" \
    --timeout 900 ${PYTHON_TESTS:-} || true
}

results() {
  sed -n -E \
    -e 's/^.*\[ *[0-9]+\/[0-9]+(\/[0-9]+)?\] (test_[A-Za-z0-9_.]+) passed.*/ok \2/p' \
    -e 's/^.*\[ *[0-9]+\/[0-9]+(\/[0-9]+)?\] (test_[A-Za-z0-9_.]+) skipped.*/skip \2/p' \
    -e 's/^.*\[ *[0-9]+\/[0-9]+(\/[0-9]+)?\] (test_[A-Za-z0-9_.]+) (failed|crashed|timed out|worker).*/fail \2/p'
}
