// What the vector operations of lanes_*.c touch, for lanes_truth.c.

#ifndef LANES_H
#define LANES_H

#include <stdint.h>

// The vectors that an operation works on.
struct Operands {
  _Alignas(64) unsigned char data[64];
  _Alignas(64) unsigned char index[64];
};

// Accesses the memory at P in the lanes that the low bits of MASK enable.
typedef void Operation(char *p, uint64_t mask, struct Operands *operands);

enum Shape {
  kSideBySide, // lane i at p + i * laneBytes
  kPacked,     // the enabled lanes side by side from p on
  kIndexed32,  // lane i at p + index[i] * scale, index of 32 bits
  kIndexed64,  // the same, of 64 bits
};

struct Case {
  const char *name;
  Operation *operation;
  int isWrite;
  int laneBytes;
  int laneCount;
  enum Shape shape;
  int scale;
};

// Ends with a case without a name.
extern const struct Case kCases[];
// Whether this processor can run them.
int canRunCases(void);

#endif
