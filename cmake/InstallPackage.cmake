# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What cmake --install puts into a prefix: pass, runtime, command and wrappers,
# the C API's headers, the library of checkpoints, and the package that find_package(Pagetide) finds. To be
# included when the targets are there.

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
  TARGETS pagetide_runtime pagetide_checkpoint pagetide_cli pagetide_wrapper
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/pagetide-clang++"
              "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/pagetide-flang"
        DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(FILES "${_package_build_dir}/PagetideConfig.cmake"
              "${_package_build_dir}/PagetideConfigVersion.cmake"
        DESTINATION "${_package_dir}")

# The wrappers find these relative to themselves, also in the build tree.
foreach(_header IN ITEMS pagetide.h checkpoint.h libstdcxx/bits/c++config.h)
  configure_file("${PROJECT_SOURCE_DIR}/include/pagetide/${_header}"
                 "${PROJECT_BINARY_DIR}/include/pagetide/${_header}" COPYONLY)
  get_filename_component(_directory "${_header}" DIRECTORY)
  install(FILES "${PROJECT_SOURCE_DIR}/include/pagetide/${_header}"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/pagetide/${_directory}")
endforeach()

# pkg-config's file says where things are relative to itself: a prefix may move.
file(RELATIVE_PATH _prefix_from_pc
     "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/pagetide.pc.in"
               "${_package_build_dir}/pagetide.pc" @ONLY)
install(FILES "${_package_build_dir}/pagetide.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(DIRECTORY "${PAGETIDE_MANUAL_DIR}/man1"
        DESTINATION "${CMAKE_INSTALL_MANDIR}")
install(FILES "${PAGETIDE_MANUAL_DIR}/bash/pagetide"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${PAGETIDE_MANUAL_DIR}/zsh/_pagetide"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md"
              "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")
