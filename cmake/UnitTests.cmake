# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# pagetide_add_unit_test(NAME source...
#                        [LIBS library...])
#
# Adds a GoogleTest program to check-pagetide. NAME must end in `Tests`: that is
# how lit finds it. lit counts each TEST in it as one.

find_package(GTest REQUIRED)

function(pagetide_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  if(NOT name MATCHES "Tests$")
    message(FATAL_ERROR "unit test program '${name}': its name must end in "
                        "'Tests', or lit would not find it")
  endif()
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gtest
                                        GTest::gtest_main)
  target_compile_options(${name} PRIVATE ${PAGETIDE_QUICK_COMPILE_OPTIONS})
  set_target_properties(
    ${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                       "${PROJECT_BINARY_DIR}/test/unit")
  set_property(GLOBAL APPEND PROPERTY PAGETIDE_TEST_TARGETS ${name})
endfunction()
