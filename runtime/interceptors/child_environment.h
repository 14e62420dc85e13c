//===- child_environment.h - What started programs are told ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `pagetide record` tells the processes of a run by their environment how to
// record: PAGETIDE_OPTIONS, and LD_PRELOAD if the engine needs no instrumented
// code. Some programs start others with a trimmed environment. So the calls
// that start programs add what is missing. An instrumented program that has
// still lost PAGETIDE_OPTIONS finds them by itself (platform/run_options.h).
// That fails if /proc or /tmp is another one, as after chroot.
//
// Nothing is added if the program is started with options of its own, or with
// other rights: there the runtime ignores the environment.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

using Strings = char *const *;

/// The child, or the kernel for it, has read a string or a list of strings as
/// far as they can be read; as may if the call has failed.
void DidReadOneString(const char *s, bool succeeded);
void DidReadStrings(Strings strings, bool succeeded);

/// The arguments of an exec that is about to be tried, or has failed. The
/// kernel reads the strings before it looks at what to start.
void MayReadArguments(const char *path, Strings argv, Strings env);

/// Second phase, once the options are known.
void InitChildEnvironment();

/// The environment for a program that is about to be started. Allocates with
/// bare system calls only, and writes no variable: the caller may be a child of
/// vfork, which shares its parent's memory.
class ChildEnvironment {
public:
  /// `file` names the program, as execveat's arguments do. If it is null, the
  /// program is looked for in PATH.
  ChildEnvironment(Strings environment, int directory, const char *file,
                   int flags = 0);
  ~ChildEnvironment();
  ChildEnvironment(const ChildEnvironment &) = delete;
  ChildEnvironment &operator=(const ChildEnvironment &) = delete;

  Strings Get() const { return environment_; }
  bool HasMore() const { return has_more_; }

private:
  void Extend(uptr count, bool options, bool preload);
  static constexpr uptr kFew = 128; // a thread's stack may be 16 KiB
  Strings environment_;
  bool has_more_ = false;
  char *few_[kFew];
  char **mapped_ = nullptr;
  uptr mapped_bytes_ = 0;
};

} // namespace pagetide
