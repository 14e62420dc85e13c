/*===- straddles.c - Accesses that lie across the end of a page ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets %s
// RUN: %known_sets --ways O0/site,O2/site,O3/rw-site %s

#include "known_sets.h"

struct __attribute__((packed)) record {
  char tag;
  uint16_t two;
  uint32_t four;
  uint64_t eight;
  unsigned __int128 sixteen;
};

#define PACKED(type, bits)                                                     \
  struct __attribute__((packed)) packed##bits {                                \
    type value;                                                                \
  };                                                                           \
  static NOINLINE void read##bits(const char *p) {                             \
    type value = ((const volatile struct packed##bits *)p)->value;             \
    OPAQUE(value);                                                             \
  }                                                                            \
  static NOINLINE void write##bits(char *p) {                                  \
    ((volatile struct packed##bits *)p)->value = 3;                            \
  }                                                                            \
  static NOINLINE void both##bits(char *p) {                                   \
    ((struct packed##bits *)p)->value += 3;                                    \
  }

PACKED(uint16_t, 16)
PACKED(uint32_t, 32)
PACKED(uint64_t, 64)
PACKED(float, 32f)
PACKED(double, 64d)

typedef uint64_t two_words __attribute__((vector_size(16), aligned(1)));
typedef uint64_t four_words __attribute__((vector_size(32), aligned(1)));
static NOINLINE void read_16_bytes(const char *p) {
  two_words value = *(const volatile two_words *)p;
  __asm__ volatile("" : "+x"(value));
}
static NOINLINE void write_16_bytes(char *p) {
  *(volatile two_words *)p = (two_words){1, 2};
}
static NOINLINE void copy_32_bytes(char *to, const char *from) {
  *(volatile four_words *)to = *(const volatile four_words *)from;
}

#define EACH_OFFSET(bytes, statement, access)                                  \
  for (size_t offset = 1; offset <= 2 * (bytes); ++offset) {                   \
    char *p = a + 8 * PAGE - offset;                                           \
    access(p);                                                                 \
    statement(p, bytes);                                                       \
    end_period();                                                              \
  }

/* Fields of one object that spans two pages, reached from one base. */
static NOINLINE void write_fields(struct record *r) {
  r->tag = 1;
  r->eight = 8;
}
static NOINLINE uint64_t read_fields(const struct record *r) {
  return r->two + r->four;
}

int main(void) {
  char *a = arena(0, 16 * PAGE);
  EACH_OFFSET(2, expect_read, read16)
  EACH_OFFSET(2, expect_write, write16)
  EACH_OFFSET(2, expect_both, both16)
  EACH_OFFSET(4, expect_read, read32)
  EACH_OFFSET(4, expect_write, write32)
  EACH_OFFSET(4, expect_both, both32)
  EACH_OFFSET(8, expect_read, read64)
  EACH_OFFSET(8, expect_write, write64)
  EACH_OFFSET(8, expect_both, both64)
  EACH_OFFSET(4, expect_read, read32f)
  EACH_OFFSET(8, expect_write, write64d)
  EACH_OFFSET(16, expect_read, read_16_bytes)
  EACH_OFFSET(16, expect_write, write_16_bytes)

  for (size_t offset = 1; offset <= 64; ++offset) {
    char *to = a + 4 * PAGE - offset, *from = a + 12 * PAGE - 65 + offset;
    copy_32_bytes(to, from);
    expect_write(to, 32);
    expect_read(from, 32);
    end_period();
  }

  for (size_t offset = 0; offset <= sizeof(struct record); ++offset) {
    struct record *r = (struct record *)(a + PAGE - offset);
    write_fields(r);
    expect_write(&r->tag, 1);
    expect_write(&r->eight, 8);
    end_period();
    uint64_t value = read_fields(r);
    OPAQUE(value);
    expect_read(&r->two, 2);
    expect_read(&r->four, 4);
    end_period();
  }
  return 0;
}
