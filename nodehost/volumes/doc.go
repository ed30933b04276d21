// Package volumes gives claims of the StorageClass local-path a directory on this machine, once the
// scheduler has chosen it for the claim's first pod, and removes it when the claim has gone.
//
// Each node does that for itself, with its own rights: nodes may make and delete PersistentVolumes, and a
// ValidatingAdmissionPolicy (core/localpath) holds each to its own. What is done when is
// sig-storage-lib-external-provisioner's (shouldProvision, shouldDelete in controller/controller.go).
//
// What a node that is gone has left in the API is core/realnode's.
//
// A size is a wish: nothing limits a directory. It may import client-go and core/localpath; it must never remove anything
// but a directory that it could have made itself.
package volumes
