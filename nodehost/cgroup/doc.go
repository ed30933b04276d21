// Package cgroup keeps one node's part of the machine's control groups: a root of its own, below
// which the kubelet puts its pods and the container runtime runs, so that leaving is removing it.
//
// Version 1 (as on a hybrid machine) and version 2 are handled by opencontainers/cgroups, which the
// kubelet and runc use, too; it may import that and the standard library. It must never touch a group outside of its root.
package cgroup
