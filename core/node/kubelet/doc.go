// Package kubelet assembles the upstream kubelet for one in-tab node.
//
// It follows k8s.io/kubernetes/pkg/kubemark/hollow_kubelet.go and
// cmd/kubelet/app/server.go: the same Dependencies, filled with
//
//	Mounter, Subpather, HostUtil, OSInterface   this repository's, over plain files
//	CAdvisorInterface, ContainerManager         core/node/hardware
//	RemoteRuntimeService, RemoteImageService    the node's runtime, without gRPC
//	Recorder, Auth, TLSOptions, ProbeManager    upstream's own, not fakes
//	VolumePlugins                               upstream's that need no kernel; hostPath and local kept in the node
//	systemd's logind, for a shutdown            core/node/logind, by goroutine (logind.go)
//
// It is started by its exported methods rather than by RunKubelet, which would
// also raise the process's file limit and open a gRPC socket that nobody on an
// in-tab node can reach.
//
// It imports the kubelet, client-go and core/node's helpers. It must never touch
// the machine outside of Options.RootDir, nor set a flag that the other kubelets
// of the process do not share.
package kubelet
