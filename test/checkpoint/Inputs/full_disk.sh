# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: full_disk.sh DIRECTORY PROGRAM, in a mount namespace of its own: saves
# onto a disk until it is full.

mount -t tmpfs -o size=3m none "$1/disk" || exit
"$2" "$1/disk/folder" "$1/disk/filler"
