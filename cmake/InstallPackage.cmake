# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What cmake --install puts into a prefix: pass, runtime, command and wrappers,
# the C API's headers, the library of checkpoints, and the package that find_package(Pagetide) finds. To be
# included when the targets are there. Components are the packages of DebianPackages.cmake:
# the libraries, the command, and what builds programs.

include(CMakePackageConfigHelpers)

set(_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Pagetide")
set(_package_build_dir "${PROJECT_BINARY_DIR}/package")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/PagetideConfig.cmake.in"
  "${_package_build_dir}/PagetideConfig.cmake"
  INSTALL_DESTINATION "${_package_dir}"
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(
  "${_package_build_dir}/PagetideConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)

install(
  TARGETS pagetide_runtime pagetide_checkpoint
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          COMPONENT libraries NAMELINK_COMPONENT development)
install(TARGETS pagetide_emulate
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT command)
install(TARGETS pagetide_cli
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT command)
install(TARGETS pagetide_wrapper
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT development)
install(FILES "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/pagetide-clang++"
              "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/pagetide-flang"
        DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT development)
install(FILES "${_package_build_dir}/PagetideConfig.cmake"
              "${_package_build_dir}/PagetideConfigVersion.cmake"
        DESTINATION "${_package_dir}" COMPONENT development)

# The wrappers find these relative to themselves, also in the build tree.
foreach(_header IN ITEMS pagetide.h checkpoint.h libstdcxx/bits/c++config.h)
  configure_file("${PROJECT_SOURCE_DIR}/include/pagetide/${_header}"
                 "${PROJECT_BINARY_DIR}/include/pagetide/${_header}" COPYONLY)
  get_filename_component(_directory "${_header}" DIRECTORY)
  install(FILES "${PROJECT_SOURCE_DIR}/include/pagetide/${_header}"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/pagetide/${_directory}"
          COMPONENT development)
endforeach()

# pkg-config's file says where things are relative to itself: a prefix may move.
file(RELATIVE_PATH _prefix_from_pc
     "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/pagetide.pc.in"
               "${_package_build_dir}/pagetide.pc" @ONLY)
install(FILES "${_package_build_dir}/pagetide.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)

install(DIRECTORY "${PAGETIDE_MANUAL_DIR}/man1"
        DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT command
        REGEX "/pagetide-(clang|flang)" EXCLUDE)
install(DIRECTORY "${PAGETIDE_MANUAL_DIR}/man1"
        DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT development
        FILES_MATCHING REGEX "/pagetide-(clang|flang)")
install(FILES "${PROJECT_SOURCE_DIR}/tools/manual/pagetide.bash"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
        RENAME pagetide COMPONENT command)
install(FILES "${PROJECT_SOURCE_DIR}/tools/manual/_pagetide"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
        COMPONENT command)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT command)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md"
              "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT command)

# What the installed files need is said at their installation.
list(JOIN PAGETIDE_PASS_LLVM " or " _clangs)
file(CONFIGURE OUTPUT "${_package_build_dir}/needs.cmake" @ONLY CONTENT [[
message(STATUS "${CMAKE_INSTALL_PREFIX}/@CMAKE_INSTALL_BINDIR@/pagetide-clang "
               "needs clang @_clangs@, and lld of that version under -flto.")
if(NOT EXISTS "@CMAKE_C_COMPILER@")
  message(WARNING "@CMAKE_C_COMPILER@ is not there. Install "
                  "clang-@PAGETIDE_LLVM_MAJOR@, or name a clang by PAGETIDE_CLANG "
                  "when you build programs.")
endif()
]])
install(SCRIPT "${_package_build_dir}/needs.cmake" COMPONENT development)
