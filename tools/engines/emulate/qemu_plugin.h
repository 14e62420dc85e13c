//===- qemu_plugin.h - What we use of QEMU's plugin interface -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Version 1 of the interface, which QEMU 6.0 to 8.2 have. Debian packages no
// header for it. The oracle (test/oracle) has its own: it shares no code with
// Pagetide.

#pragma once

#include <cstddef>
#include <cstdint>

// NOLINTBEGIN(readability-identifier-naming): QEMU's names
extern "C" {

using qemu_plugin_id_t = std::uint64_t;
using qemu_plugin_meminfo_t = std::uint32_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info_t; // not looked into

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS = 0 };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };

// What the plugin defines.
[[gnu::visibility("default")]] extern int qemu_plugin_version;
[[gnu::visibility("default")]] int qemu_plugin_install(qemu_plugin_id_t id,
                                                       const qemu_info_t *info,
                                                       int argc, char **argv);

// Code, when it is translated.
using qemu_plugin_vcpu_tb_trans_cb_t = void (*)(qemu_plugin_id_t id,
                                                qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           qemu_plugin_vcpu_tb_trans_cb_t cb);
std::size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb *block);
qemu_plugin_insn *qemu_plugin_tb_get_insn(const qemu_plugin_tb *block,
                                          std::size_t index);
std::uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const qemu_plugin_insn *insn);
std::size_t qemu_plugin_insn_size(const qemu_plugin_insn *insn);
/// The caller frees it.
char *qemu_plugin_insn_disas(const qemu_plugin_insn *insn);

// Accesses, when they have been made.
using qemu_plugin_vcpu_mem_cb_t = void (*)(unsigned vcpu,
                                           qemu_plugin_meminfo_t info,
                                           std::uint64_t address, void *user);
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn *insn,
                                      qemu_plugin_vcpu_mem_cb_t cb,
                                      qemu_plugin_cb_flags flags,
                                      qemu_plugin_mem_rw rw, void *user);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

// Threads, system calls, the end.
using qemu_plugin_vcpu_simple_cb_t = void (*)(qemu_plugin_id_t id,
                                              unsigned vcpu);
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id,
                                       qemu_plugin_vcpu_simple_cb_t cb);
void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t id,
                                       qemu_plugin_vcpu_simple_cb_t cb);
void qemu_plugin_vcpu_for_each(qemu_plugin_id_t id,
                               qemu_plugin_vcpu_simple_cb_t cb);
/// Not of the interface: QEMU calls it itself when a vCPU ends.
void qemu_plugin_vcpu_exit_hook(void *cpu_state);
using qemu_plugin_vcpu_syscall_cb_t = void (*)(
    qemu_plugin_id_t id, unsigned vcpu, std::int64_t number, std::uint64_t a,
    std::uint64_t b, std::uint64_t c, std::uint64_t d, std::uint64_t e,
    std::uint64_t f, std::uint64_t g, std::uint64_t h);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id,
                                          qemu_plugin_vcpu_syscall_cb_t cb);
using qemu_plugin_vcpu_syscall_ret_cb_t = void (*)(qemu_plugin_id_t id,
                                                   unsigned vcpu,
                                                   std::int64_t number,
                                                   std::int64_t result);
void qemu_plugin_register_vcpu_syscall_ret_cb(
    qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_ret_cb_t cb);
using qemu_plugin_udata_cb_t = void (*)(qemu_plugin_id_t id, void *user);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
                                    qemu_plugin_udata_cb_t cb, void *user);

/// The program, as it was started. The caller frees it.
const char *qemu_plugin_path_to_binary();

} // extern "C"
// NOLINTEND(readability-identifier-naming)
