# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The inputs of the programs: made here, always the same.

Each function makes one kind of input of a given size, as bytes. Builder.input
keeps what was made, since some take seconds.
"""

import bz2
import itertools
import json
import random
import struct


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


def log(size):
    """What a web server notes: lines with much in common, some of it over
    hundreds of bytes."""
    chance = random.Random(7)
    paths = ["/", "/search?q=%d", "/users/%d/orders", "/static/app.%d.js"]
    agents = [
        "Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/%d.0" % n
        for n in range(109, 119)
    ] + ["curl/7.88.1"]
    visitors = [
        ("10.%d.%d.%d" % tuple(chance.randrange(256) for _ in "bcd"), agent)
        for agent in chance.choices(agents, k=300)
    ]
    parts, made, second = [], 0, 0
    while made < size:
        second += chance.random() < 0.2
        visitor, agent = chance.choice(visitors)
        path = chance.choice(paths)
        line = '%s - - [21/Nov/2026:%02d:%02d:%02d +0000] "GET %s" %d %d "%s"\n' % (
            visitor,
            second // 3600 % 24,
            second // 60 % 60,
            second % 60,
            path.replace("%d", str(chance.randrange(100))),
            chance.choice((200, 200, 200, 304, 404)),
            chance.randrange(200, 60_000),
            agent,
        )
        parts.append(line)
        made += len(line)
    return "".join(parts).encode()[:size]


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


def _words(chance, count):
    return " ".join(
        "".join(chance.choices("abdegiklmnorstu", k=chance.randrange(2, 9)))
        for _ in range(count)
    )


def orders(count):
    """A shop's orders as one JSON text, each with lists, objects, and a text
    that is JSON itself."""
    chance = random.Random(8)
    buyers = [_words(chance, 2) for _ in range(max(count // 5, 3))]
    tags = [_words(chance, 1) for _ in range(40)]
    made = [
        {
            "id": number,
            "country": chance.choice(("at", "be", "dk", "ee", "fi", "ie", "lt")),
            "buyer": {"name": chance.choice(buyers), "phone": None, "mail": ""},
            "items": [
                {
                    "name": _words(chance, 2),
                    "count": chance.randrange(1, 9),
                    "price": chance.randrange(100, 100_000) / 100,
                    "tags": chance.sample(tags, 3),
                }
                for _ in range(chance.randrange(1, 6))
            ],
            "note": _words(chance, chance.randrange(3, 12)),
            "extra": json.dumps({"levels": [[1, [2, number]], {"a": "b"}]}),
        }
        for number in range(count)
    ]
    return json.dumps(made).encode()


_C_HEAD = """typedef unsigned long size_t;
typedef struct node { struct node *next, *prev; int key; double weight;
  union { char text[16]; long whole[2]; } u; } node;
enum colour { RED, GREEN = 3, BLUE, LAST };
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define SWAP(type, a, b) do { type t_ = (a); (a) = (b); (b) = t_; } while (0)
#define NAME(x) #x
#define JOIN(a, b) a##b
extern void *malloc(size_t);
extern int printf(const char *, ...);
static long counter;
"""

_C_FUNCTION = """
#ifdef WITH_%(n)d
#error "nobody defines this"
#elif %(a)d > %(b)d && defined(MAX)
# define LIMIT_%(n)d (MAX(%(a)d, %(b)d) + sizeof(node))
#else
# define LIMIT_%(n)d (%(b)d * 2)
#endif
static const int table_%(n)d[] = { %(table)s };
/* %(comment)s */
static int visit_%(n)d(node *list, int depth, const char *name) {
  int i, sum = %(a)d, bits[8] = { %(b)d, [5] = %(c)d };
  node local = { .key = %(c)d, .weight = %(a)d.%(b)d };
  for (i = 0; i < LIMIT_%(n)d && list; i++, list = list->next) {
    switch ((list->key ^ %(a)d) %% 7) {
    case RED: sum += table_%(n)d[i %% %(len)d] << (depth & 3); break;
    case GREEN: sum -= list->u.text[i & 15]; /* falls through */
    case BLUE: { unsigned long wide = list->u.whole[i & 1];
      sum ^= (int)(wide * %(c)dul >> 7); break; }
    case 1: if (list->prev && list->prev->key > sum) SWAP(int, sum, list->key); break;
    default: list->weight = list->weight * %(a)d.5 + (double)sum / (i + 1);
    }
    while (sum > 100000) sum = sum / 3 - (sum & %(b)d);
    if (depth > %(c)d || !name[0]) goto done;
    bits[i & 7] |= 1 << (sum & 15);
  }
  do { counter += bits[i-- & 7] ? bits[i & 7] : -1; } while (i > 0);
done:
  local.next = list;
  %(call)s
  return sum + (local.weight > 1e3f ? local.key : (int)sizeof(local)) %% 251;
}
int (*JOIN(pointer_, %(n)d))(node *, int, const char *) = visit_%(n)d;
const char *name_%(n)d(void) { return NAME(visit_%(n)d) ": %(comment)s\\n"; }
"""


def c_program(functions):
    """A C program of that many functions and a main, without headers."""
    chance = random.Random(9)
    parts = [_C_HEAD]
    for number in range(functions):
        call = "(void)name;"
        if number > 0:
            other = chance.randrange(max(0, number - 50), number)
            call = "if (depth > 0) sum += visit_%d(list, depth - 1, name);" % other
        length = chance.randrange(3, 20)
        parts.append(
            _C_FUNCTION
            % {
                "n": number,
                "a": chance.randrange(1, 1000),
                "b": chance.randrange(1, 1000),
                "c": chance.randrange(1, 1000),
                "len": length,
                "table": ", ".join(
                    str(chance.randrange(-9999, 9999)) for _ in range(length)
                ),
                "comment": _words(chance, 6),
                "call": call,
            }
        )
    parts.append(
        "int main(void) { node n = { 0 }; return visit_%d(&n, 3, name_0()); }\n"
        % (functions - 1)
    )
    return "".join(parts).encode()


def formulas(count):
    """Formulas in x, y and z, one a line: polynomials, some of them within a
    function. One in three is no formula, or divides by zero."""
    chance = random.Random(10)

    def polynomial(terms):
        return "+".join(
            "%d*x^%d*y^%d*z^%d"
            % (chance.randrange(1, 30), *(chance.randrange(4) for _ in "xyz"))
            for _ in range(terms)
        )

    lines = []
    for number in range(count):
        line = "(%s)*(%s)" % (polynomial(3), polynomial(2))
        if number % 4 == 1:
            line = "%s(x*y)*(%s)" % (chance.choice(("sin", "exp")), polynomial(3))
        if number % 3 == 2:
            line += chance.choice(("+*x", "+(", "+w", "/(x-x)", "+f(x)"))
        lines.append(line)
    return ("\n".join(lines) + "\n").encode()


def _relief(chance, width, height, step, low, high):
    """A surface of random heights, straight between points a step apart."""
    points = [
        [chance.uniform(low, high) for _ in range(width // step + 2)]
        for _ in range(height // step + 2)
    ]
    rows = []
    for y in range(height):
        over, under = points[y // step], points[y // step + 1]
        share = y % step / step
        row = [a + (b - a) * share for a, b in zip(over, under)]
        rows.append(
            [
                row[x // step]
                + (row[x // step + 1] - row[x // step]) * (x % step / step)
                for x in range(width)
            ]
        )
    return rows


def video(frames):
    """A camera that wanders over a landscape, a square that crosses it, and the
    noise of the sensor: uncompressed, 352 by 288."""
    width, height, margin, square = 352, 288, 128, 64
    chance = random.Random(6)
    whole = width + margin, height + margin
    hills = _relief(chance, *whole, 32, 50, 190)
    grass = _relief(chance, *whole, 4, -18, 18)
    luma = [bytes(int(a + b) for a, b in zip(*rows)) for rows in zip(hills, grass)]
    half = whole[0] // 2, whole[1] // 2
    chroma = [
        [bytes(map(int, row)) for row in _relief(chance, *half, 16, 90, 166)]
        for _ in "uv"
    ]
    out = [b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n" % (width, height)]
    for number in range(frames):
        x = abs(3 * number % (2 * margin) - margin) & ~1
        y = abs(2 * number % (2 * margin) - margin) & ~1
        rows = [bytearray(row[x : x + width]) for row in luma[y : y + height]]
        left, top = 7 * number % (width - square), 5 * number % (height - square)
        for row, source in zip(rows[top : top + square], luma):
            row[left : left + square] = source[:square]
        # Noise in the lowest two bits, all of a plane at once.
        plane = int.from_bytes(b"".join(rows), "little")
        noise = int.from_bytes(b"\3" * (width * height), "little")
        noise &= chance.getrandbits(8 * width * height)
        out += [b"FRAME\n", (plane ^ noise).to_bytes(width * height, "little")]
        for plane in chroma:
            shown = plane[y // 2 : (y + height) // 2]
            out += [row[x // 2 : (x + width) // 2] for row in shown]
    return b"".join(out)
