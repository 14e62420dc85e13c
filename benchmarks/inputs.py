# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The inputs of the programs: made here, always the same.

Each function makes one kind of input of a given size, as bytes. make_input()
keeps what was made, since some take seconds.
"""

import bz2
import gzip
import hashlib
import itertools
import os
import pathlib
import random
import struct
import tempfile


def text(size):
    """Words of a made-up language: few of them common, most of them rare."""
    chance = random.Random(1)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    words = [
        "".join(chance.choices(syllables, k=chance.choice((1, 2, 2, 3, 4))))
        for _ in range(20_000)
    ]
    weights = list(itertools.accumulate(1 / n for n in range(1, 20_001)))
    parts, made = [], 0
    while made < size:
        chosen = chance.choices(words, cum_weights=weights, k=12)
        line = " ".join(chosen) + ".\n"
        parts.append(line)
        made += len(line)
    return "".join(parts).encode()[:size]


def records(size):
    """Binary records, as a measuring device writes them: a time that grows, a
    channel, two values that wander."""
    chance = random.Random(2)
    out, time, low, high = bytearray(), 0, 1000.0, -50.0
    while len(out) < size:
        time += 100 + int(chance.random() * 8)
        low += chance.random() - 0.5
        high += chance.random() * 4 - 2
        out += struct.pack("<QHHid", time, time % 13, 0xA5, int(low), high)
    return bytes(out[:size])


def noise(size):
    """Bytes that no program compresses."""
    return random.Random(3).randbytes(size)


def mixture(size):
    """Six parts text, three parts records, one part noise, in blocks."""
    kinds = [text(size * 6 // 10), records(size * 3 // 10), noise(size // 10)]
    block = 64 * 1024
    blocks = [
        part[at : at + block]
        for part in kinds
        for at in range(0, len(part), block)
    ]
    random.Random(4).shuffle(blocks)
    return b"".join(blocks)


def mixture_bz2(size):
    """A mixture of that size, compressed by bzip2."""
    return bz2.compress(mixture(size))


def mixture_gz(size):
    """A mixture of that size, compressed by gzip."""
    return gzip.compress(mixture(size), mtime=0)


def sql(rows):
    """A shop's life: goods listed one by one, orders made in bulk, indexed,
    joined, changed, thinned out, checked."""
    chance = random.Random(5)
    lines = [
        "PRAGMA cache_size=4000;",
        "CREATE TABLE goods(id INTEGER PRIMARY KEY, name TEXT, kind INTEGER, "
        "price REAL);",
        "CREATE TABLE orders(id INTEGER PRIMARY KEY, item INTEGER, buyer TEXT, "
        "amount INTEGER, day INTEGER);",
        "BEGIN;",
    ]
    for item in range(max(rows // 20, 10)):
        lines.append(
            "INSERT INTO goods VALUES(%d,'%s %d',%d,%.2f);"
            % (
                item,
                "".join(chance.choices("abcdefghijklmnop", k=9)),
                item,
                item % 37,
                chance.random() * 100,
            )
        )
    goods = max(rows // 20, 10)
    lines += [
        "COMMIT;",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE "
        "i<%d) INSERT INTO orders SELECT i, i*7919%%%d, printf('buyer %%x', "
        "i*2654435761%%%d), 1+i%%9, i*31%%365 FROM n;"
        % (rows, goods, max(rows // 10, 10)),
        "CREATE INDEX orders_item ON orders(item, day);",
        "CREATE INDEX orders_buyer ON orders(buyer);",
        "SELECT kind, count(*), sum(amount), round(sum(amount*price),2) FROM "
        "orders JOIN goods ON goods.id=item GROUP BY kind ORDER BY kind;",
        "SELECT buyer, sum(amount) AS s FROM orders GROUP BY buyer "
        "ORDER BY s DESC, buyer LIMIT 20;",
        "SELECT day, amount, running FROM (SELECT day, amount, sum(amount) "
        "OVER (PARTITION BY item ORDER BY day, id) AS running FROM orders) "
        "ORDER BY running DESC, day, amount LIMIT 20;",
        "UPDATE orders SET amount=amount+1, buyer=upper(buyer) WHERE "
        "day%3=0;",
        "SELECT count(*) FROM goods WHERE name LIKE '%ab%' OR name LIKE "
        "'%c%d%e%';",
        "SELECT count(*), sum(a.amount*b.amount) FROM orders a JOIN orders b "
        "ON b.item=a.item AND b.day=a.day+1;",
        "DELETE FROM orders WHERE amount<4;",
        "SELECT count(*), max(length(buyer)), total(amount) FROM orders;",
        "VACUUM;",
        "PRAGMA integrity_check;",
    ]
    return ("\n".join(lines) + "\n").encode()


def make_input(directory, maker, size):
    """The path of maker(size), made unless it is there."""
    # Another version of this file may make something else.
    version = hashlib.sha256(pathlib.Path(__file__).read_bytes()).hexdigest()
    name = "%s-%d-%s" % (maker.__name__, size, version[:12])
    path = pathlib.Path(directory) / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        # Made elsewhere and moved: what is there is whole.
        handle, new = tempfile.mkstemp(dir=path.parent, prefix=name + ".")
        with open(handle, "wb") as file:
            file.write(maker(size))
        os.replace(new, path)
    return path
