# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes the files of the HTML document into a C++ source:
#   cmake -DOUTPUT=FILE -DPAGE=FILE -DSTYLE=FILE -DSCRIPTS=FILE,FILE...
#         -P EmbedAssets.cmake

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

set(_source "// Made by cmake/EmbedAssets.cmake.\n\n#include \"html/html_assets.h\"\n
namespace pagetide::tools {\n\nconst HtmlAssets kHtmlAssets = {\n")
foreach(_part page style script)
  string(APPEND _source "    .${_part} = R\"pagetide(${_${_part}})pagetide\",\n")
endforeach()
file(WRITE "${OUTPUT}" "${_source}};\n\n} // namespace pagetide::tools\n")
