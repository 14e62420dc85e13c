//===- options.cpp - Options of PAGETIDE_OPTIONS --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/options.h"

#include "pagetide/abi.h"
#include "pagetide/shadow_file.h"
#include "platform/environment.h"
#include "platform/messages.h"
#include "platform/own_memory.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace __sanitizer;

extern "C" __attribute__((weak, visibility("default"))) const char *
__pagetide_default_options();

namespace pagetide {

static Flags flags;
static char flags_text[4096];

const Flags &GetFlags() { return flags; }
const char *FlagsAsText() { return flags_text; }

/// The defaults, as the table has them.
struct FlagTexts {
#define PAGETIDE_FLAG(kind, name, value, help) const char *name;
#include "platform/options.inc"
#undef PAGETIDE_FLAG
};
static constexpr FlagTexts kDefaults = {
#define PAGETIDE_FLAG(kind, name, value, help) value,
#include "platform/options.inc"
#undef PAGETIDE_FLAG
};

//===- Values -------------------------------------------------------------===//

// Each parser returns false if the text is not a value of its kind. The
// constant beside it tells the user what the values are.

static bool ParseUnsigned(const char *&p, u64 &value) {
  if (*p < '0' || *p > '9')
    return false;
  value = 0;
  for (; *p >= '0' && *p <= '9'; ++p) {
    u64 digit = (u64)(*p - '0');
    if (value > (~u64{0} - digit) / 10)
      return false;
    value = value * 10 + digit;
  }
  return true;
}

static const char kExpectNumber[] = "a whole number";
static bool ParseNumber(const char *text, u64 &value) {
  return ParseUnsigned(text, value) && !*text;
}

static const char kExpectGranularity[] =
    "auto, page, or bytes: a power of two from 64 to 2M, e.g. 512 or 64K";
static bool ParseGranularity(const char *text, u32 &shift) {
  shift = 0;
  if (!internal_strcmp(text, "auto"))
    return true;
  if (!internal_strcmp(text, "page")) {
    shift = abi::kDefaultGranuleShift;
    return true;
  }
  u64 bytes;
  if (!ParseUnsigned(text, bytes)) // text is what follows, now
    return false;
  if (!internal_strcmp(text, "K") || !internal_strcmp(text, "KiB"))
    shift = 10;
  else if (!internal_strcmp(text, "M") || !internal_strcmp(text, "MiB"))
    shift = 20;
  else if (*text)
    return false;
  constexpr u64 kMaxBytes = u64{1} << abi::kMaxGranuleShift;
  if (!bytes || bytes > kMaxBytes || bytes & (bytes - 1))
    return false;
  shift += (u32)__builtin_ctzll(bytes);
  return shift >= abi::kMinGranuleShift && shift <= abi::kMaxGranuleShift;
}

static const char kExpectText[] = "any text";
static bool ParseText(const char *text, const char *&value) {
  value = text;
  return true;
}

/// A word that an option takes, and what it means.
template <typename T> struct Choice {
  const char *text;
  T value;
};
template <typename T, uptr kCount>
static bool Choose(const char *text, T &value,
                   const Choice<T> (&choices)[kCount]) {
  for (const Choice<T> &choice : choices)
    if (!internal_strcmp(text, choice.text)) {
      value = choice.value;
      return true;
    }
  return false;
}

static const char kExpectBool[] = "0 or 1";
static bool ParseBool(const char *text, bool &value) {
  return Choose(text, value,
                {{"1", true},
                 {"yes", true},
                 {"true", true},
                 {"0", false},
                 {"no", false},
                 {"false", false}});
}

static const char kExpectDuration[] =
    "a number with a unit: ns, us, ms, s, min or h, e.g. 500ms";
static bool ParseDuration(const char *text, u64 &value) {
  static const struct {
    const char *name;
    u64 ns;
  } kUnits[] = {{"ns", 1},
                {"us", 1000},
                {"ms", kNsPerMs},
                {"s", kNsPerSec},
                {"min", 60 * kNsPerSec},
                {"h", 3600 * kNsPerSec}};
  u64 number = 0;
  if (!ParseUnsigned(text, number))
    return false;
  u64 fraction = 0, scale = 1;
  if (*text == '.') {
    ++text;
    if (*text < '0' || *text > '9')
      return false;
    for (; *text >= '0' && *text <= '9'; ++text)
      if (scale < kNsPerSec) {
        fraction = fraction * 10 + (u64)(*text - '0');
        scale *= 10;
      }
  }
  if (!*text && !number && !fraction) {
    value = 0;
    return true;
  }
  for (const auto &unit : kUnits) {
    if (internal_strcmp(text, unit.name))
      continue;
    if (number > (~u64{0} >> 2) / unit.ns)
      return false;
    value =
        number * unit.ns + (u64)((unsigned __int128)fraction * unit.ns / scale);
    return true;
  }
  return false;
}

static const char kExpectChecksum[] = "none, written or accessed";
static bool ParseChecksum(const char *text, trace::ChecksumMode &value) {
  using enum trace::ChecksumMode;
  return Choose(
      text, value,
      {{"none", kNone}, {"written", kWritten}, {"accessed", kAccessed}});
}

static const char kExpectUnstable[] = "auto, flag, rehash, stop or cut";
static bool ParseUnstable(const char *text, FlagUnstable &value) {
  using enum trace::UnstablePolicy;
  value.is_auto = !internal_strcmp(text, "auto");
  return Choose(text, value.policy,
                {{"auto", kFlag},
                 {"flag", kFlag},
                 {"rehash", kRehash},
                 {"stop", kStop},
                 {"cut", kCut}});
}

static const char kExpectMarks[] = "start or late";
static bool ParseMarks(const char *text, MarksWhen &value) {
  return Choose(text, value,
                {{"start", MarksWhen::kStart}, {"late", MarksWhen::kLate}});
}

static constexpr auto &kExpectEngine = engines::kNames.text;
static bool ParseEngine(const char *text, engines::Kind &value) {
  for (const engines::Capabilities &engine : engines::kTable)
    if (!engine.outside && !internal_strcmp(text, engine.name)) {
      value = engine.kind;
      return true;
    }
  return false;
}

static const char kExpectOnFailure[] = "refuse, continue or stop";
static bool ParseOnFailure(const char *text, OnFailure &value) {
  return Choose(text, value,
                {{"refuse", OnFailure::kRefuse},
                 {"continue", OnFailure::kContinue},
                 {"stop", OnFailure::kStop}});
}

//===- Names --------------------------------------------------------------===//

/// Edits (insertions, removals, replacements) that turn a into b.
static uptr EditDistance(const char *a, const char *b) {
  constexpr uptr kMax = 32;
  uptr row[kMax + 1];
  uptr columns = internal_strlen(b);
  if (columns > kMax || internal_strlen(a) > kMax)
    return ~uptr{0};
  for (uptr j = 0; j <= columns; ++j)
    row[j] = j;
  for (uptr i = 0; a[i]; ++i) {
    uptr diagonal = row[0];
    row[0] = i + 1;
    for (uptr j = 0; j < columns; ++j) {
      uptr replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = Min(replaced, Min(row[j], diagonal) + 1);
    }
  }
  return row[columns];
}

[[noreturn]] static void DieUnknownName(const char *name, const char *source) {
  const char *best = nullptr;
  uptr best_distance = 4; // a larger distance is not a likely typing error
#define PAGETIDE_FLAG(kind, option, value, help)                               \
  if (uptr d = EditDistance(name, #option); d < best_distance)                 \
    best = #option, best_distance = d;
#include "platform/options.inc"
#undef PAGETIDE_FLAG
  Fatal("%s: there is no option '%s'.%s%s%s PAGETIDE_OPTIONS=help=1 lists "
        "them.\n",
        source, name, best ? " Did you mean '" : "", best ? best : "",
        best ? "'?" : "");
}

[[noreturn]] static void DieBadValue(const char *name, const char *value,
                                     const char *expected, const char *source) {
  Fatal("%s: option %s cannot be '%s': it takes %s.\n", source, name, value,
        expected);
}

static void SetFlag(const char *name, const char *value, const char *source) {
#define PAGETIDE_FLAG(kind, option, text, help)                                \
  if (!internal_strcmp(name, #option)) {                                       \
    if (!Parse##kind(value, flags.option))                                     \
      DieBadValue(name, value, kExpect##kind, source);                         \
    return;                                                                    \
  }
#include "platform/options.inc"
#undef PAGETIDE_FLAG
  DieUnknownName(name, source);
}

static bool IsSeparator(char c) {
  return c == ':' || c == ',' || c == ' ' || c == '\n' || c == '\t';
}

/// Parses name=value:name=value. Of repeated options the last one counts. A
/// value that contains a colon or a blank is quoted by ' or ". Keeps a copy of
/// the text: Text values point into it.
static void ParseOptions(const char *text, const char *source) {
  if (!text || !*text)
    return;
  uptr bytes = internal_strlen(text) + 1;
  // Two texts are parsed. Texts of usual length need no memory.
  static char room[16384];
  static uptr room_used;
  char *copy = room + room_used;
  if (bytes <= sizeof(room) - room_used)
    room_used += bytes;
  else
    copy = (char *)MapAnonymous(bytes);
  if (!copy)
    Fatal("out of memory for a copy of %s.\n", source);
  internal_memcpy(copy, text, bytes);
  for (char *p = copy;;) {
    while (IsSeparator(*p))
      ++p;
    if (!*p)
      return;
    char *name = p;
    while (*p && *p != '=' && !IsSeparator(*p))
      ++p;
    if (*p != '=') {
      *p = 0;
      Fatal("%s: expected '=' after '%s'. Options are "
            "written name=value:name=value.\n",
            source, name);
    }
    *p++ = 0;
    char *value = p;
    if (*p == '\'' || *p == '"') {
      char quote = *p++;
      value = p;
      while (*p && *p != quote)
        ++p;
      if (!*p) {
        Fatal("%s: the value of %s lacks its closing %c.\n", source, name,
              quote);
      }
      *p++ = 0;
    } else {
      while (*p && *p != ':' && *p != ',' && *p != ' ' && *p != '\n')
        ++p;
      if (*p)
        *p++ = 0;
    }
    SetFlag(name, value, source);
  }
}

static void PrintHelp() {
  Say("Options of Pagetide's runtime, for PAGETIDE_OPTIONS=name=value:...\n");
#define PAGETIDE_FLAG(kind, name, value, help)                                 \
  Say("\n  %s (default: %s; takes %s)\n      %s\n", #name,                     \
      *value ? value : "empty", kExpect##kind, help);
#include "platform/options.inc"
#undef PAGETIDE_FLAG
}

static void CheckRange(const char *name, u64 value, u64 low, u64 high) {
  if (value >= low && value <= high)
    return;
  Fatal("option %s must be from %llu to %llu.\n", name, low, high);
}

void UseMarks() { flags.engine = engines::Kind::kMarks; }

bool EngineIsNamed() {
  const char *text = OptionsOfProcess();
  return text && internal_strstr(text, "engine=");
}

const char *OptionsOfProgram() {
  const char *text =
      &__pagetide_default_options ? __pagetide_default_options() : nullptr;
  return text ? text : "";
}

/// The value of an option in `text`, as ParseOptions will find it; null if it
/// is not set there. `name` ends in '='. The last one wins.
static const char *FindValue(const char *text, const char *name) {
  const char *value = nullptr;
  for (const char *p = text; (p = internal_strstr(p, name)); ++p)
    if (p == text || IsSeparator(p[-1]))
      value = p + internal_strlen(name);
  return value;
}

bool SaysMarksLate(const char *text) {
  constexpr char kLate[] = "late";
  const char *value = FindValue(text, "marks=");
  return value && !internal_strncmp(value, kLate, sizeof(kLate) - 1);
}

u32 ControlSignal() {
  constexpr char kName[] = "control_signal=";
  const char *text = OptionsOfProcess();
  const char *value = text ? FindValue(text, kName) : nullptr;
  if (!value)
    value = FindValue(OptionsOfProgram(), kName);
  if (!value)
    value = kDefaults.control_signal;
  u64 number;
  return ParseUnsigned(value, number) && number >= kMinControlSignal &&
                 number <= kMaxControlSignal
             ? (u32)number
             : 0;
}

/// Refuses options that are beyond the engine.
static void CheckEngine() {
  const engines::Capabilities &engine = EngineCan();
  if (flags.per_thread && !engine.per_thread)
    Fatal("option per_thread needs engine=marks: the other engines see which "
          "pages a process writes, not which thread does.\n");
  if (flags.unstable.policy == trace::UnstablePolicy::kCut && !engine.cut)
    Fatal("option unstable=cut needs engine=marks: the other engines do not "
          "see which memory the program maps anew. Use flag or rehash.\n");
  if (flags.kernel_writes && !engine.by_marks)
    Fatal("option kernel_writes compares what the kernel has seen written with "
          "marks. It does not work with option engine.\n");
}

/// The program may change its working directory, and the recorder's threads
/// leave theirs. A path that cannot be made absolute stays as it is.
static void MakeAbsolute(const char *&path) {
  constexpr uptr kRoom = 8192;
  if (!*path || *path == '/')
    return;
  char *const room = (char *)MapAnonymous(kRoom);
  if (!room || Failed(Syscall(SYS_getcwd, (uptr)room, kRoom / 2)) ||
      *room != '/')
    return;
  const uptr used = internal_strlen(room);
  internal_snprintf(room + used, kRoom - used, "/%s", path);
  path = room;
}

void ReadFlags() {
#define PAGETIDE_FLAG(kind, name, value, help)                                 \
  SetFlag(#name, value, "defaults");
#include "platform/options.inc"
#undef PAGETIDE_FLAG
  ParseOptions(OptionsOfProgram(), "__pagetide_default_options()");
  if (const char *text = OptionsOfProcess()) {
    ParseOptions(text, "PAGETIDE_OPTIONS");
    internal_strncpy(flags_text, text, sizeof(flags_text) - 1);
  }
  if (!IsPeriod(flags.period)) {
    Fatal("option period is below 1ms. Take 1ms or more, or "
          "0 for periods that the program ends itself.\n");
  }
  CheckEngine();
  CheckRange("staging_mib", flags.staging_mib, 1,
             shadow_file::kMaxStagingBytes >> 20);
  CheckRange("trace_limit_mib", flags.trace_limit_mib, 0, u64{1} << 40);
  CheckRange("idle_after", flags.idle_after, 0, 1000000);
  CheckRange("compression", flags.compression, 1, 19);
  if (flags.control_signal)
    CheckRange("control_signal", flags.control_signal, kMinControlSignal,
               kMaxControlSignal);
  MakeAbsolute(flags.log_path);
  MakeAbsolute(flags.control);
  SetMessageOptions({flags.verbosity != 0, flags.on_failure == OnFailure::kStop,
                     flags.log_path});
  if (flags.help)
    PrintHelp();
}

void InitFlags() {
  static bool done;
  if (done)
    return;
  done = true;
  ReadFlags();
}

} // namespace pagetide
