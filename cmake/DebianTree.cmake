# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cpack runs this when it has installed the components into its staging directory:
# adds what Debian wants of each package, and compresses what it wants compressed.

string(TIMESTAMP _date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(_component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${_component} _upper)
  set(_package "${CPACK_DEBIAN_${_upper}_PACKAGE_NAME}")
  set(_tree "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${_component}")
  set(_doc "${_tree}/usr/share/doc/${_package}")
  if(EXISTS "${_tree}/usr/share/doc/Pagetide")
    file(RENAME "${_tree}/usr/share/doc/Pagetide" "${_doc}")
  endif()
  configure_file("${CPACK_PAGETIDE_COPYRIGHT}" "${_doc}/copyright" @ONLY)
  file(WRITE "${_doc}/changelog.Debian"
"pagetide (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Packages made by cpack from Pagetide's sources.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${_date}
")
  file(REMOVE "${_doc}/LICENSE") # as a whole in copyright
  if(EXISTS "${_doc}/CHANGELOG.md")
    file(RENAME "${_doc}/CHANGELOG.md" "${_doc}/changelog")
  endif()
  if(CPACK_PAGETIDE_${_upper}_OVERRIDES)
    list(TRANSFORM CPACK_PAGETIDE_${_upper}_OVERRIDES PREPEND "${_package}: "
         OUTPUT_VARIABLE _overrides)
    list(JOIN _overrides "\n" _overrides)
    file(WRITE "${_tree}/usr/share/lintian/overrides/${_package}"
         "${_overrides}\n")
  endif()
  file(GLOB _compressed "${_doc}/changelog*" "${_tree}/usr/share/man/man1/*.1")
  execute_process(COMMAND gzip -9nf ${_compressed} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND chmod -R go=rX "${_tree}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
