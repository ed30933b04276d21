#!/usr/bin/env bash
# machine.sh DIR: a machine's own view of the file system, in the mount namespace DIR/ns/mnt. /run is
# empty, and what is written below /var/lib and /var/log, or set in the sysctls that a kubelet sets, goes
# to DIR. Whoever made it takes DIR/ns/mnt and DIR/ns off again. Linux, as root.
set -euo pipefail
mkdir -p "$1"/{ns,lib,lib.work,log,log.work,sys}
# A mount namespace can be kept by a file on a mount that is nobody else's.
mount --bind "$1/ns" "$1/ns"
mount --make-private "$1/ns"
touch "$1/ns/mnt"
unshare --mount="$1/ns/mnt" --propagation private bash -ec '
  for d in lib log; do
    mount -t overlay -o "lowerdir=/var/$d,upperdir=$1/$d,workdir=$1/$d.work" overlay "/var/$d"
  done
  # They are the one thing that no namespace keeps apart: here they are files.
  for s in vm/{overcommit_memory,panic_on_oom} kernel/{panic,panic_on_oops} kernel/keys/{root_maxkeys,root_maxbytes}; do
    mkdir -p "$1/sys/${s%/*}"
    cat "/proc/sys/$s" >"$1/sys/$s"
    mount --bind "$1/sys/$s" "/proc/sys/$s"
  done
  mount -t tmpfs tmpfs /run
  mount --make-rshared /' - "$1"
