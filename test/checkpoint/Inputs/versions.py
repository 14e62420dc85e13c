# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the version of each manifest of a folder.

usage: versions.py FOLDER
"""

import pathlib
import struct
import sys

for path in sorted(pathlib.Path(sys.argv[1]).glob("checkpoint-*")):
    print("%s: version %d.%d" % (path.name,
                                 *struct.unpack_from("<HH", path.read_bytes(), 8)))
