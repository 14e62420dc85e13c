//===- interceptor.h - What all interceptors stand on ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instrumented code marks its own accesses; what it has libc or the kernel do
// is marked by interceptors. Each of them:
//
//   PAGETIDE_INTERCEPTOR(int, name, parameters...) {
//     OnInterceptedCall();             // first
//     int result = RESOLVED(name)(...); // libc's
//     Wrote(p, bytes);                 // what it did
//     return result;
//   }
//
// and a line in intercepted.txt, from which the library's exports and
// docs/reference/interceptors.md come. An interceptor entered before the second
// phase, or in a process without instrumented code, does what the real function
// does: the functions below then mark nothing.
//
// These files declare libc's functions themselves, with types of their own:
// include no header of libc that declares one which the file intercepts.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_INTERCEPTOR_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_INTERCEPTOR_H

// Some of these files define memcpy and the like: no header may rename them.
#ifndef SANITIZER_COMMON_NO_REDEFINE_BUILTINS
#define SANITIZER_COMMON_NO_REDEFINE_BUILTINS
#endif

#include "interceptors/memory.h"
#include "interceptors/period_by_calls.h"
#include "platform/internal_mem.h"
#include "platform/program_events.h"
#include "platform/program_memory.h"
#include "shadow/marking.h"
#include "shadow/shadow.h"
#include "startup/init.h"
#include "threads/thread_start.h"

#include "interception/interception.h"

#include <errno.h>
#include <sys/uio.h>

namespace pagetide {

//===- The real functions -------------------------------------------------===//

/// A function that an interceptor wraps, and where its address is kept.
struct RealFunction {
  const char *name;
  void **address;
};

extern bool intercepting; ///< the real functions are known
inline bool Active() { return __builtin_expect(intercepting, 1); }

/// For functions that have no stand-in: whoever comes first resolves them all.
/// A plain program may be linked with this library, and constructors of other
/// libraries run before the second phase.
inline void NeedReal() {
  if (!Active())
    InitInterceptors();
}

} // namespace pagetide

/// Heads an interceptor's definition.
#define PAGETIDE_INTERCEPTOR(type, name, ...)                                  \
  DEFINE_REAL(type, name, __VA_ARGS__)                                         \
  __attribute__((                                                              \
      section("pagetide_real"), used,                                          \
      retain)) static const pagetide::RealFunction real_function_of_##name = { \
      #name, (void **)&REAL(name)};                                            \
  DECLARE_WRAPPER(type, name, __VA_ARGS__)                                     \
  extern "C" INTERCEPTOR_ATTRIBUTE type WRAP(name)(__VA_ARGS__)

/// The real function, resolved if need be.
#define RESOLVED(name) (pagetide::NeedReal(), REAL(name))

namespace pagetide {

template <typename T> inline T Min(T a, T b) { return a < b ? a : b; }

/// Strings without an end in sight.
constexpr uptr kNoBound = ~uptr{0} >> 1;
/// Ranges are marked and moved in steps, so that a mark precedes its access by
/// a bounded time (docs/reference/contract.md, Bounded skew).
constexpr uptr kStep = abi::kRangeStep;

/// In a forked child: nobody holds a lock of an interceptor.
void RenewInterceptorsInChild();

//===- Marks --------------------------------------------------------------===//

inline void DidRead(const volatile void *p, uptr bytes) {
  if (ShadowReady())
    MarkRead((uptr)p, bytes);
}
inline void DidWrite(const volatile void *p, uptr bytes) {
  if (ShadowReady())
    MarkWrite((uptr)p, bytes);
}
inline void MayHaveRead(const volatile void *p, uptr bytes) {
  if (ShadowReady())
    MarkMayRead((uptr)p, bytes);
}
inline void MayHaveWritten(const volatile void *p, uptr bytes) {
  if (ShadowReady())
    MarkMayWrite((uptr)p, bytes);
}
/// False where what the program reads is marked nowhere: libc's own functions
/// may do all of the work.
inline bool MarksReads() {
  return ShadowReady() && abi::records_reads(shadow.layout);
}
template <typename T> inline void DidReadAt(const T *p) {
  if (p)
    DidRead((const volatile void *)p, sizeof(T));
}
template <typename T> inline void DidWriteAt(const T *p) {
  if (p)
    DidWrite((const volatile void *)p, sizeof(T));
}

/// Bytes of a string without its end, by the real strlen; marks nothing.
uptr Length(const char *s);
inline void DidReadString(const char *s) {
  if (s && ShadowReady())
    MarkRead((uptr)s, Length(s) + 1);
}
inline void DidWriteString(const char *s) {
  if (s && ShadowReady())
    MarkWrite((uptr)s, Length(s) + 1);
}

/// A path that the kernel has been given: it read it unless the address was
/// bad, which the result tells.
inline void DidReadPath(const char *path, bool failed) {
  if (!failed || errno != EFAULT)
    DidReadString(path);
}

/// Refuses, or takes note of, what a bare system call would do to the means of
/// the runtime (guards.cpp).
void BeforeBareCall(long number, const u64 (&arguments)[6]);

//===- Scans that mark ----------------------------------------------------===//

/// Index of the first byte equal to `c` among `most`; `most` where there is
/// none. Marks what it looked at.
uptr MarkedFind(const void *s, int c, uptr most);

//===- Input and output ---------------------------------------------------===//

/// What a call may write whose result's length nobody knows beforehand: more
/// than any ordinary result.
constexpr uptr kUnknownLength = uptr{64} << 10;

template <typename T> bool IsFailure(T *result) { return !result; }
template <typename T> bool IsFailure(T result) { return (sptr)result < 0; }

/// KernelCall(real)(arguments...) calls a libc function that is one system call.
/// EFAULT may mean that an engine has protected what an argument points to: the
/// call, which has done nothing, is made again. A period may end in between, so
/// once need not do.
constexpr int kMaxTries = 10;
template <typename Real> class KernelCall {
public:
  explicit KernelCall(Real *real) : real_(real) {}
  template <typename... Arguments>
  auto operator()(Arguments... arguments) const {
    auto result = real_(arguments...);
    for (int tries = 0;
         EngineListens() && IsFailure(result) && errno == EFAULT &&
         tries < kMaxTries && OpenForKernel(arguments...);
         ++tries)
      result = real_(arguments...);
    return result;
  }

private:
  template <typename... Arguments>
  static bool OpenForKernel(Arguments... arguments) {
    constexpr uptr kMaxResult = 4096;
    bool opened = false;
    const uptr all[] = {0, (uptr)arguments...};
    for (uptr argument : all)
      if (ProgramRightsOf(argument)) {
        KernelWillWrite((void *)argument, kMaxResult);
        opened = true;
      }
    return opened;
  }
  Real *real_;
};

/// As a range in flight: a call that writes nobody knows where, but soon ends.
constexpr uptr kAnywhere = uptr{1} << abi::kAddressBits;

/// A range that libc or the kernel may write until this goes, so that no
/// checksum takes it for stable. Calls may nest, by callbacks and signal
/// handlers: the range is then the span of all of its kind.
class InFlight {
public:
  InFlight(const void *p, uptr bytes,
           InFlightKind kind = InFlightKind::kBuffer);
  ~InFlight(); // after the marks
  InFlight(const InFlight &) = delete;
  InFlight &operator=(const InFlight &) = delete;

private:
  friend void AbandonCalls(uptr stack);
  void Leave();
  InFlightRange *range_ = nullptr;
  bool counted_ = false;
  std::uint64_t *innermost_ =
      nullptr;              ///< where the calls under way are chained
  std::uint64_t outer_ = 0; ///< the next one of the chain
  u64 address_ = 0, bytes_ = 0;
};

/// The thread is about to jump: calls above the stack pointer `stack` will not
/// return.
void AbandonCalls(uptr stack);
/// The same of the frames chained at self.unwindable, while `left(frame, arg)`.
void AbandonUnwindable(bool (*left)(uptr frame, const void *arg),
                       const void *arg);

/// Marks what a call has written: `done` bytes, or, where it failed on a bad
/// address, nobody knows how much of the range.
void MarkInput(const void *p, uptr bytes, sptr done);
void MarkOutput(const void *p, uptr bytes, sptr done);

/// A value there; zero where it cannot be read.
template <typename T> T ValueAt(const T *p) {
  T value = {};
  if (p && !(ShadowReady() &&
             CopyFromProgram((void *)&value, (const void *)p, sizeof(value))))
    value = {};
  return value;
}

/// A copy of the program's vector, made without trusting its address: a bad one
/// is for the kernel to refuse.
class Pieces {
public:
  Pieces(const iovec *vector, sptr count);
  ~Pieces();
  Pieces(const Pieces &) = delete;
  Pieces &operator=(const Pieces &) = delete;

  /// The span of all pieces, to be noted as in flight.
  InFlight Span() const;
  /// The bytes that `done` covers of the pieces, in order; or, after a bad
  /// address, all of them as may. The vector itself has been read.
  void MarkInputDone(sptr done) const;
  void MarkOutputDone(sptr done) const;

private:
  template <typename Mark> void MarkDone(sptr done, Mark mark) const;
  static constexpr sptr kMost = 1024; // UIO_MAXIOV: the kernel refuses more
  /// As many have room here: a thread's stack may be no larger than 16 KiB.
  static constexpr sptr kFew = 32;
  const iovec *vector_;
  uptr count_ = 0;
  iovec few_[kFew];
  iovec *pieces_ = few_;
};

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_INTERCEPTOR_H
