/*===- io_bounds.c - Files, sockets and names at memory's end
 *-----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %plain_c -O1 %s -o %t.plain
// RUN: rm -rf %t.folder; mkdir %t.folder; cd %t.folder
// RUN: %t.plain > %t.natively
// RUN: %build_c -O1 %s -o %t
// RUN: %t > %t.unrecorded
// RUN: %python %support/same_calls.py %t.natively %t.unrecorded
// RUN: %pagetide record -p 0 -o %t.run -- %t > %t.recorded
// RUN: %python %support/same_calls.py %t.natively %t.recorded

#include "call_table.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <glob.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <regex.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <wordexp.h>

static char text[5000];
static int file, packets[2], polling, queue, terminal, listening;
static char folder[] = "bounds-XXXXXX";

static void rewind_file(void) {
  char away[8192];
  lseek(file, 0, SEEK_SET);
  if (ftruncate(file, 100))
    abort();
  while (recv(packets[0], away, sizeof away, MSG_DONTWAIT) > 0)
    ;
  while (recv(packets[1], away, sizeof away, MSG_DONTWAIT) > 0)
    ;
  if (send(packets[1], text, 30, 0) != 30)
    abort();
}
static void close_it(long fd) {
  if ((int)fd > 2)
    close((int)fd);
}

static void input_and_output(void) {
  refresh = rewind_file;
  CALL("read __read_chk", 'l', V(file), OUT(10), V(10), V(10));
  CALL("read", 'l', V(file), OUT(100), V(5000));
  CALL("read", 'l', V(-1), OUT(10), V(10));
  CALL("read write", 'l', V(file), OUT(0), V(0));
  CALL("pread pread64", 'l', V(file), OUT(10), V(10), V(5));
  CALL("__pread_chk __pread64_chk", 'l', V(file), OUT(10), V(10), V(5), V(10));
  CALL("write", 'l', V(file), IN(text, 10), V(10));
  CALL("pwrite pwrite64", 'l', V(file), IN(text, 10), V(10), V(0));
  CALL("recv", 'l', V(packets[0]), OUT(30), V(100), V(MSG_DONTWAIT));
  CALL("__recv_chk", 'l', V(packets[0]), OUT(30), V(30), V(30),
       V(MSG_DONTWAIT));
  CALL("send", 'l', V(packets[0]), IN(text, 10), V(10), V(MSG_DONTWAIT));
  CALL("recvfrom", 'l', V(packets[0]), OUT(30), V(100), V(MSG_DONTWAIT), OUT(2),
       INTS(2));
  CALL("recvfrom", 'l', V(packets[0]), OUT(30), V(100), V(MSG_DONTWAIT), OUT(2),
       INTS(-1));
  CALL("__recvfrom_chk", 'l', V(packets[0]), OUT(30), V(30), V(30),
       V(MSG_DONTWAIT), OUT(2), INTS(2));
  CALL("sendto", 'l', V(packets[0]), IN(text, 10), V(10), V(MSG_DONTWAIT), V(0),
       V(0));
  CALL("sendto", 'l', V(packets[0]), IN(text, 10), V(10), V(MSG_DONTWAIT),
       IN("\1\0x", 4), V(4));
  CALL("readv", 'l', V(file), WORDS(at(3, 10), 10, at(4, 20), 20), V(2),
       OUT(10), OUT(20));
  CALL("preadv preadv64", 'l', V(file), WORDS(at(4, 10), 10, at(5, 20), 20),
       V(2), V(0), OUT(10), OUT(20));
  CALL("preadv2 preadv64v2", 'l', V(file), WORDS(at(5, 10), 10, at(6, 20), 20),
       V(2), V(0), V(0), OUT(10), OUT(20));
  CALL("writev", 'l', V(file), WORDS(at(3, 10), 10, at(4, 20), 20), V(2),
       IN(text, 10), IN(text, 20));
  CALL("readv writev", 'l', V(file), WORDS(at(3, 10), 10), V(-1), OUT(10));
  CALL("readv writev", 'l', V(file), WORDS(at(3, 10), 10), V(1025), OUT(10));
  CALL("readv writev", 'l', V(file), WORDS(at(3, 10), -1), V(1), OUT(10));
  CALL("readv writev", 'l', V(-1), WORDS(at(3, 10), 10), V(1), OUT(10));
  CALL("readv writev", 'l', V(file), V(0), V(0));
  CALL("pwritev pwritev64", 'l', V(file), WORDS(at(4, 10), 10, at(5, 20), 20),
       V(2), V(0), IN(text, 10), IN(text, 20));
  CALL("pwritev2 pwritev64v2", 'l', V(file),
       WORDS(at(5, 10), 10, at(6, 20), 20), V(2), V(0), V(0), IN(text, 10),
       IN(text, 20));
#define HEADER(name, control)                                                  \
  WORDS(at(name, 4), 4, at(3, 16), 1, at(control, 24), 24, 0)
  CALL("recvmsg", 'l', V(packets[0]), HEADER(4, 5), V(MSG_DONTWAIT),
       WORDS(at(6, 30), 30), OUT(4), OUT(24), OUT(30));
  CALL("sendmsg", 'l', V(packets[0]), WORDS(0, 0, at(3, 16), 1, 0, 0, 0),
       V(MSG_DONTWAIT), WORDS(at(4, 30), 30), IN(text, 30));
  CALL("sendmsg", 'l', V(packets[0]), HEADER(4, 5), V(MSG_DONTWAIT),
       WORDS(at(6, 30), 30), IN("\1\0x", 4), ZERO(24), IN(text, 30));
  CALL("recvmsg sendmsg", 'l', V(-1), HEADER(4, 5), V(MSG_DONTWAIT),
       WORDS(at(6, 30), 30), OUT(4), OUT(24), OUT(30));
#define COUNTED(name, control)                                                 \
  WORDS(at(name, 4), 4, at(5, 16), 1, at(control, 24), 24, 0, 0)
  /* The kernel leaves in the limit how much of it remains. */
  const long limit[] = {0, 1000};
  CALL("recvmmsg", 'i', V(packets[0]), COUNTED(6, 7), V(1), V(MSG_DONTWAIT),
       INX(limit, sizeof limit), WORDS(at(8, 30), 30), OUT(4), OUT(24),
       OUT(30));
  CALL("recvmmsg", 'i', V(packets[0]), COUNTED(6, 7), V(9), V(MSG_DONTWAIT),
       V(0), WORDS(at(8, 30), 30), OUT(4), OUT(24), OUT(30));
  CALL("sendmmsg", 'i', V(packets[0]), WORDS(0, 0, at(5, 16), 1, 0, 0, 0, 0),
       V(1), V(MSG_DONTWAIT), V(0), WORDS(at(6, 30), 30), IN(text, 30));
  CALL("sendmmsg", 'i', V(packets[0]), WORDS(0, 0, at(5, 16), 1, 0, 0, 0, 0),
       V(9), V(MSG_DONTWAIT), V(0), WORDS(at(6, 30), 30), IN(text, 30));
#ifdef CALL_ORACLE
  same_process = 1; /* whose memory it is */
#endif
  CALL("process_vm_readv", 'l', V(getpid()), WORDS(at(6, 10), 10), V(1),
       WORDS(at(7, 10), 10), V(1), V(0), OUT(10), IN(text, 10));
  CALL("process_vm_writev", 'l', V(getpid()), WORDS(at(6, 10), 10), V(1),
       WORDS(at(7, 10), 10), V(1), V(0), IN(text, 10), OUT(10));
#ifdef CALL_ORACLE
  same_process = 0;
#endif
  refresh = NULL;
  CALL("accept", 'i', V(listening), OUT(16), INTS(16));
  CALL("accept4", 'i', V(listening), OUT(16), INTS(16), V(0));
  CALL("getsockname", 'i', V(listening), OUT(2), INTS(2));
  CALL("getsockname", 'i', V(listening), OUT(2), INTS(-1));
  CALL("getpeername", 'i', V(packets[0]), OUT(2), INTS(2));
  CALL("getpeername", 'i', V(listening), OUT(2), INTS(2));
  CALL("getsockopt", 'i', V(packets[0]), V(SOL_SOCKET), V(SO_TYPE), OUT(4),
       INTS(4));
  CALL("getsockopt", 'i', V(packets[0]), V(SOL_SOCKET), V(SO_TYPE), OUT(2),
       INTS(2));
  CALL("setsockopt", 'i', V(packets[0]), V(SOL_SOCKET), V(SO_PASSCRED), INTS(0),
       V(4));
  CALL("bind connect", 'i', V(packets[0]), IN("\1\0", 2), V(1));
  CALL("bind connect", 'i', V(-1), IN("\1\0", 2), V(2));
  CALL("socketpair", 'i', V(-1), V(SOCK_STREAM), V(0), OUT(8));
  CALL("socketpair", 'i', V(AF_UNIX), V(SOCK_STREAM), V(0), OUTX(8));
  CALL("pipe", 'i', OUTX(8));
  CALL("pipe2", 'i', OUTX(8), V(O_CLOEXEC));
  CALL("pipe2", 'i', OUT(8), V(-1));
  CALL("poll", 'i', INTS(packets[1], POLLOUT), V(1), V(0));
  CALL("poll", 'i', V(0), V(0), V(0));
  CALL("poll", 'i', OUT(8), V(100000000), V(0));
  CALL("__poll_chk", 'i', INTS(packets[1], POLLOUT), V(1), V(0), V(8));
  CALL("ppoll", 'i', INTS(packets[1], POLLOUT), V(1), WORDS(0, 0), ZERO(8));
  CALL("__ppoll_chk", 'i', INTS(packets[1], POLLOUT), V(1), WORDS(0, 0),
       ZERO(8), V(8));
  CALL("select", 'i', V(30), ZERO(8), WORDS(1L << packets[1]), ZERO(8),
       WORDS(0, 0));
  CALL("pselect", 'i', V(30), ZERO(8), WORDS(1L << packets[1]), ZERO(8),
       WORDS(0, 0), ZERO(8));
  CALL("select", 'i', V(-1), ZERO(8), ZERO(8), ZERO(8), WORDS(0, 0));
  CALL("epoll_wait", 'i', V(polling), OUT(12), V(1), V(0));
  CALL("epoll_wait", 'i', V(polling), OUT(12), V(-1), V(0));
  CALL("epoll_pwait", 'i', V(polling), OUT(12), V(1), V(0), ZERO(8));
  CALL("epoll_pwait2", 'i', V(polling), OUT(12), V(1), WORDS(0, 0), ZERO(8));
  CALL("epoll_ctl", 'i', V(polling), V(EPOLL_CTL_MOD), V(packets[1]),
       IN("\4\0\0\0abcdefgh", 12));
  CALL("epoll_ctl", 'i', V(polling), V(EPOLL_CTL_MOD), V(file), OUT(12));
  CALL("sendfile sendfile64", 'l', V(-1), V(file), WORDS(0), V(10));
  CALL("sendfile sendfile64", 'l', V(packets[1]), V(file), WORDS(0), V(10));
  CALL("splice", 'l', V(file), WORDS(0), V(file), WORDS(0), V(10), V(0));
  CALL("vmsplice", 'l', V(file), WORDS(at(4, 10), 10), V(1), V(0),
       IN(text, 10));
  CALL("copy_file_range", 'l', V(file), WORDS(0), V(file), WORDS(200), V(10),
       V(0));
  CALL("getrandom", 'l', OUTX(10), V(10), V(0));
  CALL("getrandom", 'l', OUT(10), V(10), V(-1));
  CALL("getentropy", 'i', OUTX(10), V(10));
  CALL("getentropy", 'i', OUT(10), V(1000));
  CALL("ioctl", 'i', V(file), V(FIONREAD), OUT(4));
  CALL("ioctl", 'i', V(terminal), V(TIOCGWINSZ), OUT(8));
  CALL("ioctl", 'i', V(terminal), V(TIOCSWINSZ), ZERO(8));
  CALL("ioctl", 'i', V(terminal), V(TCGETS), OUT(36));
  CALL("ioctl", 'i', V(listening), V(0x8912 /* SIOCGIFCONF */),
       WORDS(0, at(3, 40)), OUT(40));
  CALL("ioctl", 'i', V(listening), V(0x8912), WORDS(40, at(3, 40)), OUTX(40));
  CALL("ioctl", 'i', V(file), V(0x8912), WORDS(40, at(3, 40)), OUT(40));
  CALL("ioctl", 'i', V(file), V(0xc0504542), OUT(80));
  CALL("ioctl", 'i', V(file), V(0x12345), OUT(0));
  CALL("tcgetattr", 'i', V(terminal), OUT(60));
  CALL("tcgetattr", 'i', V(file), OUT(60));
  CALL("msgsnd", 'i', V(queue), WORDS(1, 2), V(8), V(IPC_NOWAIT));
  CALL("msgsnd", 'i', V(-1), WORDS(1, 2), V(8), V(IPC_NOWAIT));
  CALL("msgrcv", 'l', V(queue), OUT(16), V(8), V(0), V(IPC_NOWAIT));
  CALL("msgrcv", 'l', V(-1), OUT(16), V(8), V(0), V(IPC_NOWAIT));
  CALL("eventfd_write", 'i', V(eventfd(0, EFD_NONBLOCK)), V(1));
  CALL("eventfd_read", 'i', V(eventfd(1, EFD_NONBLOCK)), OUT(8));
  CALL("shmctl", 'i', V(-1), V(IPC_STAT), OUT(112));
  CALL("shmctl", 'f', V(0), V(IPC_INFO), OUTX(72));
  CALL("mincore", 'i', V(at(2, 4096)), V(4096), OUTX(1));
  CALL("mincore", 'i', V(4095), V(4096), OUTX(1));
}

static void names_of_hosts(void) {
  CALL("inet_pton", 'i', V(AF_INET), TEXT("127.0.0.1"), OUT(4));
  CALL("inet_pton", 'i', V(AF_INET6), TEXT("::1"), OUT(16));
  CALL("inet_pton", 'i', V(AF_INET), RAW("127;"), OUT(4));
  CALL("inet_pton", 'i', V(99), OUT(0), OUT(0));
  CALL("inet_ntop", 'p', V(AF_INET), IN("\177\0\0\1", 4), OUT(10), V(10));
  CALL("inet_ntop", 'p', V(AF_INET6), ZERO(16), OUT(3), V(3));
  CALL("inet_ntop", 'p', V(99), OUT(0), OUT(0), V(9));
  CALL("inet_aton", 'i', TEXT("127.0.0.1"), OUT(4));
  CALL("inet_aton", 'i', RAW("127;"), OUT(4));
  CALL("ether_aton", 'v', TEXT("1:2:3:4:5:6"));
  CALL("ether_aton_r", 'p', TEXT("1:2:3:4:5:6"), OUT(6));
  CALL("ether_aton_r", 'p', RAW("x"), OUT(6));
  CALL("ether_ntoa", 'v', IN("123456", 6));
  CALL("ether_ntoa_r", 'p', IN("123456", 6), OUT(18));
  CALL("ether_line", 'i', TEXT("1:2:3:4:5:6 h"), OUT(6), OUT(2));
  CALL("ether_line", 'i', RAW("x"), OUT(6), OUT(2));
  CALL("dn_comp", 'i', TEXT("a.b"), OUT(5), V(5), V(0), V(0));
  CALL("dn_expand", 'i', IN("\1a\1b", 5), V(0), IN("\1a\1b", 5), OUT(4), V(4));
  only_good = 1; /* libc would die with a lock held */
  CALL("ether_hostton", 'i', TEXT("no.such.host"), OUT(6));
  CALL("ether_ntohost", 'i', OUT(10), IN("123456", 6));
  CALL("getprotobyname", 'v', TEXT("tcp"));
  CALL("getprotobynumber getprotoent", 'v', V(6));
  CALL("getprotobyname_r", 'e', TEXT("tcp"), OUT(24), OUT(1024), V(1024),
       OUT(8));
  CALL("getprotobyname_r", 'e', TEXT("nothing"), OUT(24), OUT(1024), V(1024),
       OUT(8));
  CALL("getprotobyname_r", 'e', TEXT("tcp"), OUT(24), OUT(2), V(2), OUT(8));
  CALL("getprotobynumber_r", 'e', V(6), OUT(24), OUT(1024), V(1024), OUT(8));
  CALL("getprotoent_r", 'e', OUTX(24), OUTX(1024), V(1024), OUT(8));
  CALL("gethostbyname", 'v', TEXT("127.0.0.1"));
  CALL("gethostbyname2", 'v', TEXT("127.0.0.1"), V(AF_INET));
  CALL("gethostbyaddr", 'v', IN("\177\0\0\1", 4), V(4), V(AF_INET));
  CALL("gethostent", 'v', V(0));
  CALL("gethostbyname_r", 'e', TEXT("127.0.0.1"), OUT(32), OUT(1024), V(1024),
       OUT(8), OUT(4));
  CALL("gethostbyname_r", 'e', TEXT("127.0.0.1"), OUT(32), OUT(2), V(2), OUT(8),
       OUT(4));
  CALL("gethostbyname2_r", 'e', TEXT("127.0.0.1"), V(AF_INET), OUT(32),
       OUT(1024), V(1024), OUT(8), OUT(4));
  CALL("gethostbyaddr_r", 'e', IN("\177\0\0\1", 4), V(4), V(AF_INET), OUTX(32),
       OUTX(1024), V(1024), OUT(8), OUT(4));
  CALL("gethostent_r", 'e', OUTX(32), OUTX(1024), V(1024), OUTX(8), OUT(4));
  CALL("getaddrinfo", 'e', TEXT("127.0.0.1"), TEXT("80"),
       WORDS(4, 0, 0, 0, 0, 0), OUTX(8));
  CALL("getnameinfo", 'e', IN("\2\0\0\7\177\0\0\1\0\0\0\0\0\0\0", 16), V(16),
       OUT(10), V(10), OUT(2), V(2), V(NI_NUMERICHOST | NI_NUMERICSERV));
  CALL("getnameinfo", 'e', IN("\2\0", 2), V(2), OUT(10), V(10), OUT(2), V(2),
       V(0));
  CALL("getifaddrs", 'i', OUTX(8));
  only_good = 0;
  CALL("if_indextoname", 'p', V(1), OUT(16));
  CALL("if_indextoname", 'p', V(9999), OUT(16));
  CALL("if_nametoindex", 'i', TEXT("lo"));
  CALL("if_nametoindex", 'i', IN(text, 15));
}

static char path_x[300], path_y[300];
static void make_names(void) {
  const int fd = creat(path_x, 0600);
  close(fd);
  unlink(path_y);
}
static void free_it(long p) { free((void *)p); }

static void files(void) {
  snprintf(path_x, sizeof path_x, "%s/x", folder);
  snprintf(path_y, sizeof path_y, "%s/y", folder);
#define X INX(path_x, strlen(path_x) + 1)
#define Y INX(path_y, strlen(path_y) + 1)
  refresh = make_names;
  clean_up = close_it;
  CALL("open open64", 'f', X, V(O_RDONLY), V(0));
  CALL("open open64", 'f', Y, V(O_RDONLY), V(0));
  CALL("open open64", 'f', Y, V(O_CREAT | O_RDWR), V(0600));
  CALL("openat openat64", 'f', V(AT_FDCWD), X, V(O_RDONLY), V(0));
  CALL("openat openat64", 'f', V(AT_FDCWD), Y, V(O_RDONLY), V(0));
  CALL("creat creat64", 'f', Y, V(0600));
  CALL("__open_2 __open64_2", 'f', X, V(0));
  CALL("__openat_2 __openat64_2", 'f', V(AT_FDCWD), X, V(0));
  clean_up = (void (*)(long))NULL;
  CALL("opendir", 'v', INX(folder, sizeof folder));
  CALL("opendir", 'p', Y);
  CALL("access", 'i', X, V(0));
  CALL("faccessat", 'i', V(AT_FDCWD), X, V(0), V(0));
  CALL("unlink remove rmdir", 'i', X);
  CALL("unlink remove rmdir", 'i', Y);
  CALL("unlinkat", 'i', V(AT_FDCWD), X, V(0));
  /* Refused before or after the path is looked at. */
  static char no_end[8192];
  memset(no_end, '/', sizeof no_end);
#define LONG IN(no_end, sizeof no_end)
  for (int f = 0; f >= -1; --f) {
    CALL("unlinkat mkdirat", 'i', V(AT_FDCWD), LONG, V(f));
    CALL("unlinkat mkdirat", 'i', V(-9), LONG, V(f));
    CALL("access chmod mkdir truncate truncate64", 'i', LONG, V(f), V(0));
    CALL("faccessat fchmodat openat", 'i', V(AT_FDCWD), LONG, V(f), V(f));
    CALL("fchownat", 'i', V(AT_FDCWD), LONG, V(-1), V(-1), V(f));
    CALL("fstatat fstatat64", 'i', V(AT_FDCWD), LONG, OUT(144), V(f));
    CALL("statx", 'i', V(AT_FDCWD), LONG, V(f), V(0x7ff), OUT(256));
    CALL("open open64 stat lstat chdir unlink readlink rename", 'i', LONG, LONG,
         V(f));
    CALL("name_to_handle_at", 'i', V(AT_FDCWD), LONG, INTS(0, 0), OUT(4), V(f));
    CALL("execveat", 'i', V(AT_FDCWD), LONG, V(0), V(0), V(f));
  }
  CALL("realpath canonicalize_file_name", 'p', LONG, V(0));
  CALL("opendir fopen fopen64", 'p', LONG, TEXT("r"));
  CALL("fopen fopen64", 'p', LONG, TEXT("?"));
  CALL("rmdir remove", 'i', Y);
  CALL("mkdir", 'i', X, V(0700));
  CALL("mkdirat", 'i', V(AT_FDCWD), X, V(0700));
  CALL("mkfifo", 'i', Y, V(0600));
  CALL("chdir", 'i', X);
  CALL("chmod", 'i', X, V(0600));
  CALL("fchmodat", 'i', V(AT_FDCWD), X, V(0600), V(0));
  CALL("chown lchown", 'i', X, V(-1), V(-1));
  CALL("fchownat", 'i', V(AT_FDCWD), X, V(-1), V(-1), V(0));
  CALL("truncate truncate64", 'i', X, V(0));
  CALL("rename link", 'i', X, Y);
  CALL("symlink", 'i', TEXT("x"), Y);
  CALL("renameat", 'i', V(AT_FDCWD), X, V(AT_FDCWD), Y);
  CALL("stat stat64 lstat lstat64", 'i', X, OUTX(144));
  CALL("stat stat64 lstat lstat64", 'i', Y, OUT(144));
  CALL("fstat fstat64", 'i', V(file), OUTX(144));
  CALL("fstat fstat64", 'i', V(-1), OUT(144));
  CALL("fstatat fstatat64", 'i', V(AT_FDCWD), X, OUTX(144), V(0));
  CALL("statx", 'i', V(AT_FDCWD), X, V(0), V(0x7ff), OUTX(256));
  CALL("__xstat __xstat64 __lxstat __lxstat64", 'i', V(1), X, OUTX(144));
  CALL("__fxstat __fxstat64", 'i', V(1), V(file), OUTX(144));
  CALL("statfs statfs64", 'i', X, OUTX(120));
  CALL("fstatfs fstatfs64", 'i', V(file), OUTX(120));
  CALL("statvfs statvfs64", 'i', X, OUTX(112));
  CALL("fstatvfs fstatvfs64", 'i', V(file), OUTX(112));
  refresh = NULL;
  CALL("readlink", 'l', TEXT("/proc/self/exe"), OUTX(4), V(4));
  CALL("__readlink_chk", 'l', TEXT("/proc/self/exe"), OUTX(4), V(4), V(4));
  CALL("readlinkat", 'l', V(AT_FDCWD), TEXT("/proc/self/exe"), OUTX(4), V(4));
  CALL("__readlinkat_chk", 'l', V(AT_FDCWD), TEXT("/proc/self/exe"), OUTX(4),
       V(4), V(4));
  CALL("readlink", 'l', TEXT("/dev/null"), OUT(4), V(4));
  const int before = open(".", O_PATH);
  if (chdir("/tmp"))
    abort();
  CALL("getcwd", 'p', OUT(5), V(5));
  CALL("getcwd", 'p', OUT(2), V(2));
  CALL("__getcwd_chk", 'p', OUT(5), V(5), V(5));
  CALL("getwd", 'p', OUT(4096));
  CALL("__getwd_chk", 'p', OUT(4096), V(4096));
  if (fchdir(before))
    abort();
  clean_up = free_it;
  CALL("get_current_dir_name", 'p', V(0));
  CALL("realpath", 'p', TEXT("/dev/null"), V(0));
  CALL("canonicalize_file_name", 'p', TEXT("/dev/../dev/null"));
  CALL("canonicalize_file_name", 'p', TEXT("/nowhere"));
  clean_up = NULL;
  CALL("realpath", 'p', TEXT("/dev/../dev/null"), OUT(4096));
  CALL("realpath", 'p', TEXT("/nowhere/at/all"), OUT(4096));
  CALL("__realpath_chk", 'p', TEXT("/dev/null"), OUT(4096), V(4096));
  clean_up = close_it;
  CALL("mkstemp mkstemp64", 'f', INX("bounds-XXXXXX", 14));
  CALL("mkostemp mkostemp64", 'f', INX("bounds-XXXXXX", 14), V(0));
  CALL("mkstemps mkstemps64", 'f', INX("bounds-XXXXXXab", 16), V(2));
  CALL("mkostemps mkostemps64", 'f', INX("bounds-XXXXXXab", 16), V(2), V(0));
  CALL("mkstemp mkstemp64 mkdtemp", 'i', TEXT("none"));
  CALL("mkstemps", 'i', TEXT("ab"), V(9));
  CALL("mkstemps", 'i', RAW("ab"), V(-1));
  CALL("mkdtemp mktemp", 'p', INX("bounds-XXXXXX", 14));
  clean_up = NULL;
  CALL("scandir scandir64", 'i', INX(folder, sizeof folder), OUTX(8), V(0),
       V(0));
  CALL("scandir scandir64", 'i', TEXT("/nowhere"), OUT(8), V(0), V(0));
  CALL("scandirat scandirat64", 'i', V(AT_FDCWD), INX(folder, sizeof folder),
       OUTX(8), V(0), V(0));
  only_good = 1; /* the structure says what libc reads */
  CALL("glob glob64", 'e', TEXT("/dev/nul[l]"), V(0), V(0), OUTX(72));
  CALL("glob glob64", 'e', TEXT("/dev/no[l]"), V(0), V(0), OUTX(72));
  CALL("wordexp", 'e', TEXT("a b"), OUTX(24), V(0));
  CALL("wordexp", 'e', TEXT("a;"), OUTX(24), V(0));
  only_good = 0;
  CALL("getxattr lgetxattr", 'l', TEXT("/dev/null"), TEXT("user.x"), OUT(4),
       V(4));
  CALL("fgetxattr", 'l', V(file), TEXT("user.x"), OUT(4), V(4));
  CALL("listxattr llistxattr", 'l', TEXT("/dev/null"), OUT(4), V(4));
  CALL("flistxattr", 'l', V(file), OUT(4), V(4));
  CALL("name_to_handle_at", 'i', V(AT_FDCWD), TEXT("/tmp"), INTS(0, 0), OUTX(4),
       V(0));
  CALL("open_by_handle_at", 'f', V(AT_FDCWD), INTS(0, 0), V(0));
  CALL("open_by_handle_at", 'f', V(AT_FDCWD), INTS(8, 1, 2, 3), V(0));
  CALL("open_by_handle_at", 'f', V(AT_FDCWD), INTS(0x7fffffff, 1), V(0));
  CALL("tmpnam tmpnam_r", 'p', OUTX(20));
  CALL("ctermid", 'p', OUT(9));
  CALL("ttyname ptsname", 'p', V(file));
  static regex_t r, no_matches;
  regcomp(&r, "ne+dle", REG_EXTENDED);
  regcomp(&no_matches, "ne+dle", REG_EXTENDED | REG_NOSUB);
  only_good = 1; /* libc would die with a lock held */
  for (int n = 0; n < 2; ++n) {
    const regex_t *p = n ? &no_matches : &r;
    CALL("regexec", 'e', INX(p, sizeof *p), TEXT("a needle"), V(1), OUT(8),
         V(0));
    CALL("regexec", 'e', INX(p, sizeof *p), RAW("a needle"), V(1), INTS(0, 8),
         V(REG_STARTEND));
    CALL("regexec", 'e', INX(p, sizeof *p), RAW("xx needle"), V(1), INTS(2, 9),
         V(REG_STARTEND));
    CALL("regexec", 'e', INX(p, sizeof *p), RAW("neeee"), V(0), INTS(0, 5),
         V(REG_STARTEND));
    CALL("regexec", 'e', INX(p, sizeof *p), OUT(0), V(1), INTS(5, 5),
         V(REG_STARTEND));
    CALL("regexec", 'e', INX(p, sizeof *p), RAW("neeee"), V(1), OUT(8),
         V(1 << 10));
  }
  CALL("regcomp", 'e', OUTX(64), TEXT("a*b"), V(REG_EXTENDED));
  CALL("regcomp", 'e', OUTX(64), TEXT("(a"), V(REG_EXTENDED));
  only_good = 0;
  CALL("regerror", 'l', V(REG_NOMATCH), INX(&r, sizeof r), OUT(9), V(9));
  CALL("regerror", 'l', V(REG_NOMATCH), INX(&r, sizeof r), OUT(0), V(0));
  CALL("regfree", 'v', ZERO(64));
}

int main(void) {
  set_up();
  memset(text, '1', sizeof text);
  file = memfd_create("file", 0);
  polling = epoll_create1(0);
  queue = msgget(IPC_PRIVATE, 0600);
  terminal = posix_openpt(O_RDWR | O_NOCTTY);
  listening = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct epoll_event event = {EPOLLOUT, {0}};
  if (!mkdtemp(folder) || socketpair(AF_UNIX, SOCK_DGRAM, 0, packets) ||
      epoll_ctl(polling, EPOLL_CTL_ADD, packets[1], &event) || queue < 0)
    abort();
  input_and_output();
  msgctl(queue, IPC_RMID, NULL);
  names_of_hosts();
  files();
  return 0;
}
