# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# zstd for use inside the runtime:
#
#   pagetide_zstd   the system's static zstd, with its calls of memcpy, memmove,
#                   memset and memcmp renamed to __pagetide_internal_memcpy and
#                   so on, which the runtime defines, and its weak hooks to
#                   names that nobody defines
#
# The program's memcpy is ours: zstd must not mark what it moves, nor enter an
# interceptor from the recorder. Its malloc calls stay: they are the fallback of
# ZSTD_customMem, which the runtime always gives. A program that has zstd's hooks
# for tracing would have them called by the trace's writer.

pagetide_find_archive(ZSTD zstd zstd.h libzstd-dev)

set(_private_zstd "${PROJECT_BINARY_DIR}/private/libpagetide_zstd.a")
set(_redefinitions)
foreach(_function IN ITEMS memcpy memmove memset memcmp
        ZSTD_trace_compress_begin ZSTD_trace_compress_end
        ZSTD_trace_decompress_begin ZSTD_trace_decompress_end)
  list(APPEND _redefinitions --redefine-sym
       ${_function}=__pagetide_internal_${_function})
endforeach()

add_custom_command(
  OUTPUT "${_private_zstd}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/private"
  COMMAND "${CMAKE_OBJCOPY}" ${_redefinitions} "${PAGETIDE_ZSTD_ARCHIVE}"
          "${_private_zstd}"
  DEPENDS "${PAGETIDE_ZSTD_ARCHIVE}"
  COMMENT "Making zstd private to the runtime"
  VERBATIM)
add_custom_target(pagetide_zstd_archive DEPENDS "${_private_zstd}")

add_library(pagetide_zstd STATIC IMPORTED GLOBAL)
set_target_properties(
  pagetide_zstd
  PROPERTIES IMPORTED_LOCATION "${_private_zstd}"
             INTERFACE_INCLUDE_DIRECTORIES "${PAGETIDE_ZSTD_INCLUDE_DIR}"
             INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "")
add_dependencies(pagetide_zstd pagetide_zstd_archive)
