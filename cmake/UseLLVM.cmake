# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds LLVM (LLVM_DIR, or where ChooseCompiler found it) and checks that the
# compiler is the clang of that version: it loads the plugin that we build.

find_package(LLVM ${PAGETIDE_LLVM_VERSION} CONFIG
             HINTS "${_llvm_prefix}/lib/cmake/llvm")
if(NOT LLVM_FOUND)
  message(
    FATAL_ERROR
      "LLVM ${PAGETIDE_LLVM_MAJOR} was not found. Install "
      "llvm-${PAGETIDE_LLVM_MAJOR}-dev (scripts/setup.sh does), or give "
      "-DLLVM_DIR=PREFIX/lib/cmake/llvm.")
endif()

foreach(_lang IN ITEMS C CXX)
  if(NOT CMAKE_${_lang}_COMPILER_ID STREQUAL "Clang"
     OR CMAKE_${_lang}_COMPILER_VERSION VERSION_LESS PAGETIDE_LLVM_MAJOR
     OR CMAKE_${_lang}_COMPILER_VERSION VERSION_GREATER_EQUAL 20)
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
