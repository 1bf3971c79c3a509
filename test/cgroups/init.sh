#!/bin/sh
# The first program of the kernel that scripts/test-cgroups.mjs starts, on the file system of this machine: runs the tests
# of control groups. Folders that programs write are in its memory.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 CI=1
mount -t proc proc /proc
mount -t sysfs sysfs /sys
# Its own messages about ended programs are not of interest.
echo 1 > /proc/sys/kernel/printk
mkdir -p /dev/pts /dev/shm
ln -s /proc/self/fd /dev/fd
mount -t devpts devpts /dev/pts
# Visible to all users, and where the folder of this machine is covered.
mount --bind "$CHECKOUT" /mnt
for folder in /dev/shm /run /tmp; do mount -t tmpfs -o mode=1777 tmpfs "$folder"; done
mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo "+memory +pids" > /sys/fs/cgroup/cgroup.subtree_control
ip link set lo up
hostname control-groups
cd /mnt || exit 1
# This file system does not know the owners that a database server of another user needs.
cache=node_modules/.cache/boardroom/test-clusters-0
mkdir -p "$cache" /run/clusters
latest=$(ls -dt "$cache"/cluster-* 2>/dev/null | head -n 1)
[ -z "$latest" ] || cp -a "$latest" /run/clusters
mount --bind /run/clusters "$cache"
CGROUPS=1 "$NODE" node_modules/vitest/vitest.mjs run $TESTS
echo "control groups: exit $?"
echo o > /proc/sysrq-trigger
sleep 60
