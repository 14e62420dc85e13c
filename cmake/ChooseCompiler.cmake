# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Included before project(): takes the clang that stands beside the LLVM we
# build against, unless the user chose a compiler (-DCMAKE_CXX_COMPILER, CXX in
# the environment, a toolchain file).

set(PAGETIDE_LLVM_VERSION 19.1)
set(PAGETIDE_LLVM_MAJOR 19)

# LLVM_DIR is LIBDIR/cmake/llvm below LLVM's prefix, or a link to it.
if(LLVM_DIR)
  get_filename_component(_llvm_prefix "${LLVM_DIR}" REALPATH)
  get_filename_component(_llvm_prefix "${_llvm_prefix}/../../.." ABSOLUTE)
else()
  find_program(PAGETIDE_LLVM_CONFIG NAMES llvm-config-${PAGETIDE_LLVM_MAJOR}
                                          llvm-config)
  mark_as_advanced(PAGETIDE_LLVM_CONFIG)
  set(_llvm_prefix)
  if(PAGETIDE_LLVM_CONFIG)
    get_filename_component(_llvm_prefix "${PAGETIDE_LLVM_CONFIG}" REALPATH)
    get_filename_component(_llvm_prefix "${_llvm_prefix}/../.." ABSOLUTE)
  endif()
endif()

foreach(_lang_and_name IN ITEMS C:CC:clang CXX:CXX:clang++)
  string(REPLACE ":" ";" _lang_and_name "${_lang_and_name}")
  list(GET _lang_and_name 0 _lang)
  list(GET _lang_and_name 1 _variable)
  list(GET _lang_and_name 2 _name)
  if(CMAKE_${_lang}_COMPILER OR DEFINED ENV{${_variable}} OR CMAKE_TOOLCHAIN_FILE)
    continue()
  endif()
  find_program(
    PAGETIDE_FOUND_${_lang}
    NAMES ${_name} ${_name}-${PAGETIDE_LLVM_MAJOR} NAMES_PER_DIR
    HINTS "${_llvm_prefix}/bin")
  mark_as_advanced(PAGETIDE_FOUND_${_lang})
  if(PAGETIDE_FOUND_${_lang})
    set(CMAKE_${_lang}_COMPILER "${PAGETIDE_FOUND_${_lang}}")
  endif()
endforeach()
