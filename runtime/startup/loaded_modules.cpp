//===- loaded_modules.cpp - The instrumented files of the process ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "startup/loaded_modules.h"

#include "arch/shadow_base.h"
#include "interceptors/memory.h"
#include "interceptors/real_functions.h"
#include "platform/environment.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "shadow/mark_switches.h"
#include "shadow/shadow.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

namespace pagetide {

using abi::ModuleInfo;
using abi::ModuleNote;

static void CheckFields(const ModuleInfo &module, const char *origin) {
  if (module.abi_version != abi::kVersion)
    Fatal("%s was built by a pass of ABI version %u; this runtime has version "
          "%u. Build the program and the runtime from one release.\n",
          origin, module.abi_version, abi::kVersion);
  if (module.layout >= abi::kLayoutCount ||
      module.cell_shift < abi::kMinGranuleShift ||
      module.cell_shift > abi::kMaxGranuleShift ||
      module.granule_shift > abi::kMaxGranuleShift ||
      !abi::is_precision(module.cell_shift, module.granule_shift) ||
      (abi::has_sites((abi::Layout)module.layout) &&
       module.cell_shift != module.granule_shift))
    Fatal("%s describes itself as layout %u, cell 2^%u, granule 2^%u, which "
          "this runtime does not know. Rebuild it.\n",
          origin, module.layout, module.cell_shift, module.granule_shift);
}

static const char *PrecisionOf(const ModuleInfo &module) {
  return module.cell_shift == module.granule_shift ? "exact" : "near";
}

/// The module whose settings are those of the process.
static char first_origin[512];

[[noreturn]] static void RefuseMixture(const ModuleInfo &module,
                                       const char *origin) {
  const ModuleInfo &first = shadow.module;
  const bool one_file = !__sanitizer::internal_strcmp(origin, first_origin);
  Fatal("%s was built with layout %s, precision %s and granule %u, but %s with "
        "layout %s, precision %s and granule %u. Build all of a process with "
        "the same -fpagetide-layout, -fpagetide-precision and "
        "-fpagetide-granule. Each object file's settings are in its note: "
        "readelf -n FILE.o\n",
        origin, abi::kLayoutNames[module.layout], PrecisionOf(module),
        1u << module.granule_shift,
        one_file ? "other object files in it were built" : first_origin,
        abi::kLayoutNames[first.layout], PrecisionOf(first),
        1u << first.granule_shift);
}

static bool AreAlike(const ModuleInfo &a, const ModuleInfo &b) {
  return a.layout == b.layout && a.cell_shift == b.cell_shift &&
         a.granule_shift == b.granule_shift;
}

void AdmitModule(const ModuleInfo &module, const char *origin) {
  if (!*origin)
    origin = (const char *)getauxval(AT_EXECFN);
  if (!origin)
    origin = "the program";
  CheckFields(module, origin);
  if (!ShadowReady()) {
    if (uptr base = GetBaseRegister())
      Fatal("the GS base is already in use (it is 0x%zx): another tool, or "
            "Wine, sets it. Pagetide cannot run beside it.\n",
            base);
    __sanitizer::internal_strncpy(first_origin, origin,
                                  sizeof(first_origin) - 1);
    CreateShadow(module);
    if (shadow.with_sites)
      SetEntryMode(kEntryKeepsCaller);
    ChooseMemoryFunctions();
    return;
  }
  const ModuleInfo &first = shadow.module;
  if (!AreAlike(module, first))
    RefuseMixture(module, origin);
  shadow.module.flags |= module.flags;
}

void LeaveMarksUnread(const ModuleNote &record, const char *origin) {
  CheckFields(record.info, origin);
  const bool always = !abi::marks_on_byte(record);
  if (always && (GetBaseRegister() || !MapUnreadMarks(record.info)))
    Fatal("%s is instrumented, and was loaded into a process that is recorded "
          "by engine %s. There is no room for its marks. Record with --engine "
          "marks, or build it on demand (-fpagetide-mode=on-demand).\n",
          origin, EngineCan().name);
  Warning("%s is instrumented, and was loaded into a process that is recorded "
          "by engine %s, which sees what it writes. Its marks are not used. "
          "Record with --engine marks to have them.\n",
          origin, EngineCan().name);
}

//===- Notes and records --------------------------------------------------===//

using NoteVisitor = void (*)(const ModuleNote &record, const char *origin);

/// A file that the loader has mapped.
struct Image {
  const Elf64_Phdr *headers;
  uptr count;
  uptr bias;
  const char *origin; ///< empty for the program

  /// Whether [start, start + bytes) is in one of its segments with `rights`.
  bool Holds(uptr start, uptr bytes, u32 rights) const {
    for (uptr i = 0; i < count; ++i) {
      const Elf64_Phdr &segment = headers[i];
      const uptr begin = bias + segment.p_vaddr;
      if (segment.p_type == PT_LOAD && (segment.p_flags & rights) == rights &&
          start >= begin && bytes <= segment.p_memsz &&
          start - begin <= segment.p_memsz - bytes)
        return true;
    }
    return false;
  }
};

/// Whether there is a note or a record, which both begin in the same way.
static bool IsNote(const ModuleNote &note) {
  return note.name_bytes == sizeof(abi::kNoteName) &&
         note.type == abi::kNoteType && note.info_bytes >= sizeof(ModuleInfo) &&
         !__sanitizer::internal_memcmp(note.name, abi::kNoteName,
                                       sizeof(abi::kNoteName));
}

/// Whether a record and the byte that its module tests are where they were
/// linked.
static bool IsRecord(const Image &image, uptr address) {
  if (!image.Holds(address, sizeof(ModuleNote), PF_R))
    return false;
  const auto &record = *(const ModuleNote *)address;
  const uptr byte = (uptr)abi::marks_on_byte(record);
  return IsNote(record) && (!byte || image.Holds(byte, 1, PF_R | PF_W));
}

/// What constructors have passed, latest last: the records of modules whose
/// notes may be lost. Of closed modules they may be stale.
static constexpr u32 kMaxAnnounced = 256;
static const ModuleNote *announced[kMaxAnnounced];
static u32 announced_count;

void AnnounceModule(const ModuleNote &record) {
  const u32 at = __atomic_fetch_add(&announced_count, 1, __ATOMIC_ACQ_REL);
  __atomic_store_n(&announced[at % kMaxAnnounced], &record, __ATOMIC_RELEASE);
}

/// Visits the records of an image: those to which its notes are linked, and
/// those that were announced.
static void VisitImage(const Image &image, NoteVisitor visit) {
  for (uptr i = 0; i < image.count; ++i) {
    const Elf64_Phdr &segment = image.headers[i];
    const uptr start = image.bias + segment.p_vaddr;
    if (segment.p_type != PT_NOTE || !image.Holds(start, segment.p_memsz, PF_R))
      continue;
    // strip clears a note that it removes, and leaves a gap without a length.
    for (uptr at = 0; at + sizeof(ModuleNote) <= segment.p_memsz; at += 4) {
      const auto &note = *(const ModuleNote *)(start + at);
      if (IsNote(note) && IsRecord(image, abi::linked_address(note)))
        visit(*(const ModuleNote *)abi::linked_address(note), image.origin);
    }
  }
  for (const ModuleNote *const &entry : announced) {
    const ModuleNote *record = __atomic_load_n(&entry, __ATOMIC_ACQUIRE);
    if (record && IsRecord(image, (uptr)record))
      visit(*record, image.origin);
  }
}

/// Where the loader has mapped the start of the file that has `map`; null if it
/// does not know. Asking the loader takes no system call: a filter may end the
/// process for one that the program itself does not make.
static const Elf64_Ehdr *StartOf(const link_map *map) {
  dl_find_object found;
  return map->l_ld && !_dl_find_object(map->l_ld, &found)
             ? (const Elf64_Ehdr *)found.dlfo_map_start
             : nullptr;
}

/// Visits the records of all modules that the loader has mapped, from the
/// loader's list. dl_iterate_phdr may be another sanitizer's, which is not
/// ready yet.
static void VisitLoadedModules(NoteVisitor visit) {
  const auto *headers = (const Elf64_Phdr *)getauxval(AT_PHDR);
  uptr count = getauxval(AT_PHNUM);
  uptr bias = 0;
  for (uptr i = 0; headers && i < count; ++i)
    if (headers[i].p_type == PT_PHDR)
      bias = (uptr)headers - headers[i].p_vaddr;
  if (headers)
    VisitImage({headers, count, bias, ""}, visit);
  const link_map *map = _r_debug.r_map;
  if (map) // the program itself
    map = map->l_next;
  for (; map; map = map->l_next) {
    // A shared object's first segment starts with its ELF header.
    const Elf64_Ehdr *elf = StartOf(map);
    if (!elf || __sanitizer::internal_memcmp(elf->e_ident, ELFMAG, SELFMAG))
      continue;
    VisitImage({(const Elf64_Phdr *)((uptr)elf + elf->e_phoff), elf->e_phnum,
                map->l_addr, map->l_name},
               visit);
  }
}

static LoadedNotes notes;

bool HasInstrumentedModule() { return notes.any; }
const LoadedNotes &NotesOfStart() { return notes; }
void NoteInstrumentedModule() { notes.any = true; }

void AdmitLoadedModules() {
  VisitLoadedModules([](const ModuleNote &record, const char *origin) {
    AdmitModule(record.info, origin);
  });
}

/// What the notes of loaded modules have in common, if they agree.
static struct {
  ModuleInfo first;
  u32 count;
  bool differ;
} agreement;

bool LoadedModulesFit(u64 &shadow_bytes) {
  agreement = {};
  VisitLoadedModules([](const ModuleNote &record, const char *) {
    if (!agreement.count++)
      agreement.first = record.info;
    agreement.differ |= !AreAlike(agreement.first, record.info);
  });
  if (!agreement.count || agreement.differ)
    return false;
  shadow_bytes =
      ControlBytes() + abi::shadow_bytes((abi::Layout)agreement.first.layout,
                                         agreement.first.cell_shift);
  return true;
}

static bool change_copies;

bool LoadedModulesChangeCopies() {
  change_copies = true;
  VisitLoadedModules([](const ModuleNote &record, const char *) {
    change_copies &= (record.info.flags & abi::kModuleWindows) != 0;
  });
  return change_copies;
}

void SwitchLoadedModulesOn() {
  VisitLoadedModules(
      [](const ModuleNote &record, const char *) { AddMarkSwitch(record); });
}

const LoadedNotes &ReadLoadedNotes() {
  VisitLoadedModules([](const ModuleNote &record, const char *origin) {
    CheckFields(record.info, *origin ? origin : "the program");
    if (!notes.any && *origin) // the program comes first
      notes.library = origin;
    notes.any = true;
    notes.always |= !(record.info.flags & abi::kModuleOnDemand);
    notes.flags |= record.info.flags;
  });
  return notes;
}

} // namespace pagetide
