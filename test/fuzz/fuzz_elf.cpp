//===- fuzz_elf.cpp - Lets record look at files that are no programs --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "elf_note.h"
#include "fuzz_input.h"
#include "unique_fd.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace pagetide::tools;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  const UniqueFd file(::memfd_create("elf", MFD_CLOEXEC));
  require(::write(file.get(), data, size) == static_cast<ssize_t>(size),
          "a memory file takes the input");
  const ElfFile elf =
      examine_elf("/proc/self/fd/" + std::to_string(file.get()));
  require(elf.is_elf || (!elf.note && !elf.is_dynamic),
          "what is no ELF file has no notes");
  return 0;
}
