//===- c++config.h - libstdc++ with std::string in the program ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before C++20 libstdc++ declares that std::string is instantiated in the
// library. The library is not instrumented, so what string's members write has
// no marks. The compiler finds this file before the library's file of the same
// name. It includes that file and removes the declaration, for strings only
// (-1: libstdc++ tests for > 0). A macro on the command line cannot do this,
// because the library's file defines it unconditionally.

#pragma GCC system_header

#include_next <bits/c++config.h>

#if defined(_GLIBCXX_EXTERN_TEMPLATE) && _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
