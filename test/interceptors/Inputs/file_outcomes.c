/*===- file_outcomes.c - How functions of files, names, streams may end ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// oracle.test runs it.

#include "call_table.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <termios.h>
#include <wchar.h>

static char text[2 * BASE_PAGE];
static int file, empty_pair[2], stream[2], listening;

static DIR *directory;
static void directory_end(void) {
  lseek(dirfd(directory), 0, SEEK_SET);
  char away[4096];
  while (getdents64(dirfd(directory), away, sizeof away) > 0)
    ;
}
static int nothing(const struct dirent *d) { return d == NULL; }
static void descriptors(void) {
  const struct flock shared = {.l_type = F_RDLCK},
                     exclusive = {.l_type = F_WRLCK}, nonsense = {.l_type = 99};
#define LOCK(x) IN(&x, sizeof x)
#define FCNTL "fcntl fcntl64"
  const int held = open("held", O_RDWR | O_CREAT, 0600),
            other = open("held", O_RDWR);
  struct flock lock = exclusive;
  if (fcntl(held, F_OFD_SETLK, &lock))
    abort();
  CALL(FCNTL, 'i', V(other), V(F_GETLK), LOCK(exclusive));
  CALL(FCNTL, 'i', V(other), V(F_SETLK), LOCK(exclusive));
  CALL(FCNTL, 'i', V(other), V(F_SETLK), LOCK(nonsense));
  CALL(FCNTL, 'i', V(other), V(F_GETLK), LOCK(nonsense));
  CALL(FCNTL, 'i', V(other), V(F_OFD_SETLK), LOCK(exclusive));
  CALL(FCNTL, 'i', V(other), V(F_OFD_GETLK), LOCK(shared));
  CALL(FCNTL, 'i', V(file), V(F_SETLKW), LOCK(shared));
  CALL(FCNTL, 'i', V(file), V(F_OFD_SETLKW), LOCK(shared));
  CALL(FCNTL, 'i', V(file), V(1036 /* F_SET_RW_HINT */), WORDS(0));
  CALL(FCNTL, 'i', V(file), V(1036), WORDS(99));
  CALL(FCNTL, 'i', V(file), V(1037 /* F_GET_FILE_RW_HINT */), OUT(8));
  CALL(FCNTL, 'i', V(file), V(9999), OUT(8));
  CALL(FCNTL, 'i', V(-1), V(F_GETOWN_EX), OUT(8));
  CALL(FCNTL, 'i', V(-1), V(F_SETLK), LOCK(shared));
  CALL(FCNTL, 'i', V(file), V(F_SETOWN_EX), INTS(99, 1));
  CALL(FCNTL, 'i', V(file), V(17 /* F_GETOWNER_UIDS */), OUT(8));
  mkdir("inside", 0700);
  close(creat("inside/x", 0600));
  directory = opendir("inside");
  refresh = directory_end;
  OUTCOME("end", "getdents64", 'l', V(dirfd(directory)), OUT(2000), V(2000));
  OUTCOME("end", "getdirentries getdirentries64", 'l', V(dirfd(directory)),
          OUT(2000), V(2000), OUTX(8));
  OUTCOME("end", "readdir_r readdir64_r", 'e', V(directory), OUT(280), OUT(8));
  refresh = NULL;
  OUTCOME("empty", "getdents64", 'l', V(dirfd(directory)), OUT(2000), V(0));
  CALL("getdents64", 'l', V(-1), OUT(2000), V(2000));
  CALL("getdirentries getdirentries64", 'l', V(-1), OUT(2000), V(2000), OUT(8));
  OUTCOME("empty", "scandir scandir64", 'i', TEXT("inside"), OUTX(8),
          V(nothing), V(0));
  CALL("scandirat scandirat64", 'i', V(AT_FDCWD), TEXT("/nowhere"), OUT(8),
       V(0), V(0));
  CALL("signalfd", 'f', V(-1), WORDS(0), V(-1));
  CALL("signalfd", 'f', V(file), WORDS(0), V(0));
  CALL("memfd_create", 'f', TEXT("x"), V(-1));
  CALL("inotify_add_watch", 'i', V(file), TEXT("/dev/null"), V(1));
/* Named by their numbers, and so compared. */
#define REQUEST(fd, number, ...)                                               \
  do {                                                                         \
    row_name = "ioctl:" #number;                                               \
    CALL("ioctl", 'i', V(fd), V(number), __VA_ARGS__);                         \
    row_name = NULL;                                                           \
  } while (0)
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  REQUEST(stream[0], FIONREAD, OUT(4));
  REQUEST(file, FIONBIO, INTS(0));
  REQUEST(-1, FIONBIO, INTS(0));
  REQUEST(-1, FIONREAD, OUT(4));
  REQUEST(terminal, TIOCGPTN, OUTX(4));
  REQUEST(terminal, TIOCSPTLCK, INTS(0));
  REQUEST(terminal, TIOCGPTLCK, OUT(4));
  REQUEST(terminal, TIOCOUTQ, OUT(4));
  REQUEST(terminal, TIOCPKT, INTS(0));
  REQUEST(terminal, TCGETS, OUT(36));
  REQUEST(terminal, TCSETS, ZERO(36));
  REQUEST(terminal, 0x802c542a /* TCGETS2 */, OUT(44));
  REQUEST(terminal, TIOCGWINSZ, OUT(8));
  REQUEST(file, TIOCGWINSZ, OUT(8));
  REQUEST(terminal, TIOCGPGRP, OUT(4));
  REQUEST(terminal, TIOCMGET, OUT(4));
  char lo[40] = "lo";
#define INTERFACE IN(lo, sizeof lo)
  REQUEST(listening, 0x8913 /* SIOCGIFFLAGS */, INTERFACE);
  REQUEST(listening, 0x8933 /* SIOCGIFINDEX */, INTERFACE);
  REQUEST(listening, 0x8915 /* SIOCGIFADDR */, INTERFACE);
  REQUEST(listening, 0x8921 /* SIOCGIFMTU */, INTERFACE);
  REQUEST(listening, 0x8927 /* SIOCGIFHWADDR */, INTERFACE);
  REQUEST(listening, 0x8921, ZERO(40));
  REQUEST(listening, SIOCATMARK, OUT(4));
  REQUEST(file, 0x80086601 /* FS_IOC_GETFLAGS */, OUT(8));
  REQUEST(file, 2 /* FIGETBSZ */, OUT(4));
}

static void attribute_again(void) {
  setxattr("inside/x", "user.a", "12345", 5, 0);
}
static void free_it(long p) { free((void *)p); }
static void nothing_there(void) {
  rmdir("inside/new"), unlink("inside/new"), rename("inside/moved", "inside/x");
}
static void folder_there(void) {
  nothing_there();
  mkdir("inside/new", 0700);
}
static void made_and_removed(void) {
  refresh = nothing_there;
#define NEW TEXT("inside/new")
  CALL("mkdir mkfifo", 'i', NEW, V(0700));
  CALL("mkdirat mkfifoat", 'i', V(AT_FDCWD), NEW, V(0700));
  CALL("mknod", 'i', NEW, V(S_IFIFO | 0600), V(0));
  CALL("mknodat", 'i', V(AT_FDCWD), NEW, V(S_IFIFO | 0600), V(0));
  CALL("symlink link", 'i', TEXT("inside/x"), NEW);
  CALL("symlinkat", 'i', TEXT("x"), V(AT_FDCWD), NEW);
  CALL("linkat", 'i', V(AT_FDCWD), TEXT("inside/x"), V(AT_FDCWD), NEW, V(0));
  CALL("renameat2 renameat", 'i', V(AT_FDCWD), TEXT("inside/x"), V(AT_FDCWD),
       TEXT("inside/moved"), V(0));
  refresh = folder_there;
  CALL("rmdir remove", 'i', NEW);
  CALL("unlinkat", 'i', V(AT_FDCWD), NEW, V(AT_REMOVEDIR));
  refresh = NULL;
  nothing_there();
  CALL("chdir", 'i', TEXT("."));
  CALL("inotify_add_watch", 'f', V(inotify_init()), TEXT("inside"), V(2));
  CALL("name_to_handle_at", 'v', V(AT_FDCWD), TEXT("inside/x"),
       INX(((int[32]){120}), 128), OUTX(4), V(0));
  CALL("mincore", 'i', V(at(2, 4096)), V(4096), OUTX(1));
  CALL("shm_open", 'f', TEXT("/pagetide/none"), V(O_RDWR), V(0));
}
static void files(void) {
  mkdir("inside", 0700);
  close(creat("inside/x", 0600));
  unlink("inside/link");
  if (symlink("0123456789", "inside/link"))
    abort();
#define NONE TEXT("/nowhere")
  OUTCOME("truncated", "readlink", 'l', TEXT("inside/link"), OUT(4), V(4));
  OUTCOME("truncated", "readlinkat", 'l', V(AT_FDCWD), TEXT("inside/link"),
          OUT(4), V(4));
  OUTCOME("truncated", "__readlink_chk", 'l', TEXT("inside/link"), OUT(4), V(4),
          V(4));
  OUTCOME("truncated", "__readlinkat_chk", 'l', V(AT_FDCWD),
          TEXT("inside/link"), OUT(4), V(4), V(4));
  OUTCOME("short", "readlink", 'l', TEXT("inside/link"), OUT(9000), V(9000));
  OUTCOME("short", "readlinkat", 'l', V(AT_FDCWD), TEXT("inside/link"),
          OUT(9000), V(9000));
  CALL("readlink", 'l', NONE, OUT(40), V(40));
  CALL("readlink", 'l', TEXT("inside/link"), OUT(40), V(0));
  CALL("readlink", 'l', TEXT("inside/x"), OUT(40), V(40));
  CALL("readlinkat", 'l', V(AT_FDCWD), NONE, OUT(40), V(40));
  CALL("__readlink_chk", 'l', NONE, OUT(40), V(40), V(40));
  CALL("__readlinkat_chk", 'l', V(-1), TEXT("x"), OUT(40), V(40), V(40));
  CALL("stat stat64 lstat lstat64 statfs statfs64 statvfs statvfs64", 'i', NONE,
       OUT(144));
  CALL("fstat fstat64 fstatfs fstatfs64 fstatvfs fstatvfs64", 'i', V(-1),
       OUT(144));
  CALL("__xstat __xstat64 __lxstat __lxstat64", 'i', V(1), NONE, OUT(144));
  CALL("__fxstat __fxstat64", 'i', V(1), V(-1), OUT(144));
  CALL("fstatat fstatat64", 'i', V(AT_FDCWD), NONE, OUT(144), V(0));
  CALL("fstatat fstatat64", 'i', V(file), TEXT(""), OUTX(144),
       V(AT_EMPTY_PATH));
  CALL("fstatat fstatat64", 'i', V(file), TEXT(""), OUT(144), V(0));
  CALL("statx", 'i', V(file), TEXT(""), V(AT_EMPTY_PATH), V(0x7ff), OUTX(256));
  CALL("statx", 'i', V(AT_FDCWD), TEXT("inside/x"), V(0), V(1 << 31), OUT(256));
  OUTCOME("failure", "getcwd", 'p', OUT(BASE_PAGE), V(2));
  OUTCOME("failure", "getcwd", 'p', OUT(BASE_PAGE), V(0));
  CALL("getcwd", 'p', OUTX(3 * BASE_PAGE), V(3 * BASE_PAGE));
  clean_up = free_it;
  CALL("getcwd", 'p', V(0), V(0));
  CALL("realpath canonicalize_file_name", 'p', TEXT("inside/x"), V(0));
  clean_up = NULL;
  OUTCOME("failure", "__getcwd_chk", 'p', OUT(4), V(2), V(4));
  CALL("realpath", 'p', TEXT("inside/../inside/none"), OUTX(BASE_PAGE));
  CALL("realpath", 'p', TEXT("/nowhere/none"), OUT(BASE_PAGE));
  CALL("realpath", 'p', TEXT(""), OUT(BASE_PAGE));
  CALL("realpath", 'p', TEXT("/"), OUT(BASE_PAGE));
  CALL("__realpath_chk", 'p', TEXT("inside/../inside"), OUTX(BASE_PAGE),
       V(BASE_PAGE));
  CALL("__realpath_chk", 'p', TEXT("/nowhere/x"), OUTX(BASE_PAGE),
       V(BASE_PAGE));
  /* Letters have been tried. */
#define NO_FOLDER INX("/nowhere/XXXXXX", 16)
  CALL("mkstemp mkstemp64", 'f', NO_FOLDER);
  CALL("mkostemp mkostemp64", 'f', NO_FOLDER, V(0));
  CALL("mkstemps mkstemps64", 'f', INX("/nowhere/XXXXXX.c", 18), V(2));
  CALL("mkostemps mkostemps64", 'f', INX("/nowhere/XXXXXX.c", 18), V(2), V(0));
  CALL("mkdtemp", 'p', NO_FOLDER);
  OUTCOME("failure", "mkstemp mkstemp64 mktemp mkdtemp", 'v', TEXT("XXXX"));
  OUTCOME("failure", "mkostemp mkostemp64", 'i', TEXT("XXXX"), V(0));
  OUTCOME("failure", "mkstemps mkstemps64", 'i', TEXT("XXXXXX.c"), V(3));
  OUTCOME("failure", "mkostemps mkostemps64", 'i', TEXT("XXXXXX.c"), V(3),
          V(0));
  CALL("mktemp", 'v', NO_FOLDER);
  CALL("tmpnam_r", 'p', V(0));
  CALL("tmpnam", 'v', V(0));
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  grantpt(terminal), unlockpt(terminal);
  CALL("ptsname_r", 'e', V(terminal), OUTX(BASE_PAGE), V(BASE_PAGE));
  CALL("ptsname_r", 'e', V(terminal), OUT(3), V(3));
  CALL("__ptsname_r_chk", 'e', V(terminal), OUTX(40), V(40), V(40));
  CALL("ptsname", 'p', V(terminal));
  const int slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  CALL("ttyname_r", 'e', V(slave), OUTX(BASE_PAGE), V(BASE_PAGE));
  CALL("ttyname_r", 'e', V(slave), OUT(11), V(11));
  CALL("ttyname_r", 'e', V(slave), OUT(3), V(3));
  CALL("ttyname_r", 'e', V(file), OUT(BASE_PAGE), V(BASE_PAGE));
  CALL("__ttyname_r_chk", 'e', V(slave), OUTX(40), V(40), V(40));
  CALL("ttyname", 'p', V(slave));
  CALL("tcgetattr", 'i', V(slave), OUT(60));
  struct termios now;
  tcgetattr(slave, &now);
  CALL("tcsetattr", 'i', V(slave), V(0), IN(&now, sizeof now));
  CALL("tcgetattr", 'i', V(-1), OUT(60));
  CALL("tcsetattr", 'i', V(-1), V(0), ZERO(60));
  CALL("openat openat64", 'f', V(-1), TEXT("x"), V(0), V(0));
  CALL("__open_2 __open64_2", 'f', NONE, V(0));
  CALL("__openat_2 __openat64_2", 'f', V(AT_FDCWD), NONE, V(0));
  CALL("creat creat64", 'f', TEXT("/nowhere/x"), V(0600));
#define PATHS                                                                  \
  "access unlink rmdir remove mkdir chdir chmod truncate truncate64 chown "    \
  "lchown euidaccess eaccess mkfifo mknod utimes lutimes utime lremovexattr "  \
  "removexattr"
  CALL(PATHS, 'i', TEXT("/nowhere/x"), V(0), V(0));
  CALL("pathconf", 'l', NONE, V(0));
  CALL("rename link symlink", 'i', TEXT("/nowhere/x"), TEXT("/nowhere/y"));
  CALL("renameat", 'i', V(AT_FDCWD), TEXT("/nowhere/x"), V(AT_FDCWD),
       TEXT("/nowhere/y"));
  CALL("linkat renameat2", 'i', V(AT_FDCWD), TEXT("inside/x"), V(AT_FDCWD),
       TEXT("/nowhere/y"), V(0));
  CALL("linkat renameat2", 'i', V(-1), TEXT("x"), V(AT_FDCWD),
       TEXT("/nowhere/y"), V(0));
  CALL("linkat renameat2", 'i', V(AT_FDCWD), TEXT("inside/x"), V(AT_FDCWD),
       TEXT("/nowhere/y"), V(-1));
  CALL("symlinkat", 'i', TEXT("x"), V(-1), TEXT("x"));
  CALL("faccessat fchmodat mkdirat", 'i', V(AT_FDCWD), TEXT("/nowhere/x"), V(0),
       V(0));
  CALL("unlinkat", 'i', V(AT_FDCWD), NONE, V(0));
  CALL("fchownat", 'i', V(AT_FDCWD), NONE, V(-1), V(-1), V(0));
  CALL("utimensat", 'i', V(AT_FDCWD), TEXT("inside/x"), V(0), V(0));
  CALL("utimensat", 'i', V(AT_FDCWD), TEXT("inside/x"), WORDS(1, -1, 1, 1),
       V(0));
  CALL("utimensat", 'i', V(file), V(0), WORDS(1, 2, 3, 4), V(0));
  CALL("utimensat", 'i', V(AT_FDCWD), TEXT("inside/x"),
       WORDS(1, 0x3ffffffe, 1, 0x3ffffffe), V(0));
  CALL("futimens futimes", 'i', V(-1), WORDS(1, 2, 3, 4));
  CALL("futimens futimes", 'i', V(file), V(0));
  CALL("utimes lutimes", 'i', TEXT("inside/x"), WORDS(1, -2, 3, 4));
  CALL("utime utimes lutimes", 'i', TEXT("inside/x"), V(0));
  CALL("futimesat", 'i', V(AT_FDCWD), NONE, WORDS(1, 2, 3, 4));
  CALL("futimesat", 'i', V(file), V(0), WORDS(1, 2, 3, 4));
  attribute_again();
#define GET "getxattr lgetxattr"
  CALL(GET, 'l', TEXT("inside/x"), TEXT("user.a"), OUT(9000), V(9000));
  CALL(GET, 'l', TEXT("inside/x"), TEXT("user.a"), OUT(9000), V(2));
  OUTCOME("empty", GET, 'l', TEXT("inside/x"), TEXT("user.a"), OUT(9), V(0));
  CALL(GET, 'l', NONE, TEXT("user.a"), OUT(9), V(9));
  const int with = open("inside/x", O_RDWR);
  CALL("fgetxattr", 'l', V(with), TEXT("user.a"), OUT(9000), V(9000));
  CALL("fgetxattr", 'l', V(with), TEXT("user.a"), OUT(2), V(2));
  CALL("fgetxattr", 'l', V(-1), TEXT("user.a"), OUT(2), V(2));
  OUTCOME("empty", "fgetxattr", 'l', V(with), TEXT("user.a"), OUT(9), V(0));
  CALL("listxattr llistxattr", 'l', TEXT("inside/x"), OUT(9000), V(9000));
  CALL("listxattr llistxattr", 'l', TEXT("inside/x"), OUT(2), V(2));
  CALL("listxattr llistxattr", 'l', NONE, OUT(20), V(20));
  OUTCOME("empty", "listxattr llistxattr", 'l', TEXT("inside/x"), OUT(9), V(0));
  CALL("flistxattr", 'l', V(with), OUT(9000), V(9000));
  CALL("flistxattr", 'l', V(-1), OUT(9), V(9));
  OUTCOME("empty", "flistxattr", 'l', V(with), OUT(9), V(0));
  CALL("setxattr lsetxattr", 'i', TEXT("inside/x"), TEXT("user.a"), TEXT("y"),
       V(2), V(XATTR_CREATE));
  CALL("setxattr lsetxattr", 'i', TEXT("inside/x"), TEXT("nonsense"), TEXT("y"),
       V(2), V(0));
  CALL("setxattr lsetxattr", 'i', TEXT("inside/x"), TEXT("user.a"), TEXT("y"),
       V(2), V(99));
  CALL("setxattr lsetxattr", 'i', TEXT("inside/x"), TEXT("user.b"), TEXT("y"),
       V(1 << 20), V(0));
  CALL("fsetxattr", 'i', V(with), TEXT("user.a"), TEXT("y"), V(2),
       V(XATTR_CREATE));
  refresh = attribute_again;
  CALL("removexattr lremovexattr", 'i', TEXT("inside/x"), TEXT("user.a"));
  CALL("fremovexattr", 'i', V(with), TEXT("user.a"));
  refresh = NULL;
  CALL("name_to_handle_at", 'i', V(AT_FDCWD), NONE, INTS(8, 0, 0, 0), OUT(4),
       V(0));
}

static void names(void) {
  OUTCOME("failure", "inet_pton", 'i', V(AF_INET), TEXT("1.2.3.400"), OUT(4));
  OUTCOME("failure", "inet_pton", 'i', V(AF_INET), TEXT("1.2.3"), OUT(4));
  OUTCOME("failure", "inet_pton", 'i', V(AF_INET6), TEXT("1:2:3::4::5"),
          OUT(16));
  OUTCOME("failure", "inet_pton", 'i', V(AF_INET6), TEXT("1:2:3:x"), OUT(16));
  CALL("inet_pton", 'i', V(AF_INET6), TEXT("::ffff:1.2.3.4"), OUT(16));
  OUTCOME("failure", "inet_pton", 'i', V(AF_INET), TEXT(""), OUT(4));
  CALL("inet_ntop", 'p', V(AF_INET), IN("\177\0\0\1", 4), OUT(5), V(5));
  CALL("inet_ntop", 'p', V(AF_INET), IN("\177\0\0\1", 4), OUT(5), V(0));
  CALL("inet_ntop", 'p', V(AF_INET6), ZERO(16), OUT(BASE_PAGE + 9),
       V(BASE_PAGE + 9));
  OUTCOME("failure", "inet_aton", 'i', TEXT("1.2.x"), OUT(4));
  OUTCOME("failure", "inet_aton", 'i', TEXT("1.2.3.4x"), OUT(4));
  CALL("inet_aton", 'i', TEXT("1.2"), OUT(4));
  CALL("inet_aton", 'i', TEXT("1.2.3.4"), V(0));
  CALL("ether_aton_r", 'p', TEXT("1:2:3:x"), OUT(6));
  CALL("ether_aton", 'p', TEXT("1:2:3:x"));
  OUTCOME("failure", "ether_line", 'i', TEXT("1:2:3:4:5:6"), OUT(6), OUT(2));
  OUTCOME("failure", "ether_line", 'i', TEXT("1:2:x"), OUT(6), OUT(2));
  CALL("dn_comp", 'i', TEXT("a.b"), OUT(3), V(3), V(0), V(0));
  CALL("dn_comp", 'i', TEXT("a.b"), OUT(BASE_PAGE), V(BASE_PAGE), V(0), V(0));
  CALL("dn_expand", 'i', IN("\1a\1b", 5), V(at(0, 0)), V(at(0, 5)), OUT(40),
       V(40));
  CALL("dn_expand", 'i', IN("\1a\1b", 5), V(at(0, 0)), V(at(0, 5)), OUT(2),
       V(2));
  CALL("dn_expand", 'i', IN("\1a\300\0", 5), V(at(0, 0)), V(at(0, 5)), OUT(40),
       V(40));
  OUTCOME("failure", "getaddrinfo", 'e', TEXT("127.0.0.x"), V(0),
          INTS(4 /* AI_NUMERICHOST */, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
          OUT(8));
  OUTCOME("failure", "getaddrinfo", 'e', TEXT("127.0.0.1"), TEXT("80"),
          INTS(-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), OUT(8));
  OUTCOME("failure", "getaddrinfo", 'e', TEXT("127.0.0.1"), TEXT("nothing"),
          INTS(4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), OUT(8));
  OUTCOME("failure", "getaddrinfo", 'e', V(0), V(0), V(0), OUT(8));
  OUTCOME("failure", "getaddrinfo", 'e', TEXT("127.0.0.1"), V(0),
          INTS(0, 99, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), OUT(8));
  CALL("getaddrinfo", 'e', V(0), TEXT("80"), V(0), OUTX(8));
#define INET IN("\2\0\0\7\177\0\0\1\0\0\0\0\0\0\0", 16)
  CALL("getnameinfo", 'e', INET, V(16), OUT(3), V(3), OUT(2), V(2),
       V(NI_NUMERICHOST | NI_NUMERICSERV));
  CALL("getnameinfo", 'e', INET, V(16), OUT(10), V(10), OUT(1), V(1),
       V(NI_NUMERICHOST | NI_NUMERICSERV));
  CALL("getnameinfo", 'e', INET, V(16), OUT(10), V(10), V(0), V(0),
       V(NI_NUMERICHOST | NI_NUMERICSERV));
  CALL("getnameinfo", 'e', INET, V(16), V(0), V(0), OUT(2), V(2),
       V(NI_NUMERICHOST | NI_NUMERICSERV));
  CALL("getnameinfo", 'e', INET, V(16), V(0), V(0), V(0), V(0),
       V(NI_NUMERICHOST));
  CALL("getnameinfo", 'e', INET, V(16), OUT(10), V(10), OUT(2), V(2),
       V(0x7fff0000));
  OUTCOME("failure", "if_nametoindex", 'e', TEXT("lo"), V(0));
}

static FILE *in, *out, *nothing_in, *wide_in, *bad, *pipe_in;
static void rewind_all(void) {
  rewind(in), rewind(nothing_in), rewind(wide_in), rewind(out);
  lseek(0, 0, SEEK_END);
  fseek(stdin, 0, SEEK_END);
}
static void near_stream_end(void) {
  rewind_all();
  fseek(in, 190, SEEK_SET);
  fseek(wide_in, 190, SEEK_SET);
}
static void streams(void) {
  const int fd = memfd_create("in", 0), wide = memfd_create("in", 0);
  char lines[201];
  memset(lines, 'l', sizeof lines);
  lines[9] = lines[19] = '\n', lines[14] = 0;
  if (write(fd, lines, 199) != 199 || write(wide, lines, 199) != 199 ||
      dup2(memfd_create("in", 0), 0))
    abort();
  in = fdopen(fd, "r"), nothing_in = fopen("/dev/null", "r");
  wide_in = fdopen(wide, "r"), out = fdopen(memfd_create("out", 0), "w");
  fwide(wide_in, 1);
  bad = fopen("/dev/full", "w");
  setvbuf(bad, NULL, _IONBF, 0);
  pipe_in = fdopen(empty_pair[0], "r");
#define READ "fread fread_unlocked"
#define CHECKED_READ "__fread_chk __fread_unlocked_chk"
  refresh = near_stream_end;
  OUTCOME("short", READ, 'l', OUT(9000), V(1), V(9000), V(in));
  OUTCOME("short", READ, 'l', OUT(9000), V(4), V(2000), V(in));
  OUTCOME("short", READ, 'l', OUT(9000), V(9000), V(1), V(in));
  OUTCOME("short", CHECKED_READ, 'l', OUT(9000), V(9000), V(4), V(2000), V(in));
  OUTCOME("short", "fgets fgets_unlocked", 'p', OUT(9000), V(9000), V(in));
  OUTCOME("short", "__fgets_chk __fgets_unlocked_chk", 'p', OUT(9000), V(9000),
          V(9000), V(in));
  OUTCOME("short", "fgetws fgetws_unlocked", 'p', OUT(9000), V(2250),
          V(wide_in));
  OUTCOME("short", "getline", 'l', WORDS(at(3, 201)), WORDS(201), V(in),
          OUT(201));
  OUTCOME("short", "getdelim __getdelim", 'l', WORDS(at(4, 201)), WORDS(201),
          V('x'), V(in), OUT(201));
  refresh = rewind_all;
  OUTCOME("end", READ, 'l', OUT(90), V(1), V(90), V(nothing_in));
  OUTCOME("end", CHECKED_READ, 'l', OUT(90), V(90), V(1), V(90), V(nothing_in));
  OUTCOME("empty", READ, 'l', OUT(90), V(0), V(90), V(in));
  OUTCOME("empty", READ, 'l', OUT(90), V(1), V(0), V(in));
  OUTCOME("failure", READ, 'l', OUT(90), V(1), V(90), V(out));
  OUTCOME("failure", CHECKED_READ, 'l', OUT(90), V(90), V(1), V(90), V(out));
  OUTCOME("end", "fgets fgets_unlocked", 'p', OUT(90), V(90), V(nothing_in));
  OUTCOME("end", "__fgets_chk __fgets_unlocked_chk", 'p', OUT(90), V(90), V(90),
          V(nothing_in));
  OUTCOME("failure", "fgets fgets_unlocked", 'p', OUT(90), V(90), V(out));
  OUTCOME("failure", "__fgets_chk __fgets_unlocked_chk", 'p', OUT(90), V(90),
          V(90), V(out));
  OUTCOME("failure", "fgets", 'p', OUT(90), V(0), V(in));
  OUTCOME("truncated", "fgets fgets_unlocked", 'p', OUT(90), V(4), V(in));
  OUTCOME("empty", "fgets fgets_unlocked", 'p', OUT(90), V(1), V(in));
  CALL("fgets fgets_unlocked", 'p', OUT(9000), V(9000), V(in));
  FILE *const wide_nothing = fopen("/dev/null", "r");
  fwide(wide_nothing, 1);
  OUTCOME("end", "fgetws fgetws_unlocked", 'p', OUT(36), V(9), V(wide_nothing));
  OUTCOME("end", "__fgetws_chk __fgetws_unlocked_chk", 'p', OUT(36), V(9), V(9),
          V(wide_nothing));
  OUTCOME("truncated", "fgetws fgetws_unlocked", 'p', OUT(BASE_PAGE), V(4),
          V(wide_in));
  OUTCOME("empty", "fgetws fgetws_unlocked", 'p', OUT(36), V(1), V(wide_in));
  OUTCOME("failure", "fgetws fgetws_unlocked", 'p', OUT(36), V(0), V(wide_in));
  OUTCOME("end", "getline", 'l', WORDS(0), WORDS(0), V(nothing_in));
  OUTCOME("end", "getline", 'l', INX(zeros, 8), ZERO(8), V(nothing_in));
  OUTCOME("end", "getline", 'l', WORDS(at(3, 201)), WORDS(201), V(nothing_in),
          OUT(201));
  OUTCOME("end", "getdelim __getdelim", 'l', WORDS(at(4, 201)), WORDS(201),
          V(','), V(nothing_in), OUT(201));
  OUTCOME("failure", "getline", 'l', WORDS(0), V(0), V(in));
  OUTCOME("failure", "getline", 'l', V(0), WORDS(0), V(in));
  OUTCOME("failure", "getline", 'l', WORDS(at(3, 201)), WORDS(201), V(out),
          OUT(201));
  OUTCOME("failure", "getdelim __getdelim", 'l', WORDS(at(4, 201)), WORDS(201),
          V(','), V(out), OUT(201));
  OUTCOME("end", "gets", 'p', OUT(20));
  OUTCOME("end", "__gets_chk", 'p', OUT(20), V(20));
  OUTCOME("failure", "fwrite fwrite_unlocked", 'l', IN(text, 10), V(1), V(10),
          V(bad));
  OUTCOME("empty", "fwrite fwrite_unlocked", 'l', IN(text, 10), V(0), V(10),
          V(out));
  OUTCOME("empty", "fwrite fwrite_unlocked", 'l', IN(text, 10), V(1), V(0),
          V(out));
  OUTCOME("failure", "fputs fputs_unlocked", 's', TEXT("hello"), V(bad));
  OUTCOME("empty", "fputs fputs_unlocked", 's', TEXT(""), V(out));
  OUTCOME("failure", "fputws fputws_unlocked", 's', TEXT(L"hello"), V(wide_in));
  CALL("fwprintf", 'i', V(wide_in), TEXT(L"%s"), TEXT("abc"));
  CALL("vfwprintf", 'i', V(wide_in), TEXT(L"%s"),
       WORDS(48 | 304L << 32, at(3, 8), 0), WORDS(at(4, 4)), TEXT("abc"));
  CALL("__fwprintf_chk", 'i', V(wide_in), V(1), TEXT(L"%s"), TEXT("abc"));
  CALL("__vfwprintf_chk", 'i', V(wide_in), V(1), TEXT(L"%s"),
       WORDS(48 | 304L << 32, at(4, 8), 0), WORDS(at(5, 4)), TEXT("abc"));
  CALL("fgetpos fgetpos64", 'i', V(pipe_in), OUT(16));
  CALL("fsetpos fsetpos64", 'i', V(pipe_in), ZERO(16));
  CALL("fsetpos fsetpos64", 'i', V(in), WORDS(-5, 0));
  refresh = NULL;
  CALL("fopen fopen64", 'p', TEXT("/nowhere/x"), TEXT("w"));
  CALL("fmemopen", 'p', OUT(20), V(20), TEXT("?"));
  CALL("fmemopen", 'p', OUT(20), V(0), TEXT("r"));
  CALL("fmemopen", 'p', IN(text, 20), V(20), TEXT("a+"));
  CALL("fmemopen", 'p', IN(text, 20), V(20), TEXT("r"));
  CALL("fmemopen", 'p', OUT(20), V(20), TEXT("w+"));
  CALL("fmemopen", 'p', V(0), V(20), TEXT("w+"));
  CALL("fdopen", 'p', V(file), TEXT("r"));
  CALL("fflush fflush_unlocked", 'v', V(bad));
}

int main(void) {
  memset(text, 'x', sizeof text);
  set_up();
  only_good = 1;
  file = memfd_create("file", 0);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, empty_pair) ||
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, stream))
    abort();
  listening = socket(AF_INET, SOCK_STREAM, 0);
  descriptors();
  files();
  made_and_removed();
  names();
  streams();
  return 0;
}
