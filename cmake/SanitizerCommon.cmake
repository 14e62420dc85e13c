# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The parts of compiler-rt that the runtime stands on, as one static library:
#
#   pagetide_sanitizer_common   sanitizer_common (allocator, internal libc,
#                               process maps, threads, symbolizer) and the
#                               interception of libc functions
#
# They are built from our own file list, since compiler-rt's build system wants
# to be the top of a build or a part of LLVM's. The source directory is given by
# PAGETIDE_COMPILER_RT_SOURCE; scripts/setup.sh fetches it to .deps/compiler-rt.

set(_default_compiler_rt "${PROJECT_SOURCE_DIR}/.deps/compiler-rt")
set(PAGETIDE_COMPILER_RT_SOURCE "" CACHE PATH
    "compiler-rt's source directory (default: .deps/compiler-rt)")

# The default is not put into the cache: a build directory configured before
# setup.sh ran finds the sources on its next try.
if(PAGETIDE_COMPILER_RT_SOURCE)
  set(PAGETIDE_COMPILER_RT_DIR "${PAGETIDE_COMPILER_RT_SOURCE}")
else()
  set(PAGETIDE_COMPILER_RT_DIR "${_default_compiler_rt}")
endif()

# scripts/demo.sh builds the rest while it fetches these sources.
option(PAGETIDE_COMPILER_RT_LATER
       "Configure although compiler-rt's sources are not there yet" OFF)
mark_as_advanced(PAGETIDE_COMPILER_RT_LATER)

if(PAGETIDE_COMPILER_RT_LATER)
  # Below, the files are said to be generated: CMake does not look for them.
elseif(NOT EXISTS
   "${PAGETIDE_COMPILER_RT_DIR}/lib/sanitizer_common/sanitizer_common.h"
   OR NOT EXISTS
      "${PAGETIDE_COMPILER_RT_DIR}/lib/interception/interception.h")
  message(
    FATAL_ERROR
      "compiler-rt's sources (lib/sanitizer_common, lib/interception) are not in "
      "'${PAGETIDE_COMPILER_RT_DIR}'. Run scripts/setup.sh, which fetches them "
      "to .deps/compiler-rt, or name their directory with "
      "-DPAGETIDE_COMPILER_RT_SOURCE=DIR (LLVM 19's compiler-rt).")
endif()

# Every file below compiles to nothing, or is not needed, on other systems than
# Linux; those for other systems are left out.
set(_sanitizer_common_names
    # Needs no libc.
    allocator
    common
    deadlock_detector1
    deadlock_detector2
    errno
    file
    flag_parser
    flags
    libc
    libignore
    linux
    mutex
    platform_limits_linux
    platform_limits_posix
    posix
    printf
    procmaps_common
    procmaps_linux
    range
    suppressions
    termination
    thread_arg_retval
    thread_registry
    tls_get_addr
    type_traits
    # Needs libc.
    allocator_checks
    common_libcdep
    dl
    linux_libcdep
    posix_libcdep
    stoptheworld_linux_libcdep
    # Stacks and symbols, which Die(), CHECK() and the allocator's reports call.
    allocator_report
    chained_origin_depot
    stack_store
    stackdepot
    stacktrace
    stacktrace_libcdep
    stacktrace_printer
    symbolizer
    symbolizer_libbacktrace
    symbolizer_libcdep
    symbolizer_markup
    symbolizer_posix_libcdep
    symbolizer_report
    unwind_linux_libcdep)

set(_sanitizer_common_sources)
foreach(_name IN LISTS _sanitizer_common_names)
  list(APPEND _sanitizer_common_sources
       "${PAGETIDE_COMPILER_RT_DIR}/lib/sanitizer_common/sanitizer_${_name}.cpp")
endforeach()
list(APPEND _sanitizer_common_sources
     "${PAGETIDE_COMPILER_RT_DIR}/lib/interception/interception_linux.cpp")

if(PAGETIDE_COMPILER_RT_LATER)
  set_source_files_properties(${_sanitizer_common_sources} PROPERTIES
                              GENERATED ON)
endif()
add_library(pagetide_sanitizer_common STATIC ${_sanitizer_common_sources})

# LLVM 19 is C++17.
set_target_properties(
  pagetide_sanitizer_common
  PROPERTIES CXX_STANDARD 17
             CXX_CLANG_TIDY ""
             POSITION_INDEPENDENT_CODE ON
             CXX_VISIBILITY_PRESET hidden
             VISIBILITY_INLINES_HIDDEN ON)

# SYSTEM, so that our warnings do not apply to others' headers.
target_include_directories(
  pagetide_sanitizer_common SYSTEM
  PUBLIC "${PAGETIDE_COMPILER_RT_DIR}/lib" "${PAGETIDE_COMPILER_RT_DIR}/include")

# What any code that runs inside the runtime is compiled with:
#  * no exceptions, no RTTI, no guarded statics: nothing of libstdc++ is linked
#  * no builtins: the compiler must not make a memcpy call of a loop, since the
#    program's memcpy is ours
#  * TLS in the static block: __tls_get_addr may call malloc
#  * DWARF 4: valgrind 3.19 gives up on a program whose library has DWARF 5 of
#    clang 19
#  * optimised even in Debug builds: CHECKs remain, start-up stays short
set(PAGETIDE_RUNTIME_COMPILE_OPTIONS
    -fno-exceptions
    -fno-rtti
    -fno-threadsafe-statics
    -fno-builtin
    -fno-stack-protector
    -funwind-tables
    -fomit-frame-pointer
    -ffunction-sections
    -fdata-sections
    -ftls-model=initial-exec
    -fno-sanitize=all
    -fno-lto
    -gdwarf-4)

# A linked library carries these.
set(PAGETIDE_RUNTIME_LINK_OPTIONS
    -nostdlib++ # no dependence on libstdc++: shown by -z defs
    -Wl,-z,defs
    -Wl,--as-needed # libm and libgcc_s only where something calls them
    -Wl,--gc-sections)

target_compile_options(pagetide_sanitizer_common
                       PRIVATE ${PAGETIDE_RUNTIME_COMPILE_OPTIONS} -w)
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(pagetide_sanitizer_common PRIVATE -O2)
endif()
target_compile_definitions(pagetide_sanitizer_common PRIVATE HAVE_RPC_XDR_H=0)
target_link_options(pagetide_sanitizer_common INTERFACE
                    ${PAGETIDE_RUNTIME_LINK_OPTIONS})
target_link_libraries(pagetide_sanitizer_common INTERFACE ${CMAKE_DL_LIBS})
