//===- c++config.h - libstdc++ with std::string in the program ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before C++20 libstdc++ declares that std::string is instantiated in the
// library, which is not instrumented: what its members write has no marks.
// Found before the library's own file of this name, this one includes that one
// and takes the declaration back, for strings only (-1: libstdc++ compares with
// > 0). A macro on the command line cannot do it: the library's file defines it
// unconditionally.
//
//===----------------------------------------------------------------------===//

#pragma GCC system_header

#include_next <bits/c++config.h>

#if defined(_GLIBCXX_EXTERN_TEMPLATE) && _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
