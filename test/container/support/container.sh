#!/bin/sh
# Becomes the first process of a container: the folder $1 as a root that cannot be written, the files of the folder $2 at
# the places that an operator mounts, $3 as its CPU limit (what cpu.max says) and $4 processors in sight, as the image's
# user. The rest is the command. The caller made the namespaces (cgroup, mount, pid, uts, ipc).
set -eu
root=$1 volumes=$2 limit=$3 processors=$4
shift 4
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t tmpfs -o mode=755 tmpfs /mnt
cp -a "$volumes/." /mnt
cd "$root"
for dir in etc/fisk usr/local/lib/lab var/lib/fisk/.config; do
  [ ! -d "/mnt/$dir" ] || mount --bind "/mnt/$dir" "$dir"
done
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
# The one shows that this is a control group, the other holds its file.
mount -t tmpfs tmpfs sys/fs/cgroup
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
echo "$limit" >sys/fs/cgroup/cpu.max
mount -t tmpfs -o mode=755 tmpfs dev
for node in null:3 zero:5 random:8 urandom:9; do mknod -m 666 "dev/${node%:*}" c 1 "${node#*:}"; done
mount -t tmpfs -o mode=1777 tmpfs tmp
sed "s/^Cpus_allowed_list:.*/Cpus_allowed_list:\t0-$((processors - 1))/" /proc/self/status >/mnt/status
mount --bind /mnt/status proc/1/status
mount -o remount,bind,ro "$root"
pivot_root . mnt
cd "${WORKDIR:-/}"
umount -l /mnt
exec setpriv --reuid "${USER_ID%:*}" --regid "${USER_ID#*:}" --clear-groups --no-new-privs --bounding-set=-all \
  --inh-caps=-all env -u USER_ID -u WORKDIR "$@"
