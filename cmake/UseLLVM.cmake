# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds LLVM (LLVM_DIR, or where ChooseCompiler found it) and checks that the
# compiler is the clang of that version: with it all is built. Then finds every
# LLVM of PAGETIDE_LLVM: the pass is built once for each.
#
#   PAGETIDE_LLVM_<N>_CXXFLAGS  what code against that LLVM's headers needs
#   PAGETIDE_LLVM_<N>_BIN       the directory of its clang, opt and FileCheck

find_package(LLVM ${PAGETIDE_LLVM_VERSION} CONFIG
             HINTS "${_llvm_prefix}/lib/cmake/llvm")
if(NOT LLVM_FOUND)
  message(
    FATAL_ERROR
      "LLVM ${PAGETIDE_LLVM_MAJOR} was not found. Install "
      "llvm-${PAGETIDE_LLVM_MAJOR}-dev (scripts/setup.sh does), or give "
      "-DLLVM_DIR=PREFIX/lib/cmake/llvm.")
endif()

math(EXPR _next "${PAGETIDE_LLVM_MAJOR} + 1")
foreach(_lang IN ITEMS C CXX)
  if(NOT CMAKE_${_lang}_COMPILER_ID STREQUAL "Clang"
     OR CMAKE_${_lang}_COMPILER_VERSION VERSION_LESS PAGETIDE_LLVM_MAJOR
     OR CMAKE_${_lang}_COMPILER_VERSION VERSION_GREATER_EQUAL _next)
    message(
      FATAL_ERROR
        "The compiler '${CMAKE_${_lang}_COMPILER}' is "
        "${CMAKE_${_lang}_COMPILER_ID} ${CMAKE_${_lang}_COMPILER_VERSION}; "
        "Pagetide needs Clang ${PAGETIDE_LLVM_MAJOR}. Unset CC and CXX, or give "
        "-DCMAKE_C_COMPILER=clang-${PAGETIDE_LLVM_MAJOR} "
        "-DCMAKE_CXX_COMPILER=clang++-${PAGETIDE_LLVM_MAJOR}.")
  endif()
endforeach()

list(APPEND CMAKE_MODULE_PATH "${LLVM_CMAKE_DIR}")

# pass/LlvmCompat.h knows these.
set(PAGETIDE_KNOWN_LLVM 18 19 22)

# Sets PAGETIDE_LLVM_<major>_CXXFLAGS and _BIN, unless that LLVM's headers are
# missing.
function(_pagetide_find_llvm major)
  if(major EQUAL PAGETIDE_LLVM_MAJOR)
    separate_arguments(_flags NATIVE_COMMAND "${LLVM_DEFINITIONS}")
    list(TRANSFORM LLVM_INCLUDE_DIRS PREPEND "-isystem"
         OUTPUT_VARIABLE _includes)
    list(APPEND _flags ${_includes})
    if(NOT LLVM_ENABLE_RTTI)
      list(APPEND _flags -fno-rtti)
    endif()
    set(_bin "${LLVM_TOOLS_BINARY_DIR}")
  else()
    find_program(PAGETIDE_LLVM_CONFIG_${major} llvm-config-${major})
    mark_as_advanced(PAGETIDE_LLVM_CONFIG_${major})
    if(NOT PAGETIDE_LLVM_CONFIG_${major})
      return()
    endif()
    foreach(_what IN ITEMS includedir bindir cxxflags has-rtti)
      execute_process(
        COMMAND "${PAGETIDE_LLVM_CONFIG_${major}}" --${_what}
        OUTPUT_VARIABLE _${_what} OUTPUT_STRIP_TRAILING_WHITESPACE)
    endforeach()
    if(NOT EXISTS "${_includedir}/llvm/Passes/PassBuilder.h")
      return()
    endif()
    # Of the flags that LLVM was built with, headers need the macros alone.
    separate_arguments(_flags NATIVE_COMMAND "${_cxxflags}")
    list(FILTER _flags INCLUDE REGEX "^-D")
    list(APPEND _flags "-isystem${_includedir}")
    if(NOT _has-rtti STREQUAL "YES")
      list(APPEND _flags -fno-rtti)
    endif()
    set(_bin "${_bindir}")
  endif()
  set(PAGETIDE_LLVM_${major}_CXXFLAGS "${_flags}" PARENT_SCOPE)
  set(PAGETIDE_LLVM_${major}_BIN "${_bin}" PARENT_SCOPE)
endfunction()

set(PAGETIDE_LLVM "" CACHE STRING
    "LLVMs that the pass is built for, as 19;22; empty: all that are installed")
set(PAGETIDE_PASS_LLVM)
foreach(_major IN LISTS PAGETIDE_KNOWN_LLVM)
  _pagetide_find_llvm(${_major})
  if(PAGETIDE_LLVM_${_major}_CXXFLAGS)
    list(APPEND PAGETIDE_PASS_LLVM ${_major})
  endif()
endforeach()
if(PAGETIDE_LLVM)
  foreach(_major IN LISTS PAGETIDE_LLVM)
    if(NOT _major IN_LIST PAGETIDE_KNOWN_LLVM)
      list(JOIN PAGETIDE_KNOWN_LLVM ", " _known)
      message(FATAL_ERROR "PAGETIDE_LLVM=${PAGETIDE_LLVM}: the pass cannot be "
                          "built for LLVM '${_major}', only for ${_known}.")
    endif()
    if(NOT _major IN_LIST PAGETIDE_PASS_LLVM)
      message(FATAL_ERROR "PAGETIDE_LLVM=${PAGETIDE_LLVM}: LLVM ${_major} was "
                          "not found. Install llvm-${_major}-dev and "
                          "clang-${_major} (PAGETIDE_LLVM=${_major} "
                          "scripts/setup.sh packages does).")
    endif()
  endforeach()
  set(PAGETIDE_PASS_LLVM ${PAGETIDE_LLVM})
endif()
# The wrappers run clang ${PAGETIDE_LLVM_MAJOR} unless another is named.
if(NOT PAGETIDE_LLVM_MAJOR IN_LIST PAGETIDE_PASS_LLVM)
  message(FATAL_ERROR "PAGETIDE_LLVM=${PAGETIDE_LLVM} lacks "
                      "${PAGETIDE_LLVM_MAJOR}, which the compiler wrappers run "
                      "by default. Add it.")
endif()
message(STATUS "The pass is built for LLVM ${PAGETIDE_PASS_LLVM}")
