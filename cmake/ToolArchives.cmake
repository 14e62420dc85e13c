# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What `pagetide` needs of other projects, as archives. It is one static program:
# the loader takes longer for 17 shared libraries than `pagetide record` for all
# else that it does before the command starts.
#
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
# libdw before what it needs.
set(_archives ${PAGETIDE_LIBDW_STATIC_LIBRARIES})
list(REMOVE_ITEM _archives pthread)
list(REMOVE_DUPLICATES _archives)
foreach(_archive IN LISTS _archives)
  pagetide_add_archive(${_archive})
endforeach()
pagetide_add_archive(z zlib.h)
target_link_libraries(pagetide_archives INTERFACE "${PAGETIDE_ZSTD_ARCHIVE}")

get_target_property(_fmt_headers fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
add_library(pagetide_fmt STATIC support/fmt_library.cpp)
target_include_directories(pagetide_fmt SYSTEM PUBLIC ${_fmt_headers})
