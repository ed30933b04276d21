// Package kubelet runs upstream's kubelet (cmd/kubelet/app) on a real machine, in this process, with
// its own bootstrap and rotation of certificates: it is configured as `kubelet` would be by flags,
// and given nothing that upstream makes by itself.
//
// It may import upstream's kubelet, and core/node/kubeletfile, which reads its owner's file; in-tab nodes are core/node/kubelet, which is assembled from parts.
// A kubelet cannot be stopped: it ends with the process.
package kubelet
