/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fills a table in rounds, each of which is a period. With an argument, one
 * byte of one round is another one: replica PERIOD PAGE. */
#include <pagetide/pagetide.h>
#include <stdlib.h>

#ifndef PAGES
#define PAGES 32
#endif
enum { kPage = 4096, kPages = PAGES, kRounds = 8 };

static unsigned char table[kPages * kPage] __attribute__((aligned(4096)));

__attribute__((noinline)) static void round_of(int round) {
  for (int page = round; page < kPages; page += 2)
    for (int i = 0; i < kPage; i++)
      table[page * kPage + i] = (unsigned char)(page * i + round);
}

int main(int argc, char **argv) {
  const int bad_round = argc == 3 ? atoi(argv[1]) : -1;
  const int bad_page = argc == 3 ? atoi(argv[2]) : 0;
  for (int round = 0; round < kRounds; round++) {
    round_of(round);
    if (round == bad_round)
      ((volatile unsigned char *)table)[bad_page * kPage + 17] = 0xee;
    pagetide_period_end();
  }
  return 0;
}
