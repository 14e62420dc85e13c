# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# GraphicsMagick, whose loops over rows of pixels are OpenMP's: the tests of its
# utilities (effects, resizing, colour, composition, conversion), of drawing and of
# constituting images, in teams of four threads. Not run: the hundreds of reads and
# writes of each file format, and what needs a display.

package=graphicsmagick
needs="libomp-19-dev libbz2-dev libfreetype-dev libjpeg62-turbo-dev libpng-dev zlib1g-dev"

export OMP_NUM_THREADS=4

build() {
  ./configure CC="$CC" CFLAGS="$CFLAGS" --disable-shared --disable-dependency-tracking \
    --without-x --without-perl --without-magick-plus-plus
  grep -q '^CFLAGS = .*-fopenmp' Makefile
  make -j"$JOBS"
  make -j"$JOBS" check TESTS=
}

audited() {
  # shellcheck disable=SC2016 # expanded by the shell that is audited
  $AUDIT bash -c 'for effect in "-blur 0x2" "-charcoal 0x1" "-resize 300%" -enhance; do
    utilities/gm convert utilities/tests/sunrise.miff $effect out.miff; done'
}

check() {
  make -k check TESTS="tests/constitute.tap tests/drawtests.tap $(
    printf 'utilities/tests/%s.tap ' convert effects hald-clut identify \
      montage msl_composite pipe preview resize
  )" || true
}

# Names of tests hold the path of the build.
results() {
  sed -n -e 's| /[^ ]*/tree/| |g' -e 's/^PASS: /ok /p' -e 's/^X\?FAIL: /fail /p' \
    -e 's/^ERROR: /fail /p' -e 's/^SKIP: /skip /p'
}
