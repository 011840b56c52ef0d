#!/bin/sh
# Runs a command as a step of an image's making: with the folder $1 as its root, in the mount and process namespaces that
# the caller made. Nothing else of this machine's files is mounted in there.
set -eu
root=$1
shift
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t tmpfs -o mode=755 tmpfs dev
for node in null:3 zero:5 random:8 urandom:9; do mknod -m 666 "dev/${node%:*}" c 1 "${node#*:}"; done
mkdir -p mnt
pivot_root . mnt
cd /
umount -l /mnt
exec "$@"
