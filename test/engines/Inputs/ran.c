/*===- ran.c - Leaves the file `ran`: it has run ---------------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * Without libc (-nostdlib) it is what Go's programs are to record, and can be a
 * 32-bit program on any system; WITHOUT_LIBC=2 waits. With the argument `wait` it waits.
 *
 *===----------------------------------------------------------------------===*/

/* A 32-bit libc has headers that need not be here. */
enum { WRITE_NEW = 0101 };

#ifdef __i386__
#define CALL "int $0x80"
enum { OPEN = 5, EXIT = 1, PAUSE = 29 };
#define FIRST "b"
#define SECOND "c"
#define CLOBBERED
#else
#define CALL "syscall"
enum { OPEN = 2, EXIT = 60, PAUSE = 34 };
#define FIRST "D"
#define SECOND "S"
#define CLOBBERED , "rcx", "r11"
#endif

static long call(long number, long first, long second, long third) {
  __asm__ volatile(CALL
                   : "+a"(number)
                   : FIRST(first), SECOND(second), "d"(third)
                   : "memory" CLOBBERED);
  return number;
}

/* Written, so that a trace has a page of the program's own. */
static volatile int written[2048];

static int run(int waits) {
  static const char name[] = "ran";
  written[1024] = 1;
  const long fd = call(OPEN, (long)name, WRITE_NEW, 0600);
  while (waits)
    call(PAUSE, 0, 0, 0);
  return fd < 0;
}

#ifdef WITHOUT_LIBC
__attribute__((force_align_arg_pointer)) void _start(void) {
  call(EXIT, run(WITHOUT_LIBC - 1), 0, 0);
}
#else
int main(int argc, char **argv) {
  return run(argc > 1 && *argv[1] == 'w');
}
#endif
