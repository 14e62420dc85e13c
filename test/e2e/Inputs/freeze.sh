#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: freeze.sh PID SECONDS
#
# Holds a process by the freezer of the control groups, of either version. Fails
# if there is none, or if it does not freeze.

pid=$1 seconds=$2
for root in /sys/fs/cgroup/freezer /sys/fs/cgroup/unified /sys/fs/cgroup; do
  group=$root/pagetide-$pid
  [ -w $root/cgroup.procs ] && mkdir $group 2>/dev/null || continue
  if [ -e $group/freezer.state ]; then
    switch=$group/freezer.state on=FROZEN off=THAWED
    said=$switch frozen=FROZEN
  else
    switch=$group/cgroup.freeze on=1 off=0
    said=$group/cgroup.events frozen='frozen 1'
  fi
  status=1
  if [ -e $switch ] && echo $pid >$group/cgroup.procs; then
    tries=0
    echo $on >$switch
    until grep -qx "$frozen" $said || [ $tries = 100 ]; do
      tries=$((tries + 1))
      sleep 0.1
    done
    [ $tries = 100 ] || status=0
    sleep $seconds
    echo $off >$switch
    echo $pid >$root/cgroup.procs
  fi
  rmdir $group
  [ $status = 1 ] || exit 0
done
exit 1
