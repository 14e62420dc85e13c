/*===- tabled_bounds.c - The functions of tabled.def, at memory's end
 *--------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %plain_c -O1 %s -o %t.plain -lm
// RUN: rm -rf %t.folder; mkdir %t.folder; cd %t.folder
// RUN: %t.plain > %t.natively
// RUN: %build_c -O1 %s -o %t -lm
// RUN: %t > %t.unrecorded
// RUN: %python %support/same_calls.py %t.natively %t.unrecorded
// RUN: %pagetide record -p 0 -o %t.run -- %t > %t.recorded
// RUN: %python %support/same_calls.py %t.natively %t.recorded

#include "call_table.h"

#include <argz.h>
#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <locale.h>
#include <mqueue.h>
#include <obstack.h>
#include <pthread.h>
#include <search.h>
#include <semaphore.h>
#include <shadow.h>
#include <spawn.h>
#include <stdio_ext.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <time.h>
#include <ucontext.h>
#include <wchar.h>

static int file, terminal;

static void free_it(long p) { free((void *)p); }
static void close_it(long fd) {
  if ((int)fd > 2)
    close((int)fd);
}

static mqd_t queue;
static char queue_name[40], memory_name[40];
static void one_message(void) {
  char away[64];
  while (mq_receive(queue, away, sizeof away, NULL) > 0)
    ;
  mq_send(queue, "hey", 4, 2);
}
static void objects_by_name(void) {
  snprintf(queue_name, sizeof queue_name, "/pagetide-%d", (int)getpid());
  snprintf(memory_name, sizeof memory_name, "/pagetide-%d", (int)getpid());
#define NAME(s) INX(s, strlen(s) + 1)
  struct mq_attr small;
  memset(&small, 0, sizeof small);
  small.mq_maxmsg = 4, small.mq_msgsize = 64;
  CALL("mq_open", 'f', NAME(queue_name), V(O_RDWR), V(0600), V(0));
  queue = mq_open(queue_name, O_CREAT | O_RDWR | O_NONBLOCK, 0600, &small);
  clean_up = close_it;
  CALL("mq_open", 'f', NAME(queue_name), V(O_CREAT | O_RDWR), V(0600),
       IN(&small, sizeof small));
  CALL("__mq_open_2", 'f', NAME(queue_name), V(O_RDWR));
  clean_up = NULL;
  refresh = queue < 0 ? NULL : one_message;
  CALL("mq_receive", 'l', V(queue), OUT(64), V(64), OUT(4));
  CALL("mq_receive", 'l', V(queue), OUT(4), V(4), OUT(4));
  CALL("mq_receive", 'l', V(queue), OUT(64), V(64), V(0));
  CALL("mq_timedreceive", 'l', V(queue), OUT(64), V(64), OUT(4), WORDS(9, 0));
  CALL("mq_send", 'i', V(queue), TEXT("hoy"), V(4), V(1));
  CALL("mq_timedsend", 'i', V(queue), TEXT("hoy"), V(4), V(1), WORDS(9, 0));
  refresh = NULL;
  CALL("mq_getattr", 'i', V(queue), OUT(64));
  CALL("mq_getattr", 'i', V(-1), OUT(64));
  CALL("mq_setattr", 'i', V(queue), IN(&small, sizeof small), OUTX(64));
  CALL("mq_unlink", 'v', NAME(queue_name));
  CALL("mq_unlink shm_unlink sem_unlink", 'i', TEXT("/pagetide-none"));
  only_good = 1;
  CALL("sem_open", 'p', NAME(memory_name), V(O_CREAT), V(0600), V(1));
  CALL("sem_unlink", 'v', NAME(memory_name));
  CALL("shm_open", 'f', NAME(memory_name), V(O_CREAT | O_RDWR), V(0600));
  CALL("shm_unlink", 'v', NAME(memory_name));
  only_good = 0;
  const int set = semget(IPC_PRIVATE, 3, 0600);
  CALL("semop", 'i', V(set), IN("\0\0\1\0\0\0", 6), V(1));
  CALL("semop", 'i', V(-1), IN("\0\0\1\0\0\0", 6), V(1));
  CALL("semtimedop", 'i', V(set), IN("\0\0\1\0\0\0", 6), V(1), WORDS(0, 1));
  CALL("semctl", 'i', V(set), V(0), V(IPC_STAT), OUTX(104));
  CALL("semctl", 'i', V(set), V(0), V(13 /* GETALL */), OUTX(6));
  CALL("semctl", 'i', V(set), V(0), V(17 /* SETALL */), ZERO(6));
  CALL("semctl", 'i', V(set), V(0), V(12 /* GETVAL */), V(0));
  semctl(set, 0, IPC_RMID);
  const int messages = msgget(IPC_PRIVATE, 0600);
  CALL("msgctl", 'i', V(messages), V(IPC_STAT), OUTX(120));
  CALL("msgctl", 'i', V(messages), V(99), OUT(120));
  msgctl(messages, IPC_RMID, NULL);
}

static DIR *directory;
static void rewind_directory(void) {
  rewinddir(directory);
  lseek(dirfd(directory), 0, SEEK_SET);
}
static void descriptors(void) {
  const struct flock lock = {.l_type = F_RDLCK};
  CALL("fcntl fcntl64", 'i', V(file), V(F_GETLK), IN(&lock, sizeof lock));
  CALL("fcntl fcntl64", 'i', V(file), V(F_SETLK), IN(&lock, sizeof lock));
  CALL("fcntl", 'i', V(file), V(F_OFD_GETLK), IN(&lock, sizeof lock));
  CALL("fcntl", 'i', V(file), V(F_GETOWN_EX), OUT(8));
  CALL("fcntl", 'i', V(file), V(F_SETOWN_EX), INTS(0, 1 << 22));
  CALL("fcntl", 'i', V(file), V(1035 /* F_GET_RW_HINT */), OUT(8));
  CALL("fcntl fcntl64", 'i', V(-1), V(F_GETLK), IN(&lock, sizeof lock));
  CALL("fcntl fcntl64", 'i', V(file), V(F_GETFL), V(0));
  mkdir("inside", 0700);
  close(creat("inside/x", 0600));
  directory = opendir("inside");
  refresh = rewind_directory;
  CALL("getdents64", 'l', V(dirfd(directory)), OUTX(2000), V(2000));
  CALL("getdents64", 'l', V(dirfd(directory)), OUT(3), V(3));
  CALL("getdirentries getdirentries64", 'l', V(dirfd(directory)), OUTX(2000),
       V(2000), OUTX(8));
  only_good = 1; /* libc would die with a lock held */
  CALL("readdir_r readdir64_r", 'e', V(directory), OUTX(280), OUT(8));
  only_good = 0;
  refresh = NULL;
  clean_up = close_it;
  CALL("signalfd", 'f', V(-1), WORDS(0), V(0));
  CALL("memfd_create", 'f', TEXT("x"), V(0));
  clean_up = NULL;
  CALL("inotify_add_watch", 'i', V(-1), TEXT("/dev/null"), V(1));
  CALL("tcsetattr", 'i', V(terminal), V(99), ZERO(60));
  CALL("tcsetattr", 'i', V(file), V(0), ZERO(60));
  CALL("cfsetspeed cfsetispeed cfsetospeed", 'i', ZERO(60), V(13));
  CALL("cfsetspeed cfsetispeed cfsetospeed", 'i', ZERO(60), V(0));
  CALL("cfsetspeed cfsetispeed cfsetospeed", 'i', ZERO(60), V(-1));
  CALL("cfmakeraw", 'v', ZERO(60));
  CALL("cfgetispeed cfgetospeed", 'i', ZERO(60));
  only_good = 1;
  CALL("openpty", 'i', OUTX(4), OUTX(4), OUTX(40), V(0), IN("\1\0\1", 8));
  only_good = 0;
}

static void paths(void) {
  CALL("setxattr lsetxattr", 'i', TEXT("/nowhere"), TEXT("user.x"), TEXT("y"),
       V(2), V(0));
  CALL("fsetxattr", 'i', V(-1), TEXT("user.x"), TEXT("y"), V(2), V(0));
  CALL("setxattr lsetxattr", 'v', TEXT("inside/x"), TEXT("user.x"), TEXT("y"),
       V(2), V(0));
  CALL("fsetxattr", 'v', V(file), TEXT("user.x"), TEXT("y"), V(2), V(0));
  CALL("removexattr lremovexattr", 'i', TEXT("inside/x"), TEXT("user.none"));
  CALL("fremovexattr", 'i', V(file), TEXT("user.none"));
  CALL("utimensat", 'i', V(AT_FDCWD), TEXT("inside/x"), WORDS(1, 2, 3, 4),
       V(0));
  CALL("utimensat", 'i', V(AT_FDCWD), TEXT("/nowhere"), WORDS(1, 2, 3, 4),
       V(0));
  CALL("futimens futimes", 'i', V(file), WORDS(1, 2, 3, 4));
  CALL("utime utimes lutimes", 'i', TEXT("inside/x"), WORDS(1, 2, 3, 4));
  CALL("futimesat", 'i', V(AT_FDCWD), TEXT("inside/x"), WORDS(1, 2, 3, 4));
  CALL("mknod", 'i', TEXT("inside/x"), V(S_IFIFO | 0600), V(0));
  CALL("mknodat mkfifoat", 'i', V(AT_FDCWD), TEXT("inside/x"),
       V(S_IFIFO | 0600), V(0));
  CALL("linkat renameat2", 'i', V(AT_FDCWD), TEXT("/nowhere"), V(AT_FDCWD),
       TEXT("inside/y"), V(0));
  CALL("symlinkat", 'i', TEXT("x"), V(AT_FDCWD), TEXT("inside/x"));
  CALL("euidaccess eaccess", 'i', TEXT("inside/x"), V(0));
  CALL("pathconf", 'l', TEXT("inside/x"), V(0));
  CALL("pathconf", 'l', RAW("inside"), V(7 /* _PC_NO_TRUNC */));
  CALL("renameat", 'i', V(AT_FDCWD), TEXT(""), V(AT_FDCWD), TEXT("y"));
  CALL("link rename symlink", 'i', TEXT(""), TEXT("y"));
  CALL("chroot", 'i', TEXT("/nowhere"));
}

static char states[2][256];
static void own_state(void) { initstate(7, states[0], sizeof states[0]); }
static void random_numbers(void) {
  static char words[128];
  static struct random_data r;
  static struct drand48_data d;
  CALL("erand48", 'd', IN("123456", 6));
  CALL("nrand48 jrand48", 'l', IN("123456", 6));
  srand48_r(5, &d);
  CALL("srand48_r", 'i', V(5), OUT(24));
  CALL("seed48_r", 'i', IN("123456", 6), IN(&d, sizeof d));
  CALL("lcong48_r", 'i', IN("12345612345612", 14), IN(&d, sizeof d));
  CALL("drand48_r lrand48_r mrand48_r", 'i', IN(&d, sizeof d), OUT(8));
  CALL("erand48_r nrand48_r jrand48_r", 'i', IN("123456", 6), IN(&d, sizeof d),
       OUT(8));
  CALL("seed48", 'v', IN("123456", 6));
  CALL("lcong48", 'v', IN("12345612345612", 14));
  CALL("rand_r", 'i', INTS(7));
  initstate_r(1, words, sizeof words, &r);
  CALL("random_r", 'i', INX(&r, sizeof r), OUT(4));
  CALL("srandom_r", 'i', V(7), INX(&r, sizeof r));
  CALL("initstate_r", 'i', V(7), OUT(128), V(128), ZERO(48));
  CALL("initstate_r", 'i', V(7), OUT(4), V(4), ZERO(48));
  only_good = 1; /* libc would die with a lock held */
  CALL("setstate_r", 'i', INX(words, sizeof words), INX(&r, sizeof r));
  CALL("initstate", 'v', V(7), OUT(128), V(128));
  CALL("random rand", 'v', V(0));
  CALL("srandom srand", 'v', V(5));
  own_state();
  CALL("setstate", 'v', INX(states[0], sizeof states[0]));
  own_state();
  CALL("arc4random_buf", 'v', OUTX(100), V(100));
  only_good = 0;
}

/* The environment must not keep memory of a row. */
static void forget_variable(long unused) {
  (void)unused;
  unsetenv("SOME");
}
static void texts(void) {
  last_bytes = 4;
  CALL("wcstok", 'p', TEXT(L""), TEXT(L"x"), OUTX(8));
  CALL("wcsxfrm", 'l', OUT(16), TEXT(L"abc"), V(4));
  CALL("wcsxfrm", 'l', OUT(8), TEXT(L"abc"), V(2));
  CALL("wcsxfrm_l", 'l', OUT(16), TEXT(L"abc"), V(4),
       V(newlocale(LC_ALL_MASK, "C", NULL)));
  only_good = 1; /* libc would die with a lock held */
  CALL("wcsftime", 'l', OUT(20), V(5), TEXT(L"%Y"), ZERO(56));
  CALL("wcsftime", 'l', OUT(8), V(2), TEXT(L"%Y"), ZERO(56));
  CALL("wcsftime_l", 'l', OUT(20), V(5), TEXT(L"%Y"), ZERO(56),
       V(newlocale(LC_ALL_MASK, "C", NULL)));
  only_good = 0;
  last_bytes = 1;
  CALL("mbrtoc16", 'l', OUT(2), TEXT("a"), V(2), ZERO(8));
  CALL("mbrtoc32", 'l', OUT(4), TEXT("a"), V(2), ZERO(8));
  CALL("mbrtoc8", 'l', OUT(1), TEXT("a"), V(2), ZERO(8));
  CALL("c8rtomb", 'l', OUT(1), V('a'), ZERO(8));
  CALL("mbrtoc16 mbrtoc32", 'l', V(0), TEXT("a"), V(2), ZERO(8));
  CALL("c16rtomb c32rtomb", 'l', OUT(1), V('a'), ZERO(8));
  only_good = 1;
  CALL("getsubopt", 'i', WORDS(at(3, 8)), WORDS(at(4, 3), 0), OUT(8),
       TEXT("rw=4,ro"), TEXT("rw"));
  CALL("getsubopt", 'i', WORDS(at(3, 8)), WORDS(at(4, 3), 0), OUT(8),
       TEXT("xx=4,ro"), TEXT("rw"));
  CALL("getsubopt", 'i', WORDS(at(3, 1)), V(1), OUT(8), TEXT(""));
  CALL("strfry", 'v', OUTX(0));
  CALL("strfry", 'v', INX("abcdefgh", 9));
  CALL("__xpg_basename dirname", 'v', TEXT("/a/b/"));
  CALL("argz_create", 'e', WORDS(at(3, 2), at(4, 2), 0), OUTX(8), OUT(8),
       TEXT("a"), TEXT("b"));
  CALL("argz_create_sep", 'e', TEXT("x:y"), V(':'), OUTX(8), OUT(8));
  CALL("argz_add", 'e', INX(zeros, 8), ZERO(8), TEXT("ccc"));
  CALL("argz_add_sep", 'e', INX(zeros, 8), ZERO(8), TEXT("c:d"), V(':'));
  CALL("argz_append", 'e', INX(zeros, 8), ZERO(8), TEXT("ccc"), V(4));
  CALL("argz_insert", 'e', INX(zeros, 8), ZERO(8), V(0), TEXT("d"));
  CALL("argz_replace", 'e', INX(zeros, 8), ZERO(8), TEXT("x"), TEXT("yy"),
       ZERO(4));
  CALL("argz_delete", 'v', INX(zeros, 8), ZERO(8), V(0));
  CALL("argz_stringify", 'v', IN("a\0b", 4), V(4), V(':'));
  CALL("argz_extract", 'v', IN("a\0b", 4), V(4), OUT(24));
  CALL("argz_count", 'l', IN("a\0b", 4), V(4));
  CALL("envz_add", 'e', INX(zeros, 8), ZERO(8), TEXT("n"), TEXT("v"));
  CALL("envz_merge", 'e', INX(zeros, 8), ZERO(8), TEXT("n=v"), V(4), V(1));
  CALL("envz_remove", 'v', INX(zeros, 8), ZERO(8), TEXT("n"));
  CALL("envz_strip", 'v', INX(zeros, 8), ZERO(8));
  CALL("setenv", 'i', TEXT("SOME"), TEXT("thing"), V(1));
  CALL("setenv", 'i', TEXT("SO=ME"), TEXT("thing"), V(1));
  CALL("unsetenv", 'i', TEXT("NONE"));
  CALL("putenv", 'i', TEXT("SOME"));
  clean_up = forget_variable;
  CALL("putenv", 'i', TEXT("SOME=thing"));
  CALL("putenv", 'i', RAW("SOME=thing"));
  clean_up = NULL;
  CALL("getenv secure_getenv", 'v', TEXT("NONE"));
  CALL("fnmatch", 'e', TEXT("a*c"), TEXT("abc"), V(0));
  CALL("setlocale", 'v', V(LC_ALL), TEXT("C"));
  CALL("setlocale", 'v', V(LC_ALL), V(0));
  CALL("newlocale", 'v', V(LC_ALL_MASK), TEXT("C"), V(0));
  CALL("iconv_open", 'v', TEXT("UTF-8"), TEXT("ASCII"));
  CALL("parse_printf_format", 'l', TEXT("%d %s"), V(2), OUT(8));
  CALL("gettext", 'v', TEXT("word"));
  CALL("dgettext", 'v', TEXT("domain"), TEXT("word"));
  CALL("dcgettext", 'v', TEXT("domain"), TEXT("word"), V(LC_MESSAGES));
  CALL("ngettext", 'v', TEXT("word"), TEXT("words"), V(1));
  CALL("textdomain", 'v', TEXT("domain"));
  CALL("textdomain", 'v', V(0));
  CALL("bindtextdomain", 'v', TEXT("domain"), TEXT("/nowhere"));
  only_good = 0;
}

static void numbers(void) {
  CALL("ecvt_r fcvt_r", 'i', D(3.14), V(5), OUT(4), OUT(4), OUT(40), V(40));
  CALL("ecvt_r fcvt_r", 'i', D(3.14), V(5), OUT(4), OUT(4), OUT(1), V(1));
  CALL("strfmon", 'l', OUT(40), V(40), TEXT("%n %n"), D(4.5), D(1.25));
  CALL("strfmon", 'l', OUT(2), V(2), TEXT("%n"), D(4.5));
  CALL("strfmon", 'l', OUT(2), V(2), RAW("%n %"), D(4.5));
  CALL("strfmon_l", 'l', OUT(40), V(40), V(newlocale(LC_ALL_MASK, "C", NULL)),
       TEXT("%n"), D(4.5));
  CALL("ecvt fcvt", 'v', D(3.14), V(5), OUT(4), OUT(4));
  CALL("gcvt", 'v', D(2.75), V(3), OUT(5));
  CALL("strfromd strfromf64 strfromf32x", 'i', OUT(9), V(9), TEXT("%g"),
       D(4.5));
  CALL("strfromd strfromf64 strfromf32x", 'i', OUT(2), V(2), TEXT("%g"),
       D(4.5));
  CALL("strfromf128", 'i', OUT(30), V(30), TEXT("%g"), D(4.5));
  CALL("strfromf strfromf32", 'i', OUT(9), V(9), TEXT("%g"), F(4.5f));
  stacked[0] = 4.75L;
  CALL("strfroml strfromf64x", 'i', OUT(9), V(9), TEXT("%g"));
  CALL("qecvt_r qfcvt_r", 'i', V(5), OUT(4), OUT(4), OUT(40), V(40));
  CALL("qecvt qfcvt", 'v', V(5), OUT(4), OUT(4));
  CALL("qgcvt", 'v', V(3), OUT(5));
  stacked[0] = 0;
}

HIDDEN static int compare_nothing(const void *a, const void *b) {
  return (a > b) - (a < b);
}
static void lists(void) {
  only_good = 1;
  CALL("wordfree", 'v', ZERO(24));
  CALL("globfree globfree64", 'v', ZERO(72));
  CALL("insque", 'v', OUT(16), ZERO(16));
  CALL("insque", 'v', OUT(16), WORDS(at(2, 16), 0), ZERO(16));
  CALL("insque", 'v', OUT(16), V(0));
  CALL("remque", 'v', WORDS(at(1, 16), at(2, 16)), ZERO(16), ZERO(16));
  CALL("hcreate_r", 'i', V(20), INX(zeros, 48));
  static struct hsearch_data table;
  hcreate_r(20, &table);
  hcreate(20);
  CALL("hsearch_r", 'i', TEXT("key"), V("value"), V(FIND), OUT(8),
       INX(&table, sizeof table));
  CALL("hsearch_r", 'i', TEXT("key"), V("value"), V(ENTER), OUTX(8),
       INX(&table, sizeof table));
  CALL("hsearch", 'v', TEXT("key"), V("value"), V(FIND));
  CALL("hdestroy_r", 'v', ZERO(48));
  CALL("tsearch", 'v', TEXT("a"), INX(zeros, 8), V(compare_nothing));
  static void *root;
  tsearch("b", &root, compare_nothing);
  CALL("tfind", 'v', TEXT("b"), INX(&root, 8), V(compare_nothing));
  CALL("tfind tdelete", 'v', TEXT("x"), V(0), V(compare_nothing));
  CALL("tdelete", 'v', TEXT("x"), INX(&root, 8), V(compare_nothing));
  CALL("_obstack_begin", 'i', OUTX(88), V(0), V(0), V(malloc), V(free));
  CALL("_obstack_begin_1", 'i', OUTX(88), V(0), V(0), V(calloc), V(free_it),
       V(1));
  static struct obstack o;
#define obstack_chunk_alloc malloc
#define obstack_chunk_free free
  obstack_init(&o);
  CALL("_obstack_newchunk", 'v', INX(&o, sizeof o), V(100));
  CALL("_obstack_allocated_p", 'i', INX(&o, sizeof o), V(&o));
  CALL("_obstack_memory_used", 'i', INX(&o, sizeof o));
  obstack_init(&o);
  CALL("obstack_printf", 'i', INX(&o, sizeof o), TEXT("%s"), TEXT("abc"));
  CALL("obstack_vprintf", 'i', INX(&o, sizeof o), TEXT("%s"),
       WORDS(48 | 304L << 32, at(3, 8), 0), WORDS(at(4, 4)), TEXT("abc"));
  obstack_init(&o);
  CALL("obstack_free", 'v', INX(&o, sizeof o), V(0));
  only_good = 0;
}

static void entries(void) {
  only_good = 1; /* libc would die with a lock held */
  CALL("getservbyname_r", 'e', TEXT("http"), TEXT("tcp"), OUT(32), OUTX(1024),
       V(1024), OUT(8));
  CALL("getservbyname_r", 'e', TEXT("none"), V(0), OUTX(32), OUTX(1024),
       V(1024), OUT(8));
  CALL("getservbyname_r", 'e', TEXT("http"), TEXT("tcp"), OUTX(32), OUTX(2),
       V(2), OUTX(8));
  CALL("getservbyport_r", 'e', V(0x1600), TEXT("tcp"), OUTX(32), OUTX(1024),
       V(1024), OUTX(8));
  CALL("getservent_r getrpcent_r", 'v', OUTX(32), OUTX(1024), V(1024), OUTX(8));
  CALL("getnetbyname_r", 'e', TEXT("loopback"), OUTX(24), OUTX(1024), V(1024),
       OUTX(8), OUTX(4));
  CALL("getnetbyaddr_r", 'v', V(127), V(2), OUTX(24), OUTX(1024), V(1024),
       OUTX(8), OUTX(4));
  CALL("getnetent_r", 'v', OUTX(24), OUTX(1024), V(1024), OUTX(8), OUTX(4));
  CALL("getrpcbyname_r", 'v', TEXT("nfs"), OUTX(24), OUTX(1024), V(1024),
       OUTX(8));
  CALL("getrpcbynumber_r", 'v', V(100003), OUTX(24), OUTX(1024), V(1024),
       OUTX(8));
  CALL("getaliasbyname_r", 'v', TEXT("root"), OUTX(32), OUTX(1024), V(1024),
       OUTX(8));
  CALL("getaliasent_r getspent_r getsgent_r", 'v', OUTX(72), OUTX(1024),
       V(1024), OUTX(8));
  CALL("getspnam_r", 'v', TEXT("root"), OUTX(72), OUTX(1024), V(1024), OUTX(8));
  CALL("getsgnam_r", 'v', TEXT("root"), OUTX(32), OUTX(1024), V(1024), OUTX(8));
  CALL("sgetspent_r", 'v', TEXT("a:b:1:2:3:4:5:6:7"), OUTX(72), OUTX(1024),
       V(1024), OUTX(8));
  CALL("sgetsgent_r", 'v', TEXT("a:b:c:d"), OUTX(32), OUTX(1024), V(1024),
       OUTX(8));
  FILE *f = fopen("/etc/passwd", "r");
  CALL("fgetspent_r fgetsgent_r", 'v', V(f), OUTX(72), OUTX(1024), V(1024),
       OUTX(8));
  CALL("getnetgrent_r", 'v', OUTX(8), OUTX(8), OUTX(8), OUTX(1024), V(1024));
  CALL("getpw", 'i', V(0), OUT(60));
  CALL("getutent_r", 'v', OUTX(384), OUTX(8));
  CALL("getutid_r getutline_r", 'v', ZERO(384), OUTX(384), OUTX(8));
  CALL("getutmp getutmpx", 'v', ZERO(384), OUT(384));
  CALL("getservbyname", 'v', TEXT("http"), TEXT("tcp"));
  CALL("getservbyport", 'v', V(0x1600), TEXT("tcp"));
  CALL("getspnam getnetbyname", 'v', TEXT("root"));
  only_good = 0;
}

static void times(void) {
  CALL("timespec_getres", 'i', OUT(16), V(1));
  CALL("timespec_getres", 'i', OUT(16), V(99));
  only_good = 1;
  CALL("timelocal", 'l', INX(zeros, 56));
  setenv("DATEMSK", "/nowhere", 1);
  CALL("getdate_r", 'e', TEXT("2022-05-06"), OUT(56));
  CALL("getdate", 'v', TEXT("2022-05-06"));
  CALL("strptime_l", 'p', TEXT("1999"), TEXT("%Y"), ZERO(56),
       V(newlocale(LC_ALL_MASK, "C", NULL)));
  only_good = 0;
  CALL("thrd_sleep", 'i', WORDS(0, 1), OUT(16));
  CALL("adjtimex ntp_adjtime", 'v', INX(zeros, 208));
  CALL("clock_adjtime", 'v', V(0), INX(zeros, 208));
  CALL("ntp_gettime ntp_gettimex", 'v', OUTX(72));
  CALL("adjtime", 'v', V(0), OUTX(16));
  CALL("settimeofday", 'i', WORDS(0, -1), V(0));
  CALL("clock_settime", 'i', V(0), WORDS(0, -1));
  CALL("sched_rr_get_interval", 'i', V(0), OUTX(16));
  CALL("sched_setparam", 'i', V(0), INTS(0));
  CALL("sched_setscheduler", 'i', V(0), V(0), INTS(0));
  CALL("getcpu", 'i', OUTX(4), OUTX(4));
}

static char new_stack[65536];
static void go_on(void) {}
static void contexts(void) {
  only_good = 1; /* a bad one is loaded */
  static ucontext_t made, here;
  getcontext(&made);
  made.uc_stack.ss_sp = new_stack, made.uc_stack.ss_size = sizeof new_stack;
  made.uc_link = &here;
  CALL("getcontext", 'i', OUTX(456));
  CALL("makecontext", 'v', INX(&made, sizeof made), V(go_on), V(1), V(5));
  made.uc_stack.ss_sp = (void *)at(1, 4000);
  made.uc_stack.ss_size = 4000;
  CALL("makecontext", 'v', INX(&made, sizeof made), OUTX(4000), V(8), V(1),
       V(2), V(3), V(4), V(5), V(6), V(7));
  made.uc_stack.ss_sp = new_stack, made.uc_stack.ss_size = sizeof new_stack;
  made.uc_link = (ucontext_t *)at(0, sizeof here);
  makecontext(&made, go_on, 0);
  /* It goes on here when the function has returned. */
  CALL("swapcontext", 'i', OUTX(sizeof here), INX(&made, sizeof made));
  only_good = 0;
}

static void processes(void) {
  CALL("cuserid", 'v', OUTX(9));
  CALL("sigisemptyset", 'i', ZERO(128));
  CALL("capget", 'i', INTS(0x20080522, 0), OUTX(24));
  CALL("capget", 'i', INTS(0, 0), OUTX(24));
  only_good = 1;
  void *const handle = dlopen(NULL, RTLD_NOW);
  CALL("dlinfo", 'i', V(handle), V(RTLD_DI_LINKMAP), OUTX(8));
  CALL("dlinfo", 'i', V(handle), V(RTLD_DI_SERINFOSIZE), OUTX(16));
  CALL("dlinfo", 'i', V(handle), V(99), OUT(8));
  only_good = 0;
  CALL("posix_spawnattr_init", 'e', OUT(336));
  CALL("posix_spawnattr_setflags posix_spawnattr_setpgroup "
       "posix_spawnattr_setschedpolicy",
       'e', ZERO(336), V(1));
  CALL("posix_spawnattr_setflags posix_spawnattr_setschedpolicy", 'e',
       ZERO(336), V(-2));
  CALL("posix_spawnattr_getflags posix_spawnattr_getpgroup "
       "posix_spawnattr_getschedparam posix_spawnattr_getschedpolicy",
       'e', ZERO(336), OUT(4));
  CALL("posix_spawnattr_setsigdefault posix_spawnattr_setsigmask "
       "posix_spawnattr_setschedparam posix_spawnattr_getsigdefault "
       "posix_spawnattr_getsigmask",
       'e', ZERO(336), ZERO(128));
  CALL_SINCE(39, "posix_spawnattr_getcgroup_np", 'e', ZERO(336), OUT(4));
  CALL_SINCE(39, "posix_spawnattr_setcgroup_np", 'e', ZERO(336), V(7));
  CALL("posix_spawn_file_actions_init", 'e', OUT(80));
  CALL("posix_spawn_file_actions_destroy", 'e', ZERO(80));
  CALL("posix_spawn_file_actions_addclose posix_spawn_file_actions_adddup2 "
       "posix_spawn_file_actions_addfchdir_np "
       "posix_spawn_file_actions_addclosefrom_np "
       "posix_spawn_file_actions_addtcsetpgrp_np",
       'e', INX(zeros, 80), V(5), V(6));
  CALL("posix_spawn_file_actions_addclose", 'e', INX(zeros, 80), V(-1));
  CALL("posix_spawn_file_actions_addopen", 'e', INX(zeros, 80), V(5),
       TEXT("/dev/null"), V(0), V(0));
  CALL("posix_spawn_file_actions_addchdir_np", 'e', INX(zeros, 80), TEXT("/"));
  CALL("pthread_attr_setsigmask_np", 'e', INX(zeros, 56), ZERO(128));
  CALL("pthread_attr_getsigmask_np", 'e', ZERO(56), OUT(128));
  CALL("pthread_attr_setstackaddr", 'e', ZERO(56), V(4096));
  CALL("pthread_attr_getstackaddr", 'e', ZERO(56), OUT(8));
  only_good = 1;
  CALL("pthread_getattr_default_np", 'e', OUTX(56));
  CALL("pthread_setattr_default_np", 'e', ZERO(56));
  CALL("pthread_setschedparam", 'e', V(pthread_self()), V(0), INTS(0));
  CALL("pthread_setname_np", 'e', V(pthread_self()), TEXT("bounds"));
  CALL("pthread_setname_np", 'e', V(pthread_self()),
       TEXT("a name that is too long"));
  CALL("pthread_setaffinity_np", 'e', V(pthread_self()), V(8), WORDS(3));
  only_good = 0;
}

int main(void) {
  set_up();
  file = memfd_create("file", 0);
  terminal = posix_openpt(O_RDWR | O_NOCTTY);
  objects_by_name();
  descriptors();
  paths();
  random_numbers();
  texts();
  numbers();
  lists();
  entries();
  times();
  contexts();
  processes();
  return 0;
}
