//===- elf_image.h - What a mapped ELF file has where ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_AUDIT_ELF_IMAGE_H
#define PAGETIDE_TOOLS_AUDIT_ELF_IMAGE_H

#include "audit/comparison.h"

namespace pagetide::tools {

/// Looks at an ELF file that a process had mapped. One that cannot be read is
/// no ELF file. Its variables are read when they are first asked for, from its
/// symbol table or, where it is stripped, from its dynamic one.
ModuleFile read_module(const std::string &path);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_AUDIT_ELF_IMAGE_H
