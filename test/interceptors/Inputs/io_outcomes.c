/*===- io_outcomes.c - How input and output, and waiting, may end
 *--------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// oracle.test runs it.

#include "call_table.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>

static char text[2 * BASE_PAGE];
static int file, empty_pair[2], stream[2], ended, datagrams[2], full, null_in,
    full_pipe[2], almost_full[2], little[2];

static void set_file(void) {
  lseek(file, 0, SEEK_SET);
  if (ftruncate(file, 0) || write(file, text, 100) != 100)
    abort();
  lseek(file, 0, SEEK_SET);
}
static void at_end(void) {
  set_file();
  lseek(file, 0, SEEK_END);
}
static void near_end(void) {
  set_file();
  lseek(file, 90, SEEK_SET);
}
/* A datagram of 30 bytes, from an address of 16. */
static void one_datagram(void) {
  char away[BASE_PAGE];
  while (recv(datagrams[0], away, sizeof away, MSG_DONTWAIT) >= 0)
    ;
  struct sockaddr_in to;
  socklen_t n = sizeof to;
  getsockname(datagrams[0], (struct sockaddr *)&to, &n);
  if (sendto(datagrams[1], text, 30, 0, (struct sockaddr *)&to, n) != 30)
    abort();
}
/* Bytes in a stream, which has no addresses. */
static void some_bytes(void) {
  char away[BASE_PAGE];
  while (recv(stream[0], away, sizeof away, MSG_DONTWAIT) > 0)
    ;
  if (send(stream[1], text, 30, 0) != 30)
    abort();
}
/* A pipe with little room. */
static void little_room(void) {
  char away[65536];
  while (read(almost_full[0], away, sizeof away) > 0)
    ;
  if (write(almost_full[1], away, 65536 - 4096) < 0)
    abort();
}

#define PIECES(i, first, j, second)                                            \
  WORDS(at(i, first), first, at(j, second), second)
static void reads(void) {
  refresh = near_end;
  OUTCOME("short", "read __read_chk", 'l', V(file), OUT(3 * BASE_PAGE),
          V(3 * BASE_PAGE), V(3 * BASE_PAGE));
  OUTCOME("short", "pread pread64", 'l', V(file), OUT(3 * BASE_PAGE),
          V(3 * BASE_PAGE), V(95));
  OUTCOME("short", "__pread_chk __pread64_chk", 'l', V(file),
          OUT(3 * BASE_PAGE), V(3 * BASE_PAGE), V(95), V(3 * BASE_PAGE));
  OUTCOME("short", "readv", 'l', V(file), PIECES(3, 4, 4, 9000), V(2), OUT(4),
          OUT(9000));
  OUTCOME("short", "readv", 'l', V(file), PIECES(3, 9000, 4, 4), V(2),
          OUT(9000), OUT(4));
  CALL("readv", 'l', V(file), PIECES(3, 0, 4, 4), V(2), OUT(0), OUT(4));
  OUTCOME("short", "preadv preadv64", 'l', V(file), PIECES(4, 4, 5, 9000), V(2),
          V(92), OUT(4), OUT(9000));
  OUTCOME("short", "preadv2 preadv64v2", 'l', V(file), PIECES(5, 4, 6, 9000),
          V(2), V(92), V(0), OUT(4), OUT(9000));
  refresh = at_end;
  OUTCOME("end", "read __read_chk", 'l', V(file), OUT(10), V(10), V(10));
  OUTCOME("end", "pread pread64", 'l', V(file), OUT(10), V(10), V(100));
  OUTCOME("end", "__pread_chk __pread64_chk", 'l', V(file), OUT(10), V(10),
          V(100), V(10));
  OUTCOME("end", "readv", 'l', V(file), PIECES(3, 4, 4, 9), V(2), OUT(4),
          OUT(9));
  OUTCOME("end", "preadv preadv64", 'l', V(file), PIECES(4, 4, 5, 9), V(2),
          V(200), OUT(4), OUT(9));
  OUTCOME("end", "preadv2 preadv64v2", 'l', V(file), PIECES(5, 4, 6, 9), V(2),
          V(200), V(0), OUT(4), OUT(9));
  refresh = set_file;
  OUTCOME("empty", "read __read_chk", 'l', V(file), OUT(10), V(0), V(10));
  OUTCOME("empty", "pread pread64", 'l', V(file), OUT(10), V(0), V(0));
  OUTCOME("empty", "readv", 'l', V(file), WORDS(at(3, 4), 4), V(0), OUT(4));
  OUTCOME("empty", "preadv preadv64", 'l', V(file), WORDS(at(4, 4), 4), V(0),
          V(0), OUT(4));
  OUTCOME("empty", "readv", 'l', V(file), PIECES(3, 0, 4, 0), V(2), OUT(0),
          OUT(0));
  CALL("read __read_chk", 'l', V(empty_pair[0]), OUT(10), V(10), V(10));
  CALL("pread pread64", 'l', V(file), OUT(10), V(10), V(-1));
  CALL("pread pread64", 'l', V(empty_pair[0]), OUT(10), V(10), V(0));
  CALL("__pread_chk __pread64_chk", 'l', V(file), OUT(10), V(10), V(-1), V(10));
  CALL("readv", 'l', V(empty_pair[0]), PIECES(3, 4, 4, 9), V(2), OUT(4),
       OUT(9));
  CALL("preadv preadv64", 'l', V(file), PIECES(4, 4, 5, 9), V(2), V(-5), OUT(4),
       OUT(9));
  CALL("preadv2 preadv64v2", 'l', V(file), PIECES(5, 4, 6, 9), V(2), V(0),
       V(0x4000), OUT(4), OUT(9));
  CALL("preadv2 preadv64v2", 'l', V(file), PIECES(5, 4, 6, 9), V(2), V(-1),
       V(0), OUT(4), OUT(9));
  /* The second piece is not there. */
  OUTCOME("short", "readv", 'l', V(file), WORDS(at(3, 4), 4, 8, 9), V(2),
          OUT(4));
  OUTCOME("failure", "readv", 'l', V(file), WORDS(8, 4, at(3, 4), 4), V(2),
          OUT(4));
  same_process = 1; /* whose memory it is */
  OUTCOME("short", "process_vm_readv", 'l', V(getpid()), PIECES(6, 10, 7, 9000),
          V(2), WORDS(at(8, 20), 20), V(1), V(0), OUT(10), OUT(9000),
          IN(text, 20));
  OUTCOME("short", "process_vm_readv", 'l', V(getpid()), PIECES(6, 10, 7, 9000),
          V(2), WORDS(at(8, 20), 20, 8, 100), V(2), V(0), OUT(10), OUT(9000),
          IN(text, 20));
  OUTCOME("failure", "process_vm_readv", 'l', V(getpid()), WORDS(at(6, 10), 10),
          V(1), WORDS(8, 10), V(1), V(0), OUT(10));
  OUTCOME("failure", "process_vm_readv process_vm_writev", 'l', V(1 << 22),
          WORDS(at(6, 10), 10), V(1), WORDS(8, 10), V(1), V(0), OUT(10));
  OUTCOME("failure", "process_vm_readv process_vm_writev", 'l', V(getpid()),
          WORDS(at(6, 10), 10), V(1), WORDS(at(6, 10), 10), V(1), V(1),
          OUT(10));
  OUTCOME("empty", "process_vm_readv process_vm_writev", 'l', V(getpid()),
          WORDS(at(6, 10), 10), V(0), WORDS(at(6, 10), 10), V(1), V(0),
          OUT(10));
  OUTCOME("short", "process_vm_writev", 'l', V(getpid()), WORDS(at(6, 10), 10),
          V(1), WORDS(at(7, 4), 4), V(1), V(0), IN(text, 10), OUT(4));
  same_process = 0;
  CALL("getrandom", 'l', OUT(10), V(10), V(-1));
  OUTCOME("empty", "getrandom", 'l', OUT(10), V(0), V(0));
  OUTCOME("empty", "getentropy", 'i', OUT(10), V(0));
  OUTCOME("failure", "getentropy", 'i', OUT(300), V(300));
  OUTCOME("empty", "arc4random_buf", 'v', OUT(10), V(0));
}

static void writes(void) {
  refresh = set_file;
  CALL("write", 'l', V(-1), IN(text, 10), V(10));
  CALL("write", 'l', V(full), IN(text, 10), V(10));
  CALL("pwrite pwrite64", 'l', V(file), IN(text, 10), V(10), V(-1));
  CALL("pwrite pwrite64", 'l', V(-1), IN(text, 10), V(10), V(0));
  OUTCOME("empty", "write", 'l', V(file), IN(text, 10), V(0));
  OUTCOME("empty", "pwrite pwrite64", 'l', V(file), IN(text, 10), V(0), V(0));
  CALL("pwritev pwritev64", 'l', V(-1), PIECES(4, 10, 5, 20), V(2), V(0),
       IN(text, 10), IN(text, 20));
  CALL("pwritev pwritev64", 'l', V(file), PIECES(4, 10, 5, 20), V(2), V(-5),
       IN(text, 10), IN(text, 20));
  CALL("pwritev2 pwritev64v2", 'l', V(file), PIECES(5, 10, 6, 20), V(2), V(0),
       V(0x4000), IN(text, 10), IN(text, 20));
  OUTCOME("empty", "pwritev pwritev64", 'l', V(file), WORDS(at(4, 4), 4), V(0),
          V(0), IN(text, 4));
  OUTCOME("short", "writev", 'l', V(file), WORDS(at(3, 10), 10, 8, 20), V(2),
          IN(text, 10));
  refresh = little_room;
  OUTCOME("short", "write", 'l', V(almost_full[1]), IN(zeros, 5 * BASE_PAGE),
          V(5 * BASE_PAGE));
  OUTCOME("short", "writev", 'l', V(almost_full[1]),
          PIECES(3, 10, 4, 5 * BASE_PAGE), V(2), IN(text, 10),
          IN(zeros, 5 * BASE_PAGE));
  refresh = NULL;
  CALL("write", 'l', V(full_pipe[1]), IN(text, 10), V(10));
  CALL("writev", 'l', V(full_pipe[1]), PIECES(3, 10, 4, 20), V(2), IN(text, 10),
       IN(text, 20));
  CALL("send", 'l', V(little[1]), IN(text, 10), V(10), V(MSG_DONTWAIT));
  CALL("send", 'l', V(-1), IN(text, 10), V(10), V(MSG_DONTWAIT));
  CALL("send", 'l', V(file), IN(text, 10), V(10), V(MSG_DONTWAIT));
  OUTCOME("empty", "send", 'l', V(stream[1]), IN(text, 10), V(0), V(0));
  CALL("sendto", 'l', V(little[1]), IN(text, 10), V(10), V(MSG_DONTWAIT), V(0),
       V(0));
  CALL("sendto", 'l', V(datagrams[1]), IN(text, 10), V(10), V(0),
       IN("\2\0\0", 3), V(3));
  CALL("sendto", 'l', V(-1), IN(text, 10), V(10), V(0), ZERO(16), V(16));
  CALL("sendmsg", 'l', V(little[1]), WORDS(0, 0, at(3, 16), 1, 0, 0, 0),
       V(MSG_DONTWAIT), WORDS(at(4, 30), 30), IN(text, 30));
  CALL("sendmsg", 'l', V(stream[1]), WORDS(0, 0, at(3, 16), 5000, 0, 0, 0),
       V(MSG_DONTWAIT), WORDS(at(4, 30), 30), IN(text, 30));
  OUTCOME("empty", "sendmsg", 'l', V(stream[1]),
          WORDS(0, 0, at(3, 16), 0, 0, 0, 0), V(MSG_DONTWAIT),
          WORDS(at(4, 30), 30), IN(text, 30));
  CALL("sendmmsg", 'i', V(little[1]), WORDS(0, 0, at(5, 16), 1, 0, 0, 0, 0),
       V(1), V(MSG_DONTWAIT), V(0), WORDS(at(6, 30), 30), IN(text, 30));
  OUTCOME("empty", "sendmmsg", 'i', V(little[1]),
          WORDS(0, 0, at(5, 16), 1, 0, 0, 0, 0), V(0), V(MSG_DONTWAIT), V(0),
          WORDS(at(6, 30), 30), IN(text, 30));
  OUTCOME(
      "short", "sendmmsg", 'i', V(stream[1]),
      WORDS(0, 0, at(5, 16), 1, 0, 0, 0, 0, 8, 16, at(5, 16), 1, 0, 0, 0, 0),
      V(2), V(MSG_DONTWAIT), V(0), WORDS(at(6, 30), 30), IN(text, 30));
  refresh = set_file;
  OUTCOME("end", "sendfile sendfile64", 'l', V(stream[1]), V(file), WORDS(100),
          V(10));
  CALL("sendfile sendfile64", 'l', V(stream[1]), V(file), V(0), V(10));
  OUTCOME("short", "sendfile sendfile64", 'l', V(stream[1]), V(file), WORDS(95),
          V(10));
  CALL("sendfile sendfile64", 'l', V(stream[1]), V(file), WORDS(-1), V(10));
  CALL("splice", 'l', V(file), WORDS(5), V(little[1]), V(0), V(10), V(0));
  CALL("splice", 'l', V(file), WORDS(5), V(almost_full[1]), V(0), V(10), V(2));
  /* The extents of a file lie behind the head. */
  static const long extents[(BASE_PAGE + 32) / 8] = {0, 1L << 40, 1, 73};
  CALL("ioctl", 'i', V(file), V(0xc020660b /* FIEMAP */),
       IN(extents, sizeof extents));
  CALL("vmsplice", 'l', V(almost_full[1]), PIECES(4, 10, 5, 20), V(2), V(2),
       IN(text, 10), IN(text, 20));
  CALL("vmsplice", 'l', V(almost_full[0]), PIECES(4, 10, 5, 20), V(2), V(2),
       OUT(10), OUT(20));
  OUTCOME("short", "vmsplice", 'l', V(almost_full[1]),
          PIECES(4, 10, 5, 3 * BASE_PAGE), V(2), V(2), IN(text, 10),
          IN(zeros, 3 * BASE_PAGE));
  OUTCOME("empty", "vmsplice", 'l', V(almost_full[1]), WORDS(at(4, 10), 10),
          V(0), V(2), IN(text, 10));
  OUTCOME("end", "splice", 'l', V(file), WORDS(100), V(almost_full[1]), V(0),
          V(10), V(2));
  CALL("splice", 'l', V(almost_full[0]), V(0), V(file), WORDS(3), V(10), V(2));
  CALL("splice", 'l', V(almost_full[0]), WORDS(3), V(file), WORDS(3), V(10),
       V(2));
  OUTCOME("end", "copy_file_range", 'l', V(file), WORDS(100), V(file),
          WORDS(200), V(10), V(0));
  CALL("copy_file_range", 'l', V(file), WORDS(0), V(-1), WORDS(0), V(10), V(0));
  CALL("copy_file_range", 'l', V(file), WORDS(0), V(file), WORDS(5), V(10),
       V(1));
  refresh = NULL;
}

#define HEADER(name, name_size, control, control_size)                         \
  WORDS(at(name, name_size), name_size, at(3, 16), 1,                          \
        at(control, control_size), control_size, 0)
#define COUNTED(i) 0, 0, at(i, 16), 1, 0, 0, 0, 0
static void receives(void) {
  refresh = one_datagram;
  OUTCOME("truncated", "recv", 'l', V(datagrams[0]), OUT(10), V(10), V(0));
  OUTCOME("truncated", "recv", 'l', V(datagrams[0]), OUT(2 * BASE_PAGE), V(10),
          V(MSG_TRUNC));
  OUTCOME("truncated", "recv", 'l', V(datagrams[0]), OUT(10), V(10),
          V(MSG_TRUNC));
  OUTCOME("short", "recv", 'l', V(datagrams[0]), OUT(2 * BASE_PAGE),
          V(2 * BASE_PAGE), V(0));
  CALL("recv", 'l', V(datagrams[0]), OUT(30), V(30), V(MSG_PEEK));
  OUTCOME("empty", "recv", 'l', V(datagrams[0]), OUT(10), V(0), V(0));
  OUTCOME("truncated", "__recv_chk", 'l', V(datagrams[0]), OUT(10), V(10),
          V(10), V(MSG_TRUNC));
#define FROM(outcome, room, name, size, flags)                                 \
  OUTCOME(outcome, "recvfrom", 'l', V(datagrams[0]), OUT(room), V(room),       \
          V(flags), OUT(name), INTS(size));                                    \
  OUTCOME(outcome, "__recvfrom_chk", 'l', V(datagrams[0]), OUT(room), V(room), \
          V(room), V(flags), OUT(name), INTS(size))
  FROM(NULL, 30, 16, 16, 0);
  FROM("short", 2 * BASE_PAGE, BASE_PAGE + 16, BASE_PAGE + 16, 0);
  FROM("truncated", 10, 16, 4, 0);
  FROM("truncated", 10, 16, 0, MSG_TRUNC);
  FROM("failure", 10, 16, -1, 0);
  OUTCOME("short", "recvfrom", 'l', V(datagrams[0]), OUT(40), V(40), V(0), V(0),
          INTS(16));
  OUTCOME("truncated", "recvmsg", 'l', V(datagrams[0]), HEADER(4, 4, 5, 8),
          V(0), WORDS(at(6, 10), 10), OUT(4), OUT(8), OUT(10));
  OUTCOME("truncated", "recvmsg", 'l', V(datagrams[0]), HEADER(4, 16, 5, 8),
          V(MSG_TRUNC), WORDS(at(6, 10), 10), OUT(16), OUT(8), OUT(10));
  OUTCOME("short", "recvmsg", 'l', V(datagrams[0]),
          HEADER(4, BASE_PAGE + 16, 5, 8), V(0), WORDS(at(6, 9000), 9000),
          OUT(BASE_PAGE + 16), OUT(8), OUT(9000));
  OUTCOME("truncated", "recvmsg", 'l', V(datagrams[0]),
          WORDS(0, 0, at(3, 16), 0, 0, 0, 0), V(0), WORDS(at(4, 10), 10),
          OUT(10));
  OUTCOME("truncated", "recvmmsg", 'i', V(datagrams[0]), WORDS(COUNTED(5)),
          V(1), V(MSG_DONTWAIT | MSG_TRUNC), V(0), WORDS(at(6, 10), 10),
          OUT(10));
  OUTCOME("short", "recvmmsg", 'i', V(datagrams[0]),
          WORDS(COUNTED(5), COUNTED(7)), V(2), V(MSG_DONTWAIT),
          INX(((long[]){5, 0}), 16), WORDS(at(6, 9000), 9000), OUT(9000),
          WORDS(at(8, 10), 10), OUT(10));
  OUTCOME("empty", "recvmmsg", 'i', V(datagrams[0]), WORDS(COUNTED(5)), V(0),
          V(MSG_DONTWAIT), WORDS(5, 0), WORDS(at(6, 10), 10), OUT(10));
  refresh = some_bytes;
  OUTCOME("short", "recvfrom", 'l', V(stream[0]), OUT(40), V(40), V(0), OUT(16),
          INTS(16));
  OUTCOME("short", "recvmsg", 'l', V(stream[0]), HEADER(4, 16, 5, 8), V(0),
          WORDS(at(6, 100), 100), OUT(16), OUT(8), OUT(100));
  refresh = NULL;
  OUTCOME("end", "recv", 'l', V(ended), OUT(10), V(10), V(0));
  OUTCOME("end", "__recv_chk", 'l', V(ended), OUT(10), V(10), V(10), V(0));
  OUTCOME("end", "recvfrom", 'l', V(ended), OUT(10), V(10), V(0), OUT(16),
          INTS(16));
  OUTCOME("end", "__recvfrom_chk", 'l', V(ended), OUT(10), V(10), V(10), V(0),
          OUT(16), INTS(16));
  OUTCOME("end", "recvmsg", 'l', V(ended), HEADER(4, 16, 5, 8), V(0),
          WORDS(at(6, 10), 10), OUT(16), OUT(8), OUT(10));
  OUTCOME("end", "recvmmsg", 'i', V(ended), WORDS(COUNTED(5)), V(1),
          V(MSG_DONTWAIT), V(0), WORDS(at(6, 10), 10), OUT(10));
  CALL("recv", 'l', V(empty_pair[0]), OUT(10), V(10), V(MSG_DONTWAIT));
  CALL("__recv_chk", 'l', V(empty_pair[0]), OUT(10), V(10), V(10),
       V(MSG_DONTWAIT));
  CALL("recvfrom", 'l', V(empty_pair[0]), OUT(10), V(10), V(MSG_DONTWAIT),
       OUT(16), INTS(16));
  CALL("__recvfrom_chk", 'l', V(empty_pair[0]), OUT(10), V(10), V(10),
       V(MSG_DONTWAIT), OUT(16), INTS(16));
  CALL("recvmsg", 'l', V(empty_pair[0]), HEADER(4, 16, 5, 8), V(MSG_DONTWAIT),
       WORDS(at(6, 10), 10), OUT(16), OUT(8), OUT(10));
  CALL("recvmmsg", 'i', V(empty_pair[0]), WORDS(COUNTED(5), COUNTED(7)), V(2),
       V(MSG_DONTWAIT), WORDS(1, 0), WORDS(at(6, 10), 10), OUT(10),
       WORDS(at(8, 10), 10), OUT(10));
  CALL("recvmmsg", 'i', V(empty_pair[0]), WORDS(COUNTED(5)), V(1),
       V(MSG_DONTWAIT), WORDS(1, -1), WORDS(at(6, 10), 10), OUT(10));
}

static int listening, address_of;
static struct sockaddr_in there;
static void connect_again(void) {
  int fd;
  while ((fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK)) >= 0)
    close(fd);
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(client, (struct sockaddr *)&there, sizeof there))
    abort();
}
static void close_it(long fd) {
  if ((int)fd > 2)
    close((int)fd);
}
static void sockets(void) {
  listening = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  there.sin_family = AF_INET, there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t n = sizeof there;
  if (bind(listening, (struct sockaddr *)&there, n) || listen(listening, 5) ||
      getsockname(listening, (struct sockaddr *)&there, &n))
    abort();
#define ADDRESS INX(&there, sizeof there)
  CALL("accept", 'f', V(listening), OUT(16), INTS(16));
  CALL("accept4", 'f', V(listening), OUT(16), INTS(16), V(0));
  CALL("accept4", 'f', V(listening), OUT(16), INTS(16), V(12345));
  refresh = connect_again, clean_up = close_it;
  OUTCOME("truncated", "accept", 'f', V(listening), OUTX(16), INTS(4));
  OUTCOME("truncated", "accept4", 'f', V(listening), OUTX(16), INTS(4), V(0));
  OUTCOME("truncated", "accept", 'f', V(listening), OUTX(16), INTS(0));
  OUTCOME("short", "accept", 'f', V(listening), OUTX(BASE_PAGE + 16),
          INTS(BASE_PAGE + 16));
  OUTCOME("short", "accept4", 'f', V(listening), OUTX(BASE_PAGE + 16),
          INTS(BASE_PAGE + 16), V(0));
  CALL("accept", 'f', V(listening), OUTX(16), INTS(16));
  CALL("accept4", 'f', V(listening), OUTX(16), INTS(16), V(0));
  CALL("accept", 'f', V(listening), V(0), V(0));
  CALL("accept", 'f', V(listening), OUT(16), INTS(-1));
  refresh = NULL, clean_up = NULL;
  CALL("accept", 'f', V(-1), OUT(16), INTS(16));
  CALL("getsockname", 'i', V(listening), OUTX(16), INTS(16));
  OUTCOME("truncated", "getsockname", 'i', V(listening), OUTX(16), INTS(4));
  OUTCOME("truncated", "getsockname", 'i', V(listening), OUTX(16), INTS(0));
  OUTCOME("short", "getsockname", 'i', V(listening), OUTX(BASE_PAGE + 16),
          INTS(BASE_PAGE + 16));
  CALL("getsockname getpeername", 'i', V(-1), OUT(16), INTS(16));
  CALL("getsockname getpeername", 'i', V(file), OUT(16), INTS(16));
  OUTCOME("short", "getpeername", 'i', V(stream[0]), OUT(BASE_PAGE + 16),
          INTS(BASE_PAGE + 16));
  OUTCOME("truncated", "getpeername", 'i', V(stream[0]), OUT(16), INTS(1));
  CALL("getpeername", 'i', V(stream[0]), OUT(16), INTS(-1));
#define OPTION(outcome, level, name, size, room)                               \
  OUTCOME(outcome, "getsockopt", 'i', V(listening), V(level), V(name),         \
          OUTX(room), INTS(size))
  OPTION("truncated", SOL_SOCKET, SO_TYPE, 1, 4);
  OPTION("empty", SOL_SOCKET, SO_TYPE, 0, 4);
  OPTION("short", SOL_SOCKET, SO_TYPE, 8000, 8000);
  OPTION(NULL, SOL_SOCKET, SO_LINGER, 8, 8);
  OPTION(NULL, SOL_SOCKET, SO_RCVTIMEO, 16, 16);
  OPTION("short", IPPROTO_TCP, TCP_INFO, 8000, 8000);
  OPTION("truncated", IPPROTO_TCP, TCP_INFO, 9, 9);
  OPTION("failure", SOL_SOCKET, 9999, 4, 4);
  OPTION("failure", 999, 1, 4, 4);
  OPTION("failure", SOL_SOCKET, SO_TYPE, -1, 4);
  CALL("getsockopt", 'i', V(-1), V(SOL_SOCKET), V(SO_TYPE), OUT(4), INTS(4));
  CALL("setsockopt", 'i', V(-1), V(SOL_SOCKET), V(SO_KEEPALIVE), INTS(0), V(4));
  CALL("setsockopt", 'i', V(listening), V(SOL_SOCKET), V(SO_KEEPALIVE), INTS(0),
       V(2));
  CALL("setsockopt", 'i', V(listening), V(SOL_SOCKET), V(9999), INTS(0), V(4));
  CALL("setsockopt", 'i', V(listening), V(SOL_SOCKET), V(SO_LINGER), INTS(0, 0),
       V(8));
  const int open_socket = socket(AF_INET, SOCK_DGRAM, 0);
  CALL("bind", 'i', V(listening), ADDRESS, V(16));
  CALL("connect", 'i', V(open_socket), ADDRESS, V(16));
  CALL("connect", 'i', V(listening), ADDRESS, V(16));
  CALL("bind connect", 'i', V(file), ADDRESS, V(16));
  CALL("bind connect", 'i', V(open_socket), OUT(200), V(200));
  same_process = 1;
  CALL("bind", 'v', V(socket(AF_INET, SOCK_DGRAM, 0)), ZERO(16), V(16));
  same_process = 0;
  CALL("socketpair", 'i', V(AF_INET), V(SOCK_STREAM), V(0), OUT(8));
  CALL("socketpair", 'i', V(AF_UNIX), V(99), V(0), OUT(8));
}

static int polling;
static void watch_again(void) {
  struct epoll_event event = {.events = EPOLLOUT, .data.fd = 7};
  epoll_ctl(polling, EPOLL_CTL_ADD, stream[0], &event);
}
static void waits(void) {
  OUTCOME("empty", "poll __poll_chk", 'i', INTS(empty_pair[0], POLLIN), V(1),
          V(0), V(8));
  OUTCOME("empty", "poll __poll_chk", 'i', INTS(-1, POLLIN), V(1), V(1), V(8));
  OUTCOME("empty", "poll", 'i', OUT(8), V(0), V(0));
  OUTCOME("empty", "ppoll __ppoll_chk", 'i', INTS(empty_pair[0], POLLIN), V(1),
          WORDS(0, 1000), V(0), V(8));
  OUTCOME("failure", "ppoll __ppoll_chk", 'i', INTS(empty_pair[0], POLLIN),
          V(1), WORDS(0, -1), V(0), V(8));
  OUTCOME("failure", "__poll_chk", 'i', OUT(8), V(1 << 29), V(0), V(-1));
  CALL("poll", 'i', INTS(999, POLLIN, stream[0], POLLOUT), V(2), V(0));
  const long waiting = 1L << empty_pair[0];
  OUTCOME("empty", "select", 'i', V(empty_pair[0] + 1), WORDS(waiting), V(0),
          V(0), WORDS(0, 1000));
  OUTCOME("empty", "pselect", 'i', V(empty_pair[0] + 1), WORDS(waiting), V(0),
          V(0), WORDS(0, 1000), V(0));
  OUTCOME("empty", "select", 'i', V(0), V(0), V(0), V(0), WORDS(0, 0));
  OUTCOME("empty", "select pselect", 'i', V(0), ZERO(128), ZERO(128), ZERO(128),
          WORDS(0, 0), V(0));
  OUTCOME("failure", "select", 'i', V(64), WORDS(-1), ZERO(8), V(0),
          WORDS(0, 0));
  OUTCOME("failure", "pselect", 'i', V(64), WORDS(-1), ZERO(8), V(0),
          WORDS(0, 0), V(0));
  OUTCOME("failure", "select", 'i', V(8), WORDS(0), V(0), V(0), WORDS(-1, 0));
  OUTCOME("failure", "pselect", 'i', V(8), WORDS(0), V(0), V(0), WORDS(-1, 0),
          V(0));
  OUTCOME("empty", "select pselect", 'i', V(9), ZERO(BASE_PAGE + 8), V(0), V(0),
          WORDS(0, 0), V(0));
  polling = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = 7};
  const int quiet = epoll_create1(0);
  if (epoll_ctl(quiet, EPOLL_CTL_ADD, empty_pair[0], &event))
    abort();
  watch_again();
  OUTCOME("empty", "epoll_wait epoll_pwait", 'i', V(quiet), OUT(12), V(1), V(0),
          V(0));
  OUTCOME("empty", "epoll_pwait2", 'i', V(quiet), OUT(12), V(1), WORDS(0, 0),
          V(0));
  OUTCOME("short", "epoll_wait epoll_pwait", 'i', V(polling), OUT(9000), V(750),
          V(0), V(0));
  OUTCOME("short", "epoll_pwait2", 'i', V(polling), OUT(9000), V(750),
          WORDS(0, 0), V(0));
  CALL("epoll_wait epoll_pwait", 'i', V(polling), OUT(12), V(0), V(0), V(0));
  CALL("epoll_wait epoll_pwait", 'i', V(file), OUT(12), V(1), V(0), V(0));
  CALL("epoll_pwait2", 'i', V(-1), OUT(12), V(1), WORDS(0, 0), V(0));
  CALL("epoll_pwait2", 'i', V(polling), OUT(12), V(1), WORDS(0, -1), V(0));
  CALL("epoll_ctl", 'i', V(polling), V(EPOLL_CTL_ADD), V(stream[0]),
       IN("\4\0\0\0abcdefgh", 12));
  CALL("epoll_ctl", 'i', V(-1), V(EPOLL_CTL_ADD), V(stream[0]),
       IN("\4\0\0\0abcdefgh", 12));
  refresh = watch_again;
  CALL("epoll_ctl", 'i', V(polling), V(EPOLL_CTL_DEL), V(stream[0]), OUT(12));
  refresh = NULL;
  CALL("epoll_ctl", 'i', V(polling), V(EPOLL_CTL_DEL), V(stream[1]), V(0));
  CALL("epoll_ctl", 'i', V(polling), V(99), V(stream[1]), OUT(12));
}

static mqd_t queue;
static int messages, semaphores, segment;
static char queue_name[40];
static void empty_queue(void) {
  char away[64];
  while (mq_receive(queue, away, sizeof away, NULL) >= 0)
    ;
  while (msgrcv(messages, away, 40, 0, IPC_NOWAIT) >= 0)
    ;
}
static void one_message(void) {
  empty_queue();
  if (mq_send(queue, "hey", 4, 2) ||
      msgsnd(messages, (long[]){1, 2, 3}, 16, IPC_NOWAIT))
    abort();
}
static void full_queue(void) {
  empty_queue();
  while (!mq_send(queue, "hey", 4, 2))
    ;
}
static void queues(void) {
  snprintf(queue_name, sizeof queue_name, "/pagetide-o-%d", (int)getpid());
  struct mq_attr small;
  memset(&small, 0, sizeof small);
  small.mq_maxmsg = 2, small.mq_msgsize = 64;
  queue = mq_open(queue_name, O_CREAT | O_RDWR | O_NONBLOCK, 0600, &small);
  messages = msgget(IPC_PRIVATE, 0600);
  semaphores = semget(IPC_PRIVATE, 3, 0600);
  segment = shmget(IPC_PRIVATE, BASE_PAGE, 0600);
  refresh = one_message;
  OUTCOME("short", "mq_receive", 'l', V(queue), OUT(9000), V(9000), OUT(4));
  OUTCOME("short", "mq_timedreceive", 'l', V(queue), OUT(9000), V(9000), OUT(4),
          V(0));
  OUTCOME("truncated", "msgrcv", 'l', V(messages), OUT(16), V(8), V(0),
          V(IPC_NOWAIT | MSG_NOERROR));
  OUTCOME("failure", "msgrcv", 'l', V(messages), OUT(16), V(8), V(0),
          V(IPC_NOWAIT));
  OUTCOME("short", "msgrcv", 'l', V(messages), OUT(9000), V(8992), V(0),
          V(IPC_NOWAIT));
  OUTCOME("empty", "msgrcv", 'l', V(messages), OUT(8), V(0), V(0),
          V(IPC_NOWAIT | MSG_NOERROR));
  refresh = empty_queue;
  CALL("mq_receive", 'l', V(queue), OUT(64), V(64), OUT(4));
  CALL("mq_timedreceive", 'l', V(queue), OUT(64), V(64), OUT(4), WORDS(1, 0));
  CALL("mq_timedreceive", 'l', V(-1), OUT(64), V(64), OUT(4), WORDS(1, 0));
  CALL("mq_timedreceive", 'l', V(queue), OUT(64), V(64), V(0), WORDS(1, -1));
  CALL("mq_timedsend", 'i', V(queue), OUT(64), V(64), V(0), WORDS(1, -1));
  CALL("msgrcv", 'l', V(messages), OUT(16), V(8), V(0), V(IPC_NOWAIT));
  CALL("msgsnd", 'i', V(messages), WORDS(0, 2), V(8), V(IPC_NOWAIT));
  CALL("msgsnd", 'i', V(messages), WORDS(1, 2), V(-8), V(IPC_NOWAIT));
  OUTCOME("empty", "msgsnd", 'i', V(messages), WORDS(1, 2), V(0),
          V(IPC_NOWAIT));
  OUTCOME("empty", "mq_send", 'i', V(queue), OUT(8), V(0), V(1));
  OUTCOME("empty", "mq_timedsend", 'i', V(queue), OUT(8), V(0), V(1), V(0));
  refresh = full_queue;
  CALL("mq_send", 'i', V(queue), TEXT("hoy"), V(4), V(1));
  CALL("mq_timedsend", 'i', V(queue), TEXT("hoy"), V(4), V(1), WORDS(1, 0));
  refresh = NULL;
  CALL("mq_send", 'i', V(queue), OUT(100), V(100), V(1));
  CALL("mq_send", 'i', V(-1), TEXT("hoy"), V(4), V(1));
  CALL("mq_getattr", 'i', V(file), OUT(64));
  CALL("mq_setattr", 'i', V(-1), IN(&small, sizeof small), OUT(64));
  CALL("mq_setattr", 'i', V(queue), WORDS(1, 0, 0, 0, 0, 0, 0, 0), OUT(64));
  CALL("mq_setattr", 'i', V(queue), IN(&small, sizeof small), V(0));
  CALL("__mq_open_2", 'f', TEXT("/pagetide-none"), V(O_RDWR));
  mq_unlink(queue_name);
  CALL("msgctl", 'i', V(messages), V(IPC_SET), ZERO(120));
  CALL("msgctl", 'f', V(0), V(3 /* IPC_INFO */), OUTX(32));
  CALL("msgctl", 'f', V(0), V(12 /* MSG_INFO */), OUTX(32));
  CALL("msgctl", 'i', V(-1), V(IPC_SET), ZERO(120));
  CALL("msgctl", 'i', V(-1), V(IPC_STAT), OUT(120));
  CALL("semop", 'i', V(semaphores), IN("\0\0\377\377\0\010", 6), V(1));
  CALL("semop", 'i', V(semaphores), IN("\0\0\1\0\0\0", 6), V(0));
  CALL("semop", 'i', V(semaphores), IN(zeros, 9000), V(1500));
  CALL("semtimedop", 'i', V(semaphores), IN("\0\0\377\377\0\0", 6), V(1),
       WORDS(0, 1));
  CALL("semtimedop", 'i', V(semaphores), IN("\0\0\377\377\0\0", 6), V(1),
       WORDS(0, -1));
  CALL("semctl", 'f', V(0), V(0), V(3 /* IPC_INFO */), OUTX(40));
  CALL("semctl", 'f', V(0), V(0), V(19 /* SEM_INFO */), OUTX(40));
  CALL("semctl", 'i', V(-1), V(0), V(IPC_STAT), OUT(104));
  CALL("semctl", 'i', V(-1), V(0), V(13), OUT(6));
  CALL("semctl", 'i', V(semaphores), V(9), V(16 /* SETVAL */), V(0));
  CALL("semctl", 'i', V(semaphores), V(0), V(17), IN("\377\377\0\0\0\0", 6));
  CALL("semctl", 'i', V(semaphores), V(0), V(IPC_SET), ZERO(104));
  CALL("shmctl", 'i', V(segment), V(IPC_STAT), OUTX(112));
  CALL("shmctl", 'i', V(segment), V(IPC_SET), ZERO(112));
  CALL("shmctl", 'i', V(-1), V(IPC_SET), ZERO(112));
  CALL("shmctl", 'f', V(0), V(14 /* SHM_INFO */), OUTX(48));
  msgctl(messages, IPC_RMID, NULL), semctl(semaphores, 0, IPC_RMID);
  shmctl(segment, IPC_RMID, NULL);
  CALL("eventfd_read", 'i', V(eventfd(0, EFD_NONBLOCK)), OUT(8));
  CALL("eventfd_read", 'i', V(-1), OUT(8));
  CALL("eventfd_write", 'i', V(-1), V(1));
  CALL("mincore", 'i', V(0x300000000000), V(4096), OUT(1));
}

static int end_of_space(int pair[2]) {
  char filler[BASE_PAGE];
  memset(filler, 'f', sizeof filler);
  const int fd = pair[1];
  fcntl(fd, F_SETFL, O_NONBLOCK);
  while (write(fd, filler, sizeof filler) > 0)
    ;
  return fd;
}

int main(void) {
  memset(text, 'x', sizeof text);
  set_up();
  only_good = 1;
  file = memfd_create("file", 0);
  int closed[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, empty_pair) ||
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, stream) ||
      socketpair(AF_UNIX, SOCK_STREAM, 0, closed) ||
      socketpair(AF_UNIX, SOCK_DGRAM, 0, little) || pipe(full_pipe) ||
      pipe(almost_full))
    abort();
  close(closed[1]);
  ended = closed[0];
  full = open("/dev/full", O_WRONLY), null_in = open("/dev/null", O_RDONLY);
  for (int i = 0; i < 2; ++i) {
    datagrams[i] = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in here;
    memset(&here, 0, sizeof here);
    here.sin_family = AF_INET, here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(datagrams[i], (struct sockaddr *)&here, sizeof here))
      abort();
  }
  fcntl(almost_full[0], F_SETFL, O_NONBLOCK);
  fcntl(almost_full[1], F_SETFL, O_NONBLOCK);
  end_of_space(full_pipe), end_of_space(little);
  reads();
  writes();
  receives();
  sockets();
  waits();
  queues();
  return 0;
}
