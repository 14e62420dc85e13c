/*===- raw_outcomes.c - System calls by their numbers ----------------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// oracle.test runs it.

#include "call_table.h"

#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static int file, folder;
static void set_file(void) {
  lseek(folder, 0, SEEK_SET);
  if (ftruncate(file, 0) || write(file, zeros, 100) != 100)
    abort();
}

#define RAW(number, ...) CALL("syscall", 'l', V(SYS_##number), __VA_ARGS__)

int main(void) {
  set_up();
  only_good = 1;
  file = memfd_create("file", 0), mkdir("inside", 0700);
  folder = open("inside", O_RDONLY | O_DIRECTORY);
  refresh = set_file;
  RAW(copy_file_range, V(file), WORDS(0), V(file), WORDS(200), V(10), V(0));
  RAW(copy_file_range, V(file), WORDS(100), V(file), WORDS(200), V(10), V(0));
  RAW(copy_file_range, V(-1), WORDS(0), V(file), WORDS(200), V(10), V(0));
  RAW(getdents, V(folder), OUTX(4000), V(4000));
  RAW(getdents, V(-1), OUT(4000), V(4000));
  refresh = NULL;
  const struct flock lock = {.l_type = F_RDLCK};
  RAW(fcntl, V(file), V(F_GETLK), IN(&lock, sizeof lock));
  RAW(fcntl, V(-1), V(F_GETLK), IN(&lock, sizeof lock));
  RAW(sigaltstack, V(0), OUTX(24));
  RAW(rt_sigaction, V(10), V(0), OUT(32), V(8));
  RAW(rt_sigaction, V(999), V(0), OUT(32), V(8));
  RAW(capget, INTS(0x20080522, 0), OUTX(24));
  RAW(arch_prctl, V(0x1003), OUTX(8));
  RAW(adjtimex, INX(((int[52]){0}), 208));
  RAW(faccessat2, V(AT_FDCWD), TEXT("/"), V(0), V(0));
  RAW(faccessat2, V(AT_FDCWD), TEXT("/nowhere/x"), V(0), V(0));
  RAW(mknod, TEXT("/nowhere/x"), V(S_IFIFO | 0600), V(0));
  RAW(utimes, TEXT("/nowhere/x"), WORDS(1, 2, 3, 4));
  RAW(inotify_add_watch, V(-1), TEXT("/"), V(1));
  RAW(sched_getattr, V(0), OUTX(56), V(56), V(0));
  RAW(timer_create, V(1), ZERO(64), OUTX(4));
  RAW(timer_create, V(99), ZERO(64), OUT(4));
  const int set = semget(IPC_PRIVATE, 3, 0600);
  RAW(semop, V(set), IN("\0\0\1\0\0\0", 6), V(1));
  RAW(semctl, V(set), V(0), V(IPC_STAT), OUTX(104));
  RAW(semctl, V(set), V(0), V(GETALL), OUTX(6));
  semctl(set, 0, IPC_RMID);
  RAW(mq_getsetattr, V(-1), V(0), OUT(64));
  RAW(get_robust_list, V(0), OUTX(8), OUTX(8));
  RAW(sched_setparam, V(0), INTS(0));
  RAW(openat2, V(AT_FDCWD), TEXT("/nowhere/x"), WORDS(0, 0, 0), V(24));
  return 0;
}
