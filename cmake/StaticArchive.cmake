# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# pagetide_find_archive(NAME library header package)
#
# Sets PAGETIDE_<NAME>_ARCHIVE to the system's static library and
# PAGETIDE_<NAME>_INCLUDE_DIR to the directory of its header. It is an error if
# one of them is not there.

function(pagetide_find_archive name library header package)
  find_path(PAGETIDE_${name}_INCLUDE_DIR ${header})
  find_library(PAGETIDE_${name}_ARCHIVE NAMES lib${library}.a)
  if(NOT PAGETIDE_${name}_INCLUDE_DIR OR NOT PAGETIDE_${name}_ARCHIVE)
    message(
      FATAL_ERROR
        "The header ${header} or the static library lib${library}.a was not "
        "found. Install ${package} (scripts/setup.sh does), or name them with "
        "-DPAGETIDE_${name}_INCLUDE_DIR=DIR and "
        "-DPAGETIDE_${name}_ARCHIVE=FILE.")
  endif()
endfunction()
