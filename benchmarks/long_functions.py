# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one shape and any length, for what measures compile time."""

HEAD = """
struct node { struct node *n; long x, k; char b[24]; };
struct table { long *p[64]; };
void other(void);
void f(struct node *a, struct node *b, struct table *s, long i, long j, long k,
       long **w) {
"""

# A line of each shape. Lines differ by their number.
SHAPES = {
    "chains": "a->x += b->x; a = a->n; b = b->n;",
    "tables": "s->p[i][k] = s->p[j][3];",
    "pointers": "*w[{n}] = {n};",
    "fields": "a->x = b->k + a->k; b->x = a->x;",
    "calls": "other(); a->x = {n}; b->x = {n};",
    "loops": "for (long q = 0; q < i; ++q) w[{n}][q] += w[{n} + 1][q];",
    "branches": "if (a->k == {n}) a->x++; a = a->n;",
    "copies": "__builtin_memcpy(a->b, b->b, 24); a = a->n;",
}


def source(shape, lines):
    """A file in C, whose one function has so many lines of the shape."""
    body = [SHAPES[shape].format(n=n) for n in range(lines)]
    return "\n".join([HEAD, *body, "}\n"])
