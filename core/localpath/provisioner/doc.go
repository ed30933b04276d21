// Package provisioner gives claims of the StorageClass local-path a directory on their node, once the
// scheduler has chosen it for the claim's first pod, and removes it when the claim has gone. A claim that asks
// for more later has it written down (expand.go).
//
// A real node does that for itself, with its own rights: nodes may make and delete PersistentVolumes, and a
// ValidatingAdmissionPolicy (core/localpath) holds each to its own. For in-tab nodes the cluster does it
// (core/cluster), with those of upstream's ClusterRole for provisioners and one of ours for sizes. What is done when is
// sig-storage-lib-external-provisioner's (shouldProvision, shouldDelete in controller/controller.go).
//
// What a real node that is gone has left in the API is core/realnode's.
//
// A size is a wish: nothing limits a directory but its node's disk. It may import client-go, core/localpath and core/reconcile;
// it must never remove anything but a directory that it could have made itself.
package provisioner
