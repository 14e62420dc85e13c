# usage: copy_checkout.sh SOURCE BUILD COPY
#
# Copies what the tests of a checkout and of its build need to COPY and COPY/build.

set -eu
source=$1 build=$2 copy=$3
mkdir -p "$copy/build/test"
tar -C "$source" --exclude=./.git --exclude=./.deps --exclude='./build*' -cf - . |
  tar -C "$copy" -xf -
cp -r "$build/bin" "$build/lib" "$build/include" "$build/manual" "$copy/build"
cp -r "$build/test/helpers" "$copy/build/test"
python3 - "$source" "$build" "$copy" <<'PYTHON'
import pathlib
import re
import sys

source, build, copy = sys.argv[1:]
places = {build: copy + "/build", source: copy}
for name in ("lit.site.cfg.py", "bin/pagetide-lit"):
    text = pathlib.Path(build, name).read_text(encoding="utf-8")
    text = re.sub("%s|%s" % (re.escape(build), re.escape(source)),
                  lambda place: places[place[0]], text)
    pathlib.Path(copy, "build", name).write_text(text, encoding="utf-8")
PYTHON
