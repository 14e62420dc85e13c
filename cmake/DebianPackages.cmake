# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `cpack` in the build directory makes three packages for Debian of what is built:
# libpagetide1, pagetide and libpagetide-dev. scripts/packages.sh builds what they
# need, and calls it.

set(PAGETIDE_PACKAGER "Pagetide developers <pagetide@example.org>"
    CACHE STRING "Name and mail address of who makes the packages")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pagetide)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/DebianTree.cmake")
set(CPACK_PAGETIDE_COPYRIGHT "${CMAKE_CURRENT_LIST_DIR}/debian_copyright.in")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${PAGETIDE_PACKAGER}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_COMPONENTS_ALL libraries command development)

# debian_package(COMPONENT PACKAGE SECTION "SUMMARY" "DESCRIPTION" [COMPONENT that
# it needs...])
macro(debian_package component package section summary description)
  string(TOUPPER ${component} _upper)
  set(CPACK_DEBIAN_${_upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${_upper}_PACKAGE_SECTION ${section})
  set(CPACK_COMPONENT_${_upper}_DEPENDS ${ARGN})
  set(CPACK_DEBIAN_${_upper}_DESCRIPTION "${summary}\n${description}")
endmacro()

debian_package(libraries libpagetide1 libs
  "page sets of running programs: runtime libraries"
  "Pagetide tells which pages of memory a program read and wrote in periods.
This package has the runtime that programs with marks load, and the
library of checkpoints.")
# What the dynamic loader and packages of users' programs have to know of it. CPack
# can make neither of them for one component alone.
set(_control "${_package_build_dir}/control")
file(WRITE "${_control}/triggers" "activate-noawait ldconfig\n")
file(WRITE "${_control}/shlibs"
     "libpagetide 1 libpagetide1 (>= ${PROJECT_VERSION})\n"
     "libpagetide-checkpoint 1 libpagetide1 (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_CONTROL_EXTRA "${_control}/triggers"
                                                 "${_control}/shlibs")

debian_package(command pagetide devel
  "record which pages of memory a program touched"
  "Pagetide tells which pages of memory a program read and wrote in periods.
This package has the command that records, reports, compares and exports."
  libraries)
# Versions of these that fit are linked statically, as in all builds.
# A plugin of QEMU is not linked with either.
set(CPACK_PAGETIDE_COMMAND_OVERRIDES
    "embedded-library" "sharedobject-in-library-directory-missing-soname")
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "qemu-user") # --engine emulate

debian_package(development libpagetide-dev libdevel
  "page sets of running programs: compiler wrappers and headers"
  "Pagetide tells which pages of memory a program read and wrote in periods.
This package has what builds programs with marks: the plugin of clang, the
wrappers pagetide-clang, pagetide-clang++ and pagetide-flang, headers, and
files for CMake and pkg-config."
  libraries command)
# A plugin of clang: nothing is linked with it.
set(CPACK_PAGETIDE_DEVELOPMENT_OVERRIDES
    "sharedobject-in-library-directory-missing-soname")
# The wrapper calls this clang unless the user names another.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "clang-${PAGETIDE_LLVM_MAJOR}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "lld-${PAGETIDE_LLVM_MAJOR}")
set(_others ${PAGETIDE_PASS_LLVM})
list(REMOVE_ITEM _others ${PAGETIDE_LLVM_MAJOR})
list(TRANSFORM _others PREPEND clang-)
list(JOIN _others ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS)

include(CPack)
