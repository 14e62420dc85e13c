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

# A server under load, which saves itself by a fork.
audited() {
  $AUDIT src/redis-server --port 7171 --bind 127.0.0.1 --save '' --daemonize no &
  local server=$!
  until src/redis-cli -p 7171 ping >/dev/null 2>&1; do sleep 0.2; done
  src/redis-benchmark -p 7171 -n 20000 -r 20000 -d 200 -q \
    -t set,get,lpush,hset,zadd
  src/redis-cli -p 7171 save
  src/redis-cli -p 7171 bgsave
  until src/redis-cli -p 7171 info persistence |
    grep -q rdb_bgsave_in_progress:0; do sleep 0.2; done
  src/redis-cli -p 7171 shutdown nosave || true
  wait "$server" || true
}

check() {
  ./runtest --clients 2 --timeout 1200 \
    --skiptest '/^Fullsync should not free scripting engine' || true
}

# Of some tests the names have random numbers in them.
results() {
  sed -E -e 's/\x1b\[[0-9;]*m//g' -e 's/ \(x = [0-9]+\)//' \
    -e '/PSYNC2: /s/( \[NEW LAYOUT\])? (Set )?#[0-9].*(\([0-9]+ ms\))$/ layout \3/' |
    sed -n -E -e 's/^\[ok\]: (.*) \([0-9]+ ms\)$/ok \1/p' \
      -e 's/^\[ok\]: (.*)$/ok \1/p' \
      -e 's/^\[err\]: (.*) in (tests.*)$/fail \1/p' \
      -e 's/^\[exception\]: (.*)$/fail exception: \1/p' \
      -e 's/^\[(skip|ignore)\]: (.*)$/skip \2/p' \
      -e 's/^\\o\/ All tests passed.*/ok runtest-to-its-end/p'
}
