#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: scripts/demo.sh
#
# From a bare Debian 12 to the page sets of two real programs: sets the machine
# up, builds Pagetide, fetches and builds bzip2 and sqlite3 by the compiler
# wrapper, records a run of each, prints the reports and makes a page of one. It
# installs and builds only what it shows. Everything is kept below build/demo and
# .deps; what has been done already is not done again.

set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

DEMO=$BUILD/demo
pagetide=$BUILD/bin/pagetide
wrapper=$BUILD/bin/pagetide-clang

# newer FILE OTHER...: whether FILE is there and as new as each of the others.
newer() {
  local file=$1 other
  shift
  [[ -e $file ]] || return
  for other in "$@"; do
    [[ $other -nt $file ]] && return 1
  done
  return 0
}

# instrumented PROGRAM: where this demo's own build of it is.
instrumented() { printf '%s/%s/%s' "$DEMO" "$1" "$1"; }

# A program's build is stale when the pass or the wrapper is newer. A command
# that fails leaves no program behind.
build_program() {
  local name=$1 program
  program=$(instrumented "$name")
  newer "$program" "$BUILD/lib/PagetidePass-19.so" "$wrapper" && return 0
  rm -rf "${DEMO:?}/$name"
  mkdir -p "$DEMO/$name"
  run_step "Building $name by pagetide-clang" "demo-build-$name" \
    "build_$name" ||
    fail "$name could not be built (above)." \
      "If plain clang-19 builds it, this is a defect of Pagetide's: please report it."
}

# Makefiles and configure scripts split paths at spaces, and the checkout's may have
# some: they get the wrapper by PATH, and directories by links without spaces.
build_bzip2() {
  cp -r "$DEPS/src/bzip2/." "$DEMO/bzip2" &&
    cd "$DEMO/bzip2" &&
    PATH=$BUILD/bin:$PATH make -j"$(nproc)" CC=pagetide-clang \
      LDFLAGS="-Wl,-rpath,'\$\$ORIGIN'" bzip2
}

# Its makefile builds the program's parts in the directory it is configured in.
build_sqlite3() {
  local links status=0
  links=$(mktemp -d) || return
  ln -s "$DEPS/src/sqlite3" "$links/source" &&
    ln -s "$DEMO/sqlite3" "$links/build" &&
    cd "$links/build" &&
    PATH=$BUILD/bin:$PATH &&
    "$links/source/configure" CC=pagetide-clang CFLAGS=-O2 --disable-shared \
      --disable-tcl --disable-readline &&
    make -j"$(nproc)" sqlite3 || status=$?
  rm -r "$links"
  return "$status"
}

# 24 MB of text of a small vocabulary, always the same.
make_text() {
  python3 - "$1" <<'PYTHON'
import sys

state = 1
words = []
for _ in range(700_000):
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    words.append("word%d" % ((state >> 33) % 5000 * ((state >> 50) % 7)))
block = " ".join(words).encode()
with open(sys.argv[1], "wb") as text:
    while text.tell() < 24_000_000:
        text.write(b"%d\n" % text.tell() + block)
PYTHON
}

# A table filled, indexed, joined with itself, changed and thinned out.
make_sql() {
  cat >"$1" <<'SQL'
CREATE TABLE item(id INTEGER PRIMARY KEY, key INTEGER, name TEXT);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000)
INSERT INTO item SELECT i, i * 7919 % 100003, 'item number ' || i FROM n;
COMMIT;
CREATE INDEX item_key ON item(key);
SELECT count(*), sum(a.id + b.id) FROM item a JOIN item b ON b.key = a.key + 1;
UPDATE item SET name = upper(name) || key WHERE id % 3 = 0;
DELETE FROM item WHERE id % 5 = 0;
SELECT key % 100, count(*), max(name) FROM item GROUP BY 1 ORDER BY 2, 1 LIMIT 3;
VACUUM;
SQL
}

# record NAME COMMAND...: records it to build/demo/NAME.ptrace, unless that
# stands.
record() {
  local name=$1 trace=$DEMO/$1.ptrace
  shift
  if newer "$trace" "$(instrumented "$name")" "$BUILD/lib/libpagetide.so"; then
    say "$name has been recorded earlier (remove $trace to record it again)"
    return
  fi
  rm -f "$trace" "$trace".*
  # A recording cut short must not stand for a whole one.
  run_step "Recording $name" "demo-record-$name" \
    "$pagetide" record -o "$trace" -p 100ms --checksum written -- "$@" || {
    rm -f "$trace" "$trace".*
    fail "$name could not be recorded (above)."
  }
}

# in_background NAME COMMAND...: its output goes to a log.
in_background() {
  local name=$1
  shift
  mkdir -p "$LOGS"
  "$@" >"$LOGS/demo-$name.log" 2>&1 </dev/null &
  jobs_by_name[$name]=$!
}

# wait_for NAME TITLE: ends the demo if that job has failed.
wait_for() {
  run_step "$2" "demo-wait-$1" tail --pid="${jobs_by_name[$1]}" -f /dev/null
  wait "${jobs_by_name[$1]}" && return
  cat "$LOGS/demo-$1.log" >&2
  exit 1
}

fetch_sources() {
  "$PAGETIDE_ROOT/scripts/setup.sh" compiler-rt
  "$PAGETIDE_ROOT/scripts/fetch_source.sh" bzip2
}

report() {
  printf '\n'
  say "pagetide report ${DEMO#"$PWD"/}/$1.ptrace"
  "$pagetide" report "$DEMO/$1.ptrace"
}

give_up() {
  fail "the build failed (above)." \
    "If you changed nothing, please report it with $LOGS/build.log."
}

declare -A jobs_by_name
"$PAGETIDE_ROOT/scripts/setup.sh" packages build sources

# What is built first needs none of the sources that are being fetched. A build
# directory that has tests keeps them.
in_background sources fetch_sources
[[ -f $BUILD/build.ninja ]] || configure -DPAGETIDE_TESTS=OFF \
  -DPAGETIDE_COMPILER_RT_LATER=ON || give_up
build PagetidePass pagetide_cli pagetide_wrapper || give_up
wait_for sources "Waiting for compiler-rt's source and bzip2"
in_background sqlite3 "$PAGETIDE_ROOT/scripts/fetch_source.sh" sqlite3
configure -DPAGETIDE_COMPILER_RT_LATER=OFF || give_up
build pagetide_runtime || give_up

mkdir -p "$DEMO"
text=$DEMO/text
newer "$text" || run_step "Making a text to compress" demo-text \
  make_text "$text"
build_program bzip2
record bzip2 "$(instrumented bzip2)" --keep --force "$text"
report bzip2

wait_for sqlite3 "Waiting for sqlite3's source"
build_program sqlite3
make_sql "$DEMO/work.sql"
rm -f "$DEMO/work.db"
record sqlite3 "$(instrumented sqlite3)" "$DEMO/work.db" ".read '$DEMO/work.sql'"
report sqlite3
page=$DEMO/sqlite3.html
run_step "Making a page of sqlite3's run" demo-html \
  "$pagetide" html "$DEMO/sqlite3.ptrace" -o "$page" ||
  fail "the page could not be made (above)."

# Shown relative to where the reader stands, if possible.
bin=$(printf %q "${BUILD#"$PWD"/}/bin")
demo=$(printf %q "${DEMO#"$PWD"/}")
# A compiler's path with a blank would be two words to a makefile.
path=$(printf %q "$BUILD/bin")
cat <<NEXT

Three commands to try next:

  $bin/pagetide export --format csv $demo/sqlite3.ptrace | head
      every page of every period, with its checksum

  $bin/pagetide-clang -O2 -g your_program.c -o your_program
      instrument a program of your own; for a configure script or a makefile, say
      export PATH=$path:\$PATH
      and give it CC=pagetide-clang CXX=pagetide-clang++

  $bin/pagetide record -p 500ms --per-thread -o your.ptrace -- ./your_program
      record it, with a page set for each thread; then: pagetide report your.ptrace

To explore sqlite3's run, open this page in a browser:

  $page
NEXT
