// Package podtrace tells the bus (core/trace) what one node's kubelet does with its pods: those it
// comes to know, admission, each sync of a pod's worker, the volumes it mounts, the statuses it
// writes, the events it records. core/node/kubelet hands it in wherever upstream asks for a
// dependency, so that nothing of upstream is changed but for hooks.go's:
//
//	tap.go        the pods that are known, and what each was last about
//	sync.go       TracerProvider: a span begins and ends with each sync, and travels to the CRI calls
//	updates.go    PodConfig's updates
//	admission.go  ContainerManager, one of whose handlers is asked when a pod is admitted, and what becomes of it
//	volumes.go    VolumePlugins
//	status.go     the client's transport, and PodStartupLatencyTracker
//	events.go     Recorder: what is refused, put off or fails, failing probes too
//	probes.go     a logger in the syncs' context, by which probes that succeed are heard of
//	requests.go   Auth, which is asked who sends an exec, an attach or a port forward to the kubelet's server
//	hooks.go      lifecycle hooks that ask a container by HTTP or sleep, by lines of the overlay: in the tab only
//
// It imports the kubelet and core/trace. It must never change what the kubelet does. A nil *Tap hands
// back what it is given.
package podtrace
