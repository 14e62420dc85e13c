# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# container.sh DIRECTORY COMMAND...: runs a command as an ordinary user in a
# mount namespace of its own. There, only DIRECTORY can be written, /proc hides
# other users' processes, and /dev/shm does not exist.

set -e
directory=$1
shift
mount --make-rprivate /
mount -t tmpfs none "$directory"
chmod 777 "$directory"
umount -l /dev/shm 2>/dev/null || true
mount -t proc -o hidepid=invisible proc /proc
mount --bind / / && mount -o remount,bind,ro /
mount -t tmpfs -o ro none /dev
LC_ALL=C touch /pagetide-test 2>&1 | grep -q 'Read-only file system'
exec setpriv --reuid 64125 --clear-groups "$@"
