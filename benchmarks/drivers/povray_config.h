//===- povray_config.h - What povray's configure would find ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debian's source of povray has no configure script, only what one is made of
// by half a dozen further packages. This is what it would say of a Linux
// system, without image formats and windows, which need libraries of their own.

#pragma once

#include <unistd.h>

#define HAVE_CLOCK_GETTIME 1
#define HAVE_GETCWD 1
#define HAVE_GETRUSAGE 1
#define HAVE_GETTIMEOFDAY 1
#define HAVE_LIMITS_H 1
#define HAVE_NANOSLEEP 1
#define HAVE_READLINK 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_TIME_H 1
#define HAVE_UNISTD_H 1
#define HAVE_VSNPRINTF 1
#define C99_COMPATIBLE_RADIOSITY 2
#define IO_RESTRICTIONS_DISABLED 1
#define USE_OFFICIAL_BOOST 1

#define LIBJPEG_MISSING 1
#define LIBPNG_MISSING 1
#define LIBTIFF_MISSING 1
#define OPENEXR_MISSING 1
#define X_DISPLAY_MISSING 1

#define POVCONFDIR "/nonexistent"
#define POVCONFDIR_BACKWARD "/nonexistent"
#define POVLIBDIR "/nonexistent"

// What it says of itself: the same for every build.
#define BUILD_ARCH "x86_64"
#define BUILTIN_IMG_FORMATS "none"
#define BUILTIN_IO_RESTRICTIONS "disabled"
#define BUILTIN_XWIN_DISPLAY "disabled"
#define BUILT_FOR "x86_64"
#define COMPILER_VENDOR "clang"
#define COMPILER_VER ""
#define COMPILER_VERSION ""
#define CXXFLAGS ""
#define DISTRIBUTION_MESSAGE_2 ""
#define MISSING_IMG_FORMATS "png, jpeg, tiff, openexr"
#define PACKAGE "povray"
#define PACKAGE_NAME "povray"
#define VERSION "3.7"
#define VERSION_BASE "3.7"
