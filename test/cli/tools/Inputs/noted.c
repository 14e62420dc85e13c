/* An executable with the note of an instrumented one and nothing else of it. */

#ifndef LAYOUT
#define LAYOUT 0 /* rw */
#endif

struct note {
  unsigned name_bytes, info_bytes, type;
  char name[12];
  unsigned info[5]; /* ABI version, layout, cell, granule, flags */
};

__attribute__((section(".note.pagetide"), used, aligned(4)))
static const struct note note = {9, 20, 1, "Pagetide", {1, LAYOUT, 12, 12, 0}};

int main(void) { return 5; }
