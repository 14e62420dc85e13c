# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# redis: runtest, the suite with servers on the loopback interface: replication,
# snapshots and rewrites by fork, background threads, Lua, crash reports. jemalloc
# is built by the wrapper too. Left out: a test that Debian's patches bring and
# that this version's server refuses (it would end the suite, natively as well),
# cluster and sentinel, and what runtest itself leaves out.

package=redis
needs=liblzf-dev

build() {
  # Debian's redis expects jemalloc's functions under malloc's own names, and
  # its system's library. The one that redis brings along then serves every
  # malloc of the process, libc's included.
  sed -i 's/--with-jemalloc-prefix=je_/--with-jemalloc-prefix=/' deps/Makefile
  make -j"$JOBS" -C src CC="$CC" OPT="$CFLAGS" MALLOC=jemalloc \
    REDIS_CFLAGS=-I/usr/include/liblzf REDIS_LDFLAGS='-ldl -latomic -llzf' \
    redis-server redis-cli redis-benchmark redis-check-rdb redis-check-aof
}

check() {
  ./runtest --clients 2 --timeout 1200 \
    --skiptest '/^Fullsync should not free scripting engine' || true
}

results() {
  sed -E 's/\x1b\[[0-9;]*m//g' |
    sed -n -E -e 's/^\[ok\]: (.*) \([0-9]+ ms\)$/ok \1/p' \
      -e 's/^\[ok\]: (.*)$/ok \1/p' \
      -e 's/^\[err\]: (.*) in (tests.*)$/fail \1/p' \
      -e 's/^\[exception\]: (.*)$/fail exception: \1/p' \
      -e 's/^\[(skip|ignore)\]: (.*)$/skip \2/p' \
      -e 's/^\\o\/ All tests passed.*/ok runtest-to-its-end/p'
}
