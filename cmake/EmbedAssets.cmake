# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes the files of the HTML document into a C++ source:
#   cmake -DOUTPUT=FILE -DPAGE=FILE -DSTYLE=FILE -DSCRIPTS=FILE,FILE...
#         [-DCHART=DIRECTORY of uPlot] -P EmbedAssets.cmake
# Without CHART the source says that there are none.

set(_head "// Made by cmake/EmbedAssets.cmake.\n\n#include \"html/html_assets.h\"\n
namespace pagetide::tools {\n\n")
if(NOT CHART)
  file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT
       "${_head}const HtmlAssets *const kHtmlAssets = nullptr;\n\n} // namespace pagetide::tools\n")
  return()
endif()

# CMake's lists end at semicolons, and join within brackets: read, and pass on
# in quotes only.
set(_script "")
string(REPLACE "," ";" SCRIPTS "${SCRIPTS}")
foreach(_file IN LISTS SCRIPTS)
  file(READ "${_file}" _text)
  string(APPEND _script "${_text}")
endforeach()
file(READ "${PAGE}" _page)
file(READ "${STYLE}" _style)
file(READ "${CHART}/dist/uPlot.min.css" _chart_style)
file(READ "${CHART}/dist/uPlot.iife.min.js" _chart_script)
file(READ "${CHART}/LICENSE" _chart_licence)

set(_source "${_head}namespace {\n\nconstexpr HtmlAssets kAssets = {\n")
foreach(_part page style script chart_style chart_script chart_licence)
  string(APPEND _source "    .${_part} = R\"pagetide(${_${_part}})pagetide\",\n")
endforeach()
string(APPEND _source "};\n\n} // namespace\n
const HtmlAssets *const kHtmlAssets = &kAssets;\n\n} // namespace pagetide::tools\n")
file(WRITE "${OUTPUT}" "${_source}")
