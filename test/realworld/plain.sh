#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: test/realworld/plain.sh [ENGINE...] [-- PROGRAM...]
#
# Records programs of Debian's packages as they are, each with each engine every
# 100 ms. What they print must be what they print unrecorded, and every trace must
# be complete. Prints a row for each run: program, engine, results, traces, and
# user and system time as a multiple of native's. PAGETIDE_BIN has pagetide;
# programs that are not installed are named, and left out.

# Functions and needs_NAME are used by name, and RECORD is words.
# shellcheck disable=SC2034,SC2086,SC2317
set -euo pipefail

pagetide=${PAGETIDE_BIN:-$(dirname "${BASH_SOURCE[0]}")/../../build/bin}/pagetide
pagetide=$(realpath "$pagetide")
engines=() programs=()
while (($#)) && [[ $1 != -- ]]; do engines+=("$1") && shift; done
if (($#)); then shift && programs=("$@"); fi
((${#engines[@]})) || engines=(auto uffd fork emulate)
((${#programs[@]})) || programs=(python3 sqlite3 git cc1 redis nginx postgres go)

work=$(mktemp -d) # /tmp, which the postgres user can enter
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

# Each function prepares, and prints only what does not differ from run to run.
# RECORD is empty or begins the command that is recorded.

needs_python3=/usr/bin/python3
run_python3() {
  $RECORD /usr/bin/python3 -c '
import hashlib, json, subprocess, threading
words = {i: str(i * i) for i in range(200000)}
text = json.dumps(words)
parts = []
def digest(i):
    parts.append((i, hashlib.sha256(text[i::4].encode()).hexdigest()))
threads = [threading.Thread(target=digest, args=(i,)) for i in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(sorted(parts), len(json.loads(text)))
print(subprocess.run(["/bin/echo", "child"], capture_output=True).stdout)'
}

needs_sqlite3=sqlite3
run_sqlite3() {
  rm -f work.db
  $RECORD sqlite3 work.db <<'SQL'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000)
  INSERT INTO t SELECT i, hex(i * 7919 % 200003) FROM n;
CREATE INDEX t_b ON t(b);
SELECT count(*), max(b) FROM t WHERE a % 3 = 0;
DELETE FROM t WHERE a % 7 = 0;
VACUUM;
PRAGMA integrity_check;
SQL
}

needs_git=git
run_git() {
  rm -rf repository && mkdir repository
  seq 20000 >repository/numbers
  # shellcheck disable=SC2016 # the inner shell expands it
  $RECORD sh -c 'cd repository && git init -q . 2>&1 && for i in 1 2 3 4 5; do
    seq $i $((20000 * i)) >"file$i" && git add . && git commit -qm "$i" || exit 1
  done && git repack -qad && git fsck --full 2>/dev/null && git rev-parse HEAD'
}
export GIT_AUTHOR_DATE='2026-01-01 00:00:00 +0000' GIT_CONFIG_GLOBAL=/dev/null
export GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a

needs_cc1=gcc
run_cc1() {
  for i in $(seq 300); do
    echo "int f$i(int *p, int n) { int s = $i; while (n--) s += p[n] * s; return s; }"
  done >source.c
  $RECORD gcc -O2 -c source.c -o object.o && sha256sum object.o
}

needs_redis=redis-server
run_redis() {
  $RECORD redis-server --port 7379 --bind 127.0.0.1 --save '' >server.log 2>&1 &
  local server=$!
  until redis-cli -p 7379 ping >/dev/null 2>&1; do lives "$server" || return; done
  for i in $(seq 3000); do
    echo "SET key:$i value:$i" && echo "LPUSH list:$((i % 10)) $i"
  done | redis-cli -p 7379 >/dev/null
  redis-cli -p 7379 bgsave >/dev/null
  until redis-cli -p 7379 info persistence | grep -q bgsave_in_progress:0; do
    sleep 0.1
  done
  redis-cli -p 7379 info persistence | grep -o last_bgsave_status:ok
  redis-cli -p 7379 debug-digest 2>/dev/null || redis-cli -p 7379 dbsize
  redis-cli -p 7379 shutdown nosave 2>/dev/null || true
  wait "$server" && echo "ended: $?"
}

needs_nginx=nginx
run_nginx() {
  mkdir -p html && seq 100000 >html/numbers
  cat >nginx.conf <<END
daemon off; worker_processes 2; pid $PWD/nginx.pid; error_log $PWD/error.log;
events { worker_connections 64; }
http { access_log off; server { listen 127.0.0.1:7380; root $PWD/html; gzip on; } }
END
  [[ $(id -u) != 0 ]] || sed -i '1i user root;' nginx.conf
  $RECORD nginx -p "$PWD" -c "$PWD/nginx.conf" -e "$PWD/error.log" &
  local server=$!
  until curl -sf http://127.0.0.1:7380/numbers >/dev/null; do lives "$server" || return; done
  for _ in $(seq 30); do
    curl -s --compressed http://127.0.0.1:7380/numbers | sha256sum
  done | sort | uniq -c
  kill -QUIT "$(cat nginx.pid)"
  wait "$server" && echo "ended: $?"
}

needs_postgres=/usr/lib/postgresql/15/bin/postgres
run_postgres() {
  local bin=/usr/lib/postgresql/15/bin
  rm -rf data && chmod 777 .
  local as=()
  [[ $(id -u) != 0 ]] || as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
  "${as[@]}" $bin/initdb -D data -A trust --no-sync >/dev/null
  "${as[@]}" $RECORD $bin/postgres -D data -k "$PWD" -p 7381 -c fsync=off \
    -c listen_addresses= -c dynamic_shared_memory_type=mmap >server.log 2>&1 &
  local server=$!
  until "${as[@]}" psql -h "$PWD" -p 7381 -c 'select 1' postgres >/dev/null 2>&1; do
    lives "$server" || return
  done
  "${as[@]}" psql -qAt -h "$PWD" -p 7381 postgres <<'SQL'
create table t as select i, md5(i::text) m from generate_series(1, 50000) i;
create index on t(m);
vacuum analyze t;
select count(*), min(m), max(m) from t where i % 3 = 0;
checkpoint;
SQL
  "${as[@]}" $bin/pg_ctl -D data -m fast stop >/dev/null
  wait "$server" && echo "ended: $?"
}

needs_go=go
run_go() {
  if [[ ! -x ./goprogram ]]; then
    cat >program.go <<'GO'
package main

import ("fmt"; "sort"; "sync")

func main() {
	var all sync.WaitGroup
	sums := make([]int, 8)
	for g := range sums {
		all.Add(1)
		go func(g int) {
			defer all.Done()
			m := map[int]string{}
			for i := 0; i < 50000; i++ { m[i] = fmt.Sprint(i * g) }
			for _, s := range m { sums[g] += len(s) }
		}(g)
	}
	all.Wait()
	sort.Ints(sums)
	fmt.Println(sums)
}
GO
    HOME=$PWD CGO_ENABLED=0 go build -o goprogram program.go
  fi
  $RECORD ./goprogram
}

# Waits a little for a server, and gives up if it has ended.
lives() { kill -0 "$1" && sleep 0.2; }

# Runs a program; its output goes to file $2. Sets `took`.
run() {
  local before after status=0
  before=$(times_now)
  (cd "$work/$1" && "run_$1") >"$2" 2>"$2.err" || status=$?
  after=$(times_now)
  echo "status $status" >>"$2"
  took=$(awk "BEGIN { print $after - $before }")
}
times_now() { awk '{ print ($16 + $17) / 100 }' /proc/$$/stat; }

printf '%-10s %-10s %-10s %-22s %s\n' program engine results traces 'user+sys'
failed=0
for program in "${programs[@]}"; do
  needed=needs_$program
  if ! command -v "${!needed}" >/dev/null; then
    printf '%-10s not installed: %s\n' "$program" "${!needed}"
    continue
  fi
  mkdir -p "$work/$program"
  RECORD='' run "$program" "$work/$program.native"
  RECORD='' run "$program" "$work/$program.native"
  native=$took
  for engine in "${engines[@]}"; do
    rm -rf "$work/traces" && mkdir -m 777 "$work/traces"
    RECORD="$pagetide record --engine $engine -p 100ms -o $work/traces/t --" \
      run "$program" "$work/$program.$engine"
    if grep -qs 'is statically linked, so nothing' "$work/$program.$engine.err"; then
      printf '%-10s %-10s refused: statically linked\n' "$program" "$engine"
      continue
    fi
    results=same
    diff "$work/$program.native" "$work/$program.$engine" >&2 || results=DIFFER
    traces=0 incomplete=0
    for trace in "$work"/traces/*; do
      traces=$((traces + 1))
      "$pagetide" info "$trace" | grep -q '^ *integrity *complete' ||
        incomplete=$((incomplete + 1))
    done
    if [[ $results != same ]] || ((traces == 0 || incomplete)); then
      failed=1
      tail -n 20 "$work/$program.$engine.err" >&2
    fi
    printf '%-10s %-10s %-10s %-22s %s\n' "$program" "$engine" "$results" \
      "$traces, $incomplete incomplete" \
      "$(awk "BEGIN { printf \"%.2f\", $took / ($native > 0.01 ? $native : 0.01) }")"
  done
done
exit $failed
