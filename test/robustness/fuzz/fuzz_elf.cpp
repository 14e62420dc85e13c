//===- fuzz_elf.cpp - Lets record look at files that are no programs ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuzz_input.h"
#include "support/elf_note.h"
#include "support/unique_fd.h"

#include <sys/mman.h>

using namespace pagetide::tools;

PAGETIDE_FUZZER(fuzz_elf) {
  const UniqueFd file(::memfd_create("elf", MFD_CLOEXEC));
  FdSink(file.get(), "elf").write(input.bytes(SIZE_MAX));
  const ElfFile elf =
      examine_elf("/proc/self/fd/" + std::to_string(file.get()));
  require(elf.is_elf || (!elf.note && !elf.is_dynamic),
          "what is no ELF file has no notes");
}
