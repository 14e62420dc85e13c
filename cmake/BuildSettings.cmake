# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What holds for every target: language level, output directories, warnings.

if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES
                                             "^(x86_64|AMD64)$")
  message(FATAL_ERROR "Pagetide runs on Linux on x86-64 only; this is "
                      "${CMAKE_SYSTEM_NAME} on ${CMAKE_SYSTEM_PROCESSOR}.")
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Kind of build" FORCE)
  set_property(CACHE CMAKE_BUILD_TYPE PROPERTY STRINGS Debug Release
                                               RelWithDebInfo MinSizeRel)
endif()

# Lines of functions are enough for a stack, and take a sixth less time. Debug has all.
if(CMAKE_CXX_FLAGS_RELWITHDEBINFO STREQUAL "-O2 -g -DNDEBUG")
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
endif()

option(PAGETIDE_WERROR "Treat warnings of our own code as errors" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# One layout in the build tree and installed: bin/ beside lib/. The wrappers and
# the command-line tool find the rest relative to themselves.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/private")

# Half of a file's compile time goes into headers of LLVM, fmt and CLI11.
option(PAGETIDE_PRECOMPILED_HEADERS "Precompile headers of other projects" ON)

# pagetide_precompile(TARGET header...)
function(pagetide_precompile target)
  if(PAGETIDE_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# Text that a person reads, command lines and tests need no optimisation; without
# it they compile in half the time.
set(PAGETIDE_QUICK_COMPILE_OPTIONS -O0 -g1)

add_compile_options(-Wall -Wextra)
if(PAGETIDE_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_GENERATOR STREQUAL "Ninja")
  add_compile_options(-fdiagnostics-color)
endif()
