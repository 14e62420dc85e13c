# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bzip2: `make test` as its makefile has it (three files, three levels, there and
# back), and on a text of 2 MB: levels, the small mode, bzip2recover on a damaged
# archive, and a refusal.

package=bzip2

build() {
  make -j"$JOBS" CC="$CC" CFLAGS="$CFLAGS -D_FILE_OFFSET_BITS=64" \
    LDFLAGS="-Wl,-rpath,$PWD" bzip2 bzip2recover libbz2.a
}

audited() {
  for _ in 1 2 3 4 5 6 7 8; do cat ./*.c ./*.h manual.*; done >text
  $AUDIT ./bzip2 --keep --force text
}

check() {
  step make-test make CC=false test
  cat ./*.c ./*.h manual.* >text
  for level in 1 9; do
    step "level-$level" there_and_back "-$level"
    step "level-$level-small" there_and_back "-$level" --small
  done
  step test-option ./bzip2 --test sample1.bz2 sample2.bz2 sample3.bz2
  step recover recover
  step refuses-text refuses
}

there_and_back() {
  ./bzip2 --stdout "$@" text >text.bz2
  ./bzip2 --decompress --stdout "$@" text.bz2 | cmp - text
}

# A block in the midst is damaged; the blocks before and after it come back.
recover() {
  rm -f rec*damaged.bz2
  ./bzip2 -1 --stdout text >damaged.bz2
  printf 'damage' | dd of=damaged.bz2 bs=1 seek=200000 conv=notrunc status=none
  ./bzip2recover damaged.bz2
  local good=0 bad=0 piece
  for piece in rec*damaged.bz2; do
    if ./bzip2 --test "$piece" 2>/dev/null; then
      good=$((good + 1))
    else
      bad=$((bad + 1))
    fi
  done
  printf '%d blocks recovered, %d lost\n' "$good" "$bad"
  ((good > 10 && bad == 1))
}

refuses() {
  local status=0
  ./bzip2 --decompress --stdout text 2>refused || status=$?
  grep 'is not a bzip2 file' refused
  ((status == 2))
}

results() { step_results; }
