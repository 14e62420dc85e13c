// What rust_sets.rs calls: statements of known_sets.h, and a function that
// writes.
#include "known_sets.h"

char *known_arena(unsigned number, size_t bytes) {
  return arena(number, bytes);
}
void known_write(char *place) { expect_write(place, 1); }
void known_period(void) { end_period(); }

// Half of the pages are written here, the others by Rust; the last ones by
// none.
void c_writes(volatile char *place, size_t count,
              void (*each)(volatile char *)) {
  for (size_t page = 0; page + 4 < count; page += 2) {
    place[page * PAGE] = 1;
    expect_write(place + page * PAGE, 1);
    each(place + (page + 1) * PAGE);
  }
}
