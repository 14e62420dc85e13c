//===- touch.c - Touches so many pages a period ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: touch NAME=NUMBER... [trace=FILE]
//
//   pages      pages that it touches in every period
//   shape      0 dense: side by side; 1 scattered: evenly over the span;
//              2 random: the same each time; 3 moving: others each time
//   span       pages of the mapping; most of it is never touched
//   mapped     pages touched once, before anything is measured
//   write      1: pages are written, and memory is there for them; 0: read
//   checksum   1: of written pages, 0: none
//   period_us  0: the program ends its periods; otherwise the clock does
//   before     periods that pass before anything is measured
//   periods    how many are measured
//
// Records itself and prints a JSON object: how long the ends of periods took
// (if it ends them itself), the processor time of the recorder's threads, and
// that of all threads.

#include "../programs.h"
#include "pagetide/pagetide.h"

#include <dirent.h>
#include <inttypes.h>
#include <string.h>

enum shape { DENSE, SCATTERED, RANDOM, MOVING };

static struct options {
  uint64_t pages, shape, span, mapped, write, checksum, period_us, before,
      periods;
  const char *trace;
} options = {.span = 10485760, .periods = 10};

static const struct {
  const char *name;
  uint64_t *value;
} numbers[] = {
    {"pages", &options.pages},         {"shape", &options.shape},
    {"span", &options.span},           {"mapped", &options.mapped},
    {"write", &options.write},         {"checksum", &options.checksum},
    {"period_us", &options.period_us}, {"before", &options.before},
    {"periods", &options.periods},
};

static char *memory;

static void refuse(const char *what, const char *why) {
  fprintf(stderr, "touch: %s: %s\n", what, why);
  exit(2);
}

static void read_arguments(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    const size_t count = sizeof(numbers) / sizeof(numbers[0]);
    const char *equals = strchr(argv[i], '=');
    if (equals && !strncmp(argv[i], "trace=", 6)) {
      options.trace = equals + 1;
      continue;
    }
    size_t n = 0;
    while (n < count &&
           (strncmp(argv[i], numbers[n].name, strlen(numbers[n].name)) != 0 ||
            argv[i][strlen(numbers[n].name)] != '='))
      ++n;
    char *end = NULL;
    if (n == count)
      refuse(argv[i], "no such option");
    *numbers[n].value = strtoull(equals + 1, &end, 10);
    if (end == equals + 1 || *end != '\0')
      refuse(argv[i], "no number");
  }
}

//===- Time ---------------------------------------------------------------===//

/// The clock of a thread's processor time: what pthread_getcpuclockid would
/// say, had libc made the thread.
static clockid_t clock_of(int tid) { return (clockid_t)(~tid << 3 | 6); }

/// The id of the runtime's thread of that name; 0 if there is none.
static int runtime_thread(const char *name) {
  DIR *tasks = opendir("/proc/self/task");
  if (!tasks)
    fail("touch: /proc/self/task");
  int found = 0;
  for (const struct dirent *task; !found && (task = readdir(tasks));) {
    char path[300], comm[32] = "";
    snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task->d_name);
    FILE *file = fopen(path, "re");
    if (!file)
      continue;
    if (fgets(comm, sizeof(comm), file)) {
      comm[strcspn(comm, "\n")] = '\0';
      if (!strcmp(comm, name))
        found = atoi(task->d_name);
    }
    fclose(file);
  }
  closedir(tasks);
  return found;
}

static uint64_t cpu_of(int tid) { return tid ? clock_ns(clock_of(tid)) : 0; }

//===- Pages --------------------------------------------------------------===//

static uint64_t mixed(uint64_t n) {
  n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
  return n ^ n >> 31;
}

/// The accesses that are recorded: one to each page.
__attribute__((noinline)) static uint64_t touch(uint64_t round) {
  uint64_t sum = 0;
  const uint64_t pages = options.pages;
  const uint64_t stride =
      options.shape == SCATTERED && pages ? options.span / pages : 1;
  const uint64_t others = options.shape == MOVING ? round * pages : 0;
  for (uint64_t i = 0; i < pages; ++i) {
    const uint64_t page =
        options.shape >= RANDOM ? mixed(others + i) % options.span : i * stride;
    volatile char *place = memory + page * 4096;
    if (options.write)
      *place = (char)round;
    else
      sum += (uint64_t)*place;
  }
  return sum;
}

static void map_memory(void) {
  const uint64_t bytes = options.span * 4096;
  memory = mapped(bytes);
  // Reads find one huge page of zeros, and take no memory; what is written has
  // the pages it needs.
  madvise(memory, bytes, options.write ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
}

//===- Periods ------------------------------------------------------------===//

static int compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/// Ends each of so many periods itself; the time that takes, sorted.
static void drive(uint64_t periods, uint64_t *end_ns) {
  for (uint64_t round = 0; round < periods; ++round) {
    touch(round);
    const uint64_t start = clock_ns(CLOCK_MONOTONIC);
    const int status = pagetide_period_end();
    end_ns[round] = clock_ns(CLOCK_MONOTONIC) - start;
    if (status != PAGETIDE_OK)
      refuse("pagetide_period_end", pagetide_status_string(status));
  }
  qsort(end_ns, periods, sizeof(uint64_t), compare);
}

/// Touches the pages once a period of the clock's, or as often as it can.
static void keep_pace(uint64_t periods) {
  const uint64_t period = options.period_us * 1000;
  const uint64_t start = clock_ns(CLOCK_MONOTONIC);
  uint64_t now = start;
  for (uint64_t round = 0; now < start + periods * period; ++round) {
    touch(round);
    const uint64_t done = (clock_ns(CLOCK_MONOTONIC) - start) / period;
    const uint64_t next = start + (done + 1) * period;
    const struct timespec tick = {(time_t)(next / 1000000000),
                                  (long)(next % 1000000000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &tick, NULL);
    now = clock_ns(CLOCK_MONOTONIC);
  }
}

static void pass(uint64_t periods, uint64_t *end_ns) {
  if (options.period_us)
    keep_pace(periods);
  else
    drive(periods, end_ns);
}

int main(int argc, char **argv) {
  read_arguments(argc, argv);
  if (!options.periods || options.span < options.mapped ||
      options.span < options.pages)
    refuse("arguments", "no periods, or more pages than the span has");
  if (!pagetide_present())
    refuse("the runtime", "not in this process: build with pagetide-clang");
  map_memory();
  uint64_t *end_ns = calloc(options.before + options.periods, sizeof(uint64_t));
  if (!end_ns)
    fail("touch: calloc");
  // First touches of pages are the kernel's work, here and in the shadow.
  const struct options wanted = options;
  touch(0);
  options.pages = wanted.mapped;
  options.shape = DENSE;
  touch(0);
  options = wanted;

  const pagetide_config config = {
      .size = sizeof(config),
      .period_ns = options.period_us * 1000,
      .checksum =
          options.checksum ? PAGETIDE_CHECKSUM_WRITTEN : PAGETIDE_CHECKSUM_NONE,
      .trace_path = options.trace,
  };
  const int status = pagetide_start(&config);
  if (status != PAGETIDE_OK)
    refuse("pagetide_start", pagetide_status_string(status));
  const int recorder = runtime_thread("pagetide");
  const int writer = runtime_thread("pagetide-write");
  if (!recorder || (options.trace && !writer))
    refuse("the recorder's threads", "not found");

  pass(options.before, end_ns);
  const uint64_t start = clock_ns(CLOCK_MONOTONIC);
  const uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  const uint64_t recorder_cpu = cpu_of(recorder);
  const uint64_t writer_cpu = cpu_of(writer);
  pass(options.periods, end_ns);
  const uint64_t n = options.periods;
  printf("{\"wall_ns\": %" PRIu64 ", \"cpu_ns\": %" PRIu64
         ", \"recorder_ns\": %" PRIu64 ", \"writer_ns\": %" PRIu64
         ", \"end_ns\": [%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]}\n",
         clock_ns(CLOCK_MONOTONIC) - start,
         clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu,
         cpu_of(recorder) - recorder_cpu, cpu_of(writer) - writer_cpu,
         end_ns[0], end_ns[n / 2], end_ns[n - 1]);
  return 0;
}
