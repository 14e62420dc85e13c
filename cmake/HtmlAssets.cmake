# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Puts the document of `pagetide html` into a C++ source. Sets PAGETIDE_HTML_ASSETS
# to the source.

set(PAGETIDE_HTML_ASSETS "${PROJECT_BINARY_DIR}/generated/html_assets.cpp")
set(_page "${PROJECT_SOURCE_DIR}/tools/html/page")
set(_embed "${PROJECT_SOURCE_DIR}/cmake/EmbedAssets.cmake")
# In the order in which they need one another.
list(TRANSFORM PAGETIDE_PAGE_SCRIPTS PREPEND "${_page}/" OUTPUT_VARIABLE _scripts)
set(_inputs "${_embed}" "${_page}/page.html" "${_page}/page.css" ${_scripts})
list(JOIN _scripts "," _scripts)
add_custom_command(
  OUTPUT "${PAGETIDE_HTML_ASSETS}"
  COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${PAGETIDE_HTML_ASSETS}"
          "-DPAGE=${_page}/page.html" "-DSTYLE=${_page}/page.css"
          "-DSCRIPTS=${_scripts}" -P "${_embed}"
  DEPENDS ${_inputs}
  COMMENT "Embedding the document of pagetide html" VERBATIM)
# ISO C++ promises strings of 64 KiB only.
set_source_files_properties("${PAGETIDE_HTML_ASSETS}"
  PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
