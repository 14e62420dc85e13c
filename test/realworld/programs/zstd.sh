# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# zstd: the parts of `make -C tests test`. playTests.sh and the tests of the
# command line are run whole (zstd compresses in threads); the fuzzers, which
# would run for minutes, for a fixed number of rounds from a fixed seed.
# Left out: the benchmark (fullbench), which tests nothing.

package=libzstd

build() {
  make -C programs -j"$JOBS" CC="$CC" CFLAGS="$CFLAGS" \
    HAVE_LZMA=0 HAVE_LZ4=0 zstd
  make -C tests -j"$JOBS" CC="$CC" CXX="$CXX" CFLAGS="$CFLAGS" \
    datagen fuzzer zstreamtest invalidDictionaries legacy decodecorpus poolTests
}

audited() {
  for _ in 1 2 3 4 5 6 7 8; do cat lib/*/*.c; done >text
  $AUDIT programs/zstd -T2 -7 --force --quiet text -o text.zst
}

check() {
  step playTests play
  step fuzzer tests/fuzzer -v -i300 -s7
  step zstream tests/zstreamtest -v -i150 -s7
  step zstream-newapi tests/zstreamtest --newapi -t1 -i150 -s7
  step invalidDictionaries tests/invalidDictionaries
  step legacy tests/legacy
  step decodecorpus tests/decodecorpus -n30 -t -s7
  step pool tests/poolTests
  (cd tests && ./cli-tests/run.py --zstd="$PWD/../programs/zstd" \
    --datagen=./datagen) || true
}

play() {
  cd tests
  EXE_PREFIX='' ZSTD_BIN="$PWD/../programs/zstd" DATAGEN_BIN=./datagen \
    ./playTests.sh
}

# `... FAIL` and the like stand at the end of a line that names the test.
results() {
  sed -n -e 's/^@\(ok\|fail\) /\1 /p' \
    -e 's/^PASS: \([^ ]*\.sh\)$/ok cli\/\1/p' \
    -e 's/^FAIL: \([^ ]*\.sh\)$/fail cli\/\1/p'
}
