//===- loaded_modules.cpp - The instrumented files of the process ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "startup/loaded_modules.h"

#include "interceptors/memory.h"
#include "interceptors/real_functions.h"
#include "platform/environment.h"
#include "platform/gs_base.h"
#include "platform/messages.h"
#include "platform/program_events.h"
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
  if ((ControlReady() && !ShadowReady()) || EngineListens())
    Fatal(
        "%s is instrumented, and was loaded into a process that is recorded "
        "by another engine than marks (docs/using/recording.md). Load a build "
        "that is not instrumented.\n",
        origin);
  if (!ShadowReady()) {
    if (uptr base = GetGsBase())
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

//===- Notes --------------------------------------------------------------===//

using NoteVisitor = void (*)(const ModuleNote &note, const char *origin);

/// Visits the notes of ours in a PT_NOTE segment.
static void VisitNotes(uptr start, uptr bytes, const char *origin,
                       NoteVisitor visit) {
  while (bytes >= sizeof(Elf64_Nhdr)) {
    const Elf64_Nhdr &note = *(const Elf64_Nhdr *)start;
    uptr name_bytes = (note.n_namesz + 3u) & ~3u;
    uptr total = sizeof(note) + name_bytes + ((note.n_descsz + 3u) & ~3u);
    if (total > bytes)
      return;
    const ModuleNote *ours = (const ModuleNote *)start;
    if (note.n_namesz == sizeof(abi::kNoteName) &&
        note.n_type == abi::kNoteType && note.n_descsz >= sizeof(ModuleInfo) &&
        !__sanitizer::internal_memcmp(ours->name, abi::kNoteName,
                                      sizeof(abi::kNoteName)))
      visit(*ours, origin);
    start += total;
    bytes -= total;
  }
}

static void VisitProgramHeaders(const Elf64_Phdr *headers, uptr count,
                                uptr bias, const char *origin,
                                NoteVisitor visit) {
  for (uptr i = 0; i < count; ++i)
    // Notes of eight-byte alignment (GNU properties) have another layout, and
    // none of them is ours.
    if (headers[i].p_type == PT_NOTE && headers[i].p_align <= 4)
      VisitNotes(bias + headers[i].p_vaddr, headers[i].p_memsz, origin, visit);
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

/// Visits the notes of all modules that the loader has mapped, from the
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
    VisitProgramHeaders(headers, count, bias, "", visit);
  const link_map *map = _r_debug.r_map;
  if (map) // the program itself
    map = map->l_next;
  for (; map; map = map->l_next) {
    // A shared object's first segment starts with its ELF header.
    const Elf64_Ehdr *elf = StartOf(map);
    if (!elf || __sanitizer::internal_memcmp(elf->e_ident, ELFMAG, SELFMAG))
      continue;
    VisitProgramHeaders((const Elf64_Phdr *)((uptr)elf + elf->e_phoff),
                        elf->e_phnum, map->l_addr, map->l_name, visit);
  }
}

static LoadedNotes notes;

bool HasInstrumentedModule() { return notes.any; }
void NoteInstrumentedModule() { notes.any = true; }

void AdmitLoadedModules() {
  VisitLoadedModules([](const ModuleNote &note, const char *origin) {
    AdmitModule(note.info, origin);
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
  VisitLoadedModules([](const ModuleNote &note, const char *) {
    if (!agreement.count++)
      agreement.first = note.info;
    agreement.differ |= !AreAlike(agreement.first, note.info);
  });
  if (!agreement.count || agreement.differ)
    return false;
  shadow_bytes =
      ControlBytes() + abi::shadow_bytes((abi::Layout)agreement.first.layout,
                                         agreement.first.cell_shift);
  return true;
}

void SwitchLoadedModulesOn() {
  VisitLoadedModules([](const ModuleNote &note, const char *) {
    if (u8 *byte = abi::marks_on_byte(note))
      *byte = 1;
  });
}

const LoadedNotes &ReadLoadedNotes() {
  VisitLoadedModules([](const ModuleNote &note, const char *origin) {
    CheckFields(note.info, *origin ? origin : "the program");
    notes.any = true;
    notes.always |= !(note.info.flags & abi::kModuleOnDemand);
    notes.flags |= note.info.flags;
  });
  return notes;
}

} // namespace pagetide
