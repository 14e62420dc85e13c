# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What `pagetide` needs of other projects, as archives. It is one static program:
# the loader takes longer for 17 shared libraries than `pagetide record` for all
# else that it does before the command starts. If libdw's archive cannot be linked
# (Debian 13's lacks functions of its own), libdw is a shared library, and so is
# libc.
#
#   PAGETIDE_CLI_LINK_OPTIONS  how a program with them is linked
#   pagetide_archives   sqlite3, zlib, zstd, libdw and ncurses
#   pagetide_fmt        fmt, which Debian has as a shared library only

find_package(fmt REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PAGETIDE_LIBDW REQUIRED libdw)

add_library(pagetide_archives INTERFACE)
target_include_directories(pagetide_archives SYSTEM
                           INTERFACE ${PAGETIDE_LIBDW_INCLUDE_DIRS})

# pagetide_add_archive(NAME [header])
function(pagetide_add_archive name)
  find_library(PAGETIDE_${name}_ARCHIVE NAMES lib${name}.a)
  if(NOT PAGETIDE_${name}_ARCHIVE)
    message(FATAL_ERROR
      "The static library lib${name}.a was not found. Install what "
      "scripts/packages.txt lists (scripts/setup.sh does), or name it with "
      "-DPAGETIDE_${name}_ARCHIVE=FILE.")
  endif()
  target_link_libraries(pagetide_archives
                        INTERFACE "${PAGETIDE_${name}_ARCHIVE}")
  foreach(_header IN LISTS ARGN)
    find_path(PAGETIDE_${name}_INCLUDE_DIR ${_header} REQUIRED)
    target_include_directories(pagetide_archives SYSTEM
                               INTERFACE "${PAGETIDE_${name}_INCLUDE_DIR}")
  endforeach()
endfunction()

pagetide_add_archive(sqlite3 sqlite3.h)
pagetide_add_archive(ncursesw curses.h)
pagetide_add_archive(tinfo) # a part of ncurses
# GNU ld would warn of dlopen in sqlite3, which nothing here calls.
set(PAGETIDE_CLI_LINK_OPTIONS -static-pie -fuse-ld=lld)
# libdw before what it needs.
set(_archives ${PAGETIDE_LIBDW_STATIC_LIBRARIES})
list(REMOVE_ITEM _archives pthread)
list(REMOVE_DUPLICATES _archives)
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_INCLUDES ${PAGETIDE_LIBDW_INCLUDE_DIRS})
set(CMAKE_REQUIRED_LINK_OPTIONS ${PAGETIDE_CLI_LINK_OPTIONS})
set(CMAKE_REQUIRED_LIBRARIES ${_archives})
check_cxx_source_compiles(
  "#include <elfutils/libdwfl.h>
  int main() {
    Dwfl_Line *line = dwfl_module_getsrc(nullptr, 0);
    return dwfl_begin(nullptr) && dwfl_lineinfo(line, nullptr, nullptr, nullptr,
                                                nullptr, nullptr);
  }"
  PAGETIDE_LIBDW_IS_STATIC)
unset(CMAKE_REQUIRED_INCLUDES)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
unset(CMAKE_REQUIRED_LIBRARIES)
if(PAGETIDE_LIBDW_IS_STATIC)
  foreach(_archive IN LISTS _archives)
    pagetide_add_archive(${_archive})
  endforeach()
else()
  set(PAGETIDE_CLI_LINK_OPTIONS -fuse-ld=lld)
  target_link_libraries(pagetide_archives INTERFACE ${PAGETIDE_LIBDW_LINK_LIBRARIES})
endif()
pagetide_add_archive(z zlib.h)
target_link_libraries(pagetide_archives INTERFACE "${PAGETIDE_ZSTD_ARCHIVE}")

get_target_property(_fmt_headers fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
add_library(pagetide_fmt STATIC support/fmt_library.cpp)
target_include_directories(pagetide_fmt SYSTEM PUBLIC ${_fmt_headers})
