#!/bin/sh
# Boots systemd as process 1 of the namespaces that the caller made (cgroup, mount, pid, uts, ipc), on a root of its own:
# this machine's root below, read only, and a RAM disk above it, filled from the folder $1. Nothing of this machine's
# files is mounted in there, so nothing that systemd's own services clean up or set can reach it.
set -eu
stage=$1
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
cp -a "$stage/." /mnt/upper
chmod 755 /mnt/upper
mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work overlay /mnt/root
cd /mnt/root

mount -t proc proc proc
mount -o bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
mount -t cgroup2 cgroup2 sys/fs/cgroup
for dir in dev run var/log var/lib/systemd; do mount -t tmpfs -o mode=755 tmpfs "$dir"; done
for dir in tmp var/tmp; do mount -t tmpfs -o mode=1777 tmpfs "$dir"; done
mknod -m 666 dev/null c 1 3
mknod -m 666 dev/zero c 1 5
mknod -m 666 dev/full c 1 7
mknod -m 666 dev/random c 1 8
mknod -m 666 dev/urandom c 1 9
mknod -m 666 dev/tty c 5 0
ln -s /proc/self/fd dev/fd
ln -s pts/ptmx dev/ptmx
mkdir dev/pts dev/shm dev/mqueue
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
# What this machine's systemd does at a boot is none of our business.
for wants in usr/lib/systemd/system/*.target.wants etc/systemd/system/*.target.wants; do
  [ ! -d "$wants" ] || mount -t tmpfs -o mode=755 tmpfs "$wants"
done

pivot_root . mnt
cd /
umount -l /mnt
# As systemd expects of a container's root; it is shared with nobody but what runs in there.
mount --make-rshared /
# The promise above, looked at before anything starts.
while read -r _ _ _ _ at _ rest; do
  case "${rest#*- }" in
    overlay\ * | tmpfs\ * | proc\ * | sysfs\ * | devpts\ * | cgroup2\ *) ;;
    *) echo "a file system of this machine is mounted at $at: $rest" >&2; exit 1 ;;
  esac
done </proc/self/mountinfo

[ "${2:-}" != --look ] || exec cat /proc/self/mountinfo
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin container=lxc \
  /lib/systemd/systemd --system --unit=machine.target --log-target=journal --show-status=no
