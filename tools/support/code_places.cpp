//===- code_places.cpp - The source of an address in a program's file -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/code_places.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include <filesystem>
#include <map>
#include <memory>

namespace pagetide::tools {

namespace {

/// A file that libdw has read.
class CodeFile {
public:
  explicit CodeFile(const std::string &path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored))
      return; // a pipe would not end
    dwfl_.reset(dwfl_begin(&callbacks()));
    if (!dwfl_)
      return;
    module_ = dwfl_report_offline(dwfl_.get(), "", path.c_str(), -1);
    dwfl_report_end(dwfl_.get(), nullptr, nullptr);
  }

  CodePlace call_before(std::uint64_t offset) const {
    CodePlace place;
    std::uint64_t address;
    // An address of return is behind the call. The byte before it is the
    // call's.
    if (!module_ || offset == 0 || !address_of(offset - 1, address))
      return place;
    if (const char *name = dwfl_module_addrname(module_, address))
      place.function = name;
    find_line(address, place);
    return place;
  }

private:
  static const Dwfl_Callbacks &callbacks() {
    static const Dwfl_Callbacks kCallbacks = {
        dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
        dwfl_offline_section_address, nullptr};
    return kCallbacks;
  }

  /// Clang writes no table of addresses (.debug_aranges), by which
  /// dwfl_module_getsrc would find the unit.
  void find_line(std::uint64_t address, CodePlace &place) const {
    Dwarf_Addr bias = 0;
    for (Dwarf_Die *unit = nullptr;
         (unit = dwfl_module_nextcu(module_, unit, &bias));) {
      if (dwarf_haspc(unit, address - bias) != 1)
        continue;
      Dwarf_Line *at = dwarf_getsrc_die(unit, address - bias);
      int line = 0;
      const char *file = at ? dwarf_linesrc(at, nullptr, nullptr) : nullptr;
      if (file && dwarf_lineno(at, &line) == 0 && line > 0) {
        place.file = file;
        place.line = static_cast<std::uint64_t>(line);
      }
      return;
    }
  }

  /// Where libdw puts what is at this offset in the file.
  bool address_of(std::uint64_t offset, std::uint64_t &address) const {
    GElf_Addr bias = 0;
    Elf *elf = dwfl_module_getelf(module_, &bias);
    std::size_t count = 0;
    if (!elf || elf_getphdrnum(elf, &count) != 0)
      return false;
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr segment;
      if (!gelf_getphdr(elf, static_cast<int>(i), &segment) ||
          segment.p_type != PT_LOAD ||
          offset - segment.p_offset >= segment.p_filesz)
        continue;
      address = segment.p_vaddr + (offset - segment.p_offset) + bias;
      return true;
    }
    return false;
  }

  std::unique_ptr<Dwfl, decltype(&dwfl_end)> dwfl_{nullptr, dwfl_end};
  Dwfl_Module *module_ = nullptr;
};

} // namespace

CodeLookup read_code_places() {
  const auto files = std::make_shared<std::map<std::string, CodeFile>>();
  return [files](const std::string &path, std::uint64_t offset) {
    return files->try_emplace(path, path).first->second.call_before(offset);
  };
}

} // namespace pagetide::tools
