# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Puts the document of `pagetide html` into a C++ source, with uPlot, which
# scripts/setup.sh fetches by npm. Sets PAGETIDE_HTML_ASSETS to the source. Without
# uPlot the build has no `pagetide html`.

find_path(PAGETIDE_UPLOT uPlot.iife.min.js
  PATHS "${PROJECT_SOURCE_DIR}/.deps/npm/node_modules/uplot" PATH_SUFFIXES dist
  NO_DEFAULT_PATH DOC "uPlot's directory dist")

if(PAGETIDE_UPLOT)
  set(PAGETIDE_UPLOT_FOUND 1 CACHE INTERNAL "")
else()
  set(PAGETIDE_UPLOT_FOUND "" CACHE INTERNAL "")
endif()
set(PAGETIDE_HTML_ASSETS "${PROJECT_BINARY_DIR}/generated/html_assets.cpp")
set(_page "${PROJECT_SOURCE_DIR}/tools/html/page")
set(_embed "${PROJECT_SOURCE_DIR}/cmake/EmbedAssets.cmake")
set(_chart "")
set(_inputs "${_embed}")
if(PAGETIDE_UPLOT)
  get_filename_component(_chart "${PAGETIDE_UPLOT}" DIRECTORY)
  # In the order in which they need one another.
  list(TRANSFORM PAGETIDE_PAGE_SCRIPTS PREPEND "${_page}/" OUTPUT_VARIABLE _scripts)
  list(APPEND _inputs "${_page}/page.html" "${_page}/page.css" ${_scripts}
       "${PAGETIDE_UPLOT}/uPlot.iife.min.js")
  list(JOIN _scripts "," _scripts)
else()
  message(STATUS "pagetide html is left out: uPlot was not found. "
                 "scripts/setup.sh npm fetches it; then configure again")
endif()
add_custom_command(
  OUTPUT "${PAGETIDE_HTML_ASSETS}"
  COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${PAGETIDE_HTML_ASSETS}"
          "-DPAGE=${_page}/page.html" "-DSTYLE=${_page}/page.css"
          "-DSCRIPTS=${_scripts}" "-DCHART=${_chart}" -P "${_embed}"
  DEPENDS ${_inputs}
  COMMENT "Embedding the document of pagetide html" VERBATIM)
# ISO C++ promises strings of 64 KiB only.
set_source_files_properties("${PAGETIDE_HTML_ASSETS}"
  PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
