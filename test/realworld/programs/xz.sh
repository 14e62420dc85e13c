# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# xz: `make check`, all of it; programs and liblzma are built shared, as a
# distribution has them. xz compresses in threads.

package=xz-utils

build() {
  ./configure CC="$CC" CFLAGS="$CFLAGS" --disable-static --disable-nls \
    --disable-doc --disable-dependency-tracking
  make -j"$JOBS"
  # Compiles the tests and runs none.
  make -j"$JOBS" check TESTS=
}

# Not the script of that name, by which libtool starts it.
audited() {
  for _ in 1 2 3 4; do cat src/liblzma/*/*.c ChangeLog; done >text
  LD_LIBRARY_PATH=$PWD/src/liblzma/.libs $AUDIT src/xz/.libs/xz -T2 \
    --block-size=1MiB --keep --force text
}

check() {
  make -k check || true
  # Threads, which the suite almost never uses: three at a time, small blocks.
  step threads threads
}

threads() {
  for _ in 1 2 3; do cat src/liblzma/*/*.c ChangeLog; done >text
  src/xz/xz -T3 --block-size=256KiB --stdout text >text.xz
  src/xz/xz -T3 --decompress --stdout text.xz | cmp - text
  src/xz/xz -9e --stdout text | src/xz/xz -dc | cmp - text
}

results() {
  sed -n -e 's/^PASS: /ok /p' -e 's/^X\?FAIL: /fail /p' \
    -e 's/^ERROR: /fail /p' -e 's/^SKIP: /skip /p' \
    -e 's/^@\(ok\|fail\) /\1 /p'
}
