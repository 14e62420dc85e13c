//===- pages_plugin.cpp - The pages a program touches, as QEMU sees them --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin for qemu-x86_64, to see what such a one costs at the least: a byte a
// page is set at every access, as our marks do it, and nothing else is done. At
// the end it writes to the file that `out=` names how many pages there were.

#include "qemu_plugin.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

namespace {

constexpr unsigned kPageShift = 12;
constexpr unsigned kAddressBits = 47;
constexpr std::size_t kPages = std::size_t{1} << (kAddressBits - kPageShift);

unsigned char *pages; ///< bit 0: read, bit 1: written
const char *out;

[[noreturn]] void die(const char *what) {
  std::perror(what);
  std::_Exit(98);
}

void on_access(unsigned /*vcpu*/, qemu_plugin_meminfo_t info,
               std::uint64_t address, void * /*user*/) {
  pages[(address >> kPageShift) % kPages] |=
      qemu_plugin_mem_is_store(info) ? 2 : 1;
}

void on_translation(qemu_plugin_id_t /*id*/, qemu_plugin_tb *block) {
  const std::size_t count = qemu_plugin_tb_n_insns(block);
  for (std::size_t i = 0; i < count; ++i)
    qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, i),
                                     on_access, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_RW, nullptr);
}

/// Only what is there of the table is read: the rest of its 32 GiB is a hole.
void on_exit(qemu_plugin_id_t /*id*/, void * /*user*/) {
  constexpr std::size_t kStep = 4096;
  constexpr std::size_t kWindow = std::size_t{1} << 18;
  static unsigned char present[kWindow];
  std::size_t accessed = 0, written = 0;
  for (std::size_t at = 0; at < kPages; at += kWindow * kStep) {
    if (mincore(pages + at, kWindow * kStep, present) != 0)
      die("pages plugin: mincore");
    for (std::size_t i = 0; i < kWindow; ++i) {
      if (!(present[i] & 1))
        continue;
      const unsigned char *bytes = pages + at + i * kStep;
      for (std::size_t j = 0; j < kStep; ++j) {
        accessed += bytes[j] != 0;
        written += (bytes[j] & 2) != 0;
      }
    }
  }
  std::FILE *file = std::fopen(out, "we");
  if (!file)
    die(out);
  if (accessed != 0)
    std::fprintf(file, "%zu pages, %zu written\n", accessed, written);
  if (std::fclose(file) != 0)
    die(out);
}

} // namespace

int qemu_plugin_version = 1;

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t * /*info*/,
                        int argc, char **argv) {
  for (int i = 0; i < argc; ++i)
    if (std::strncmp(argv[i], "out=", 4) == 0)
      out = strdup(argv[i] + 4);
  if (!out) {
    std::fprintf(stderr, "pages plugin: give it out=FILE\n");
    return 1;
  }
  void *table = mmap(nullptr, kPages, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (table == MAP_FAILED)
    die("pages plugin: no room for its table");
  pages = static_cast<unsigned char *>(table);
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_atexit_cb(id, on_exit, nullptr);
  return 0;
}
