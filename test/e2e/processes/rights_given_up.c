/*===- rights_given_up.c - The recorder's threads give up what the program does ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===-----------------------------------------------------------------------===*/

// libc gives up rights on every thread that it knows of; the recorder's two
// follow, or whoever takes the program over would have them still.
// REQUIRES: root
// RUN: %build_c -O1 %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d && chmod 777 %t.d && cd %t.d
// RUN: for how in setuid setresuid setreuid seteuid capset bound threads; do \
// RUN:   PAGETIDE_OPTIONS=trace_path=$how:period=0:checksum=written %t $how || \
// RUN:   exit 1; %pagetide info $how | grep 'ended by exit' || exit 1; done
// A process that changed its user is not dumpable. Its pages are read
// nevertheless.
// RUN: %pagetide export --format csv setuid | FileCheck %s
// CHECK: 1,{{.*}},0x100000001000,{{.*}},stable
// Even with nothing to record there is a recorder.
// RUN: %t setuid

#include "known_sets.h"

#include <dirent.h>
#include <grp.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sys/prctl.h>

extern int capset(void *, const void *);

/* Lines of the status file that say what a thread may do. */
static void read_rights(const char *tid, char *text, size_t room) {
  static const char *const wanted[] = {"Uid:", "Gid:", "Groups:", "Cap",
                                       "NoNewPrivs:"};
  char path[64], line[4096];
  snprintf(path, sizeof path, "/proc/self/task/%s/status", tid);
  FILE *file = fopen(path, "r");
  require(file != NULL);
  text[0] = 0;
  while (fgets(line, sizeof line, file))
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i)
      if (strncmp(line, wanted[i], strlen(wanted[i])) == 0) {
        require(strlen(text) + strlen(line) < room);
        strcat(text, line);
      }
  fclose(file);
}

/* All threads have the same rights; returns how many threads there are. */
static int compare_rights(const char *with) {
  static char first[8192], other[8192];
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  require(tasks != NULL);
  for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
    if (entry->d_name[0] == '.')
      continue;
    read_rights(entry->d_name, count ? other : first, sizeof first);
    if (count++ && strcmp(first, other) != 0) {
      fprintf(stderr, "threads differ:\n%s\n%s\n", first, other);
      _exit(1);
    }
  }
  closedir(tasks);
  if (with && !strstr(first, with)) {
    fprintf(stderr, "no %s in:\n%s\n", with, first);
    _exit(1);
  }
  return count;
}

static void *wait_for_end(void *arg) {
  pause();
  return arg;
}

int main(int argc, char **argv) {
  require(argc > 1);
  const char *how = argv[1];
  char *a = arena(0, 16 * PAGE);
  require(compare_rights("Uid:\t0\t0\t0\t0") >= 2);
  if (strcmp(how, "threads") == 0) {
    pthread_t thread;
    require(pthread_create(&thread, NULL, wait_for_end, NULL) == 0);
  }
  a[0] = 1;
  if (pagetide_query(a, 1) >= 0)
    end_period();
  const gid_t groups[] = {7777, 8888};
  if (strcmp(how, "seteuid") == 0) {
    require(setegid(77) == 0 && seteuid(99) == 0);
    compare_rights("Uid:\t0\t99\t0\t99");
    require(seteuid(0) == 0);
    compare_rights("Uid:\t0\t0\t0\t0");
    require(setregid(5, 6) == 0);
    compare_rights("Gid:\t5\t6\t");
  } else if (strcmp(how, "capset") == 0) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2];
    memset(none, 0, sizeof none);
    require(capset(&header, none) == 0);
    compare_rights("CapEff:\t0000000000000000");
  } else if (strcmp(how, "bound") == 0) {
    require(prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0) == 0);
    require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    compare_rights("NoNewPrivs:\t1");
  } else {
    require(setgroups(2, groups) == 0);
    compare_rights("Groups:\t7777 8888");
    require(initgroups("nobody", 123) == 0);
    compare_rights("Groups:\t123");
    require(setresgid(1234, 1234, 1234) == 0);
    compare_rights("Gid:\t1234\t1234\t1234\t1234");
    if (strcmp(how, "setresuid") == 0)
      require(setresuid(4321, 4321, 4321) == 0);
    else if (strcmp(how, "setreuid") == 0)
      require(setreuid(4321, 4321) == 0);
    else
      require(setuid(4321) == 0);
    compare_rights("Uid:\t4321\t4321\t4321\t4321");
    compare_rights("CapEff:\t0000000000000000");
    require(setuid(0) != 0);
    compare_rights("Uid:\t4321\t4321\t4321\t4321");
  }
  a[PAGE] = 1;
  if (pagetide_query(a, 1) >= 0)
    end_period();
  return 0;
}
