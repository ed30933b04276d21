// Package node is one in-tab node: the upstream kubelet in its hollow form,
// over a container runtime that is handed in.
//
// "Hollow" is upstream's word (pkg/kubemark): the whole kubelet runs, only what
// it asks of the operating system is answered by us. Kubemark answers with
// fakes that drop events, files and probes; this package answers with things
// that work over plain directories and plain Go networking, the same natively
// and on js, so that a native test proves what the tab runs.
//
// A Node is made by New and lives in Run:
//
//	Options ── New ──► Node ── Run(ctx) ──► kubelet (syncs pods, serves :10250)
//	                     │
//	                     ├─ Ready()   closed when the API shows condition Ready=True
//	                     └─ Options.Runtime  the CRI, in the same process
//
// It may import the kubelet, client-go and its own sub-packages. It must never
// import the runtime (core/node/cri), which comes in through Options, nor
// syscall/js, nor anything that touches the machine it runs on outside
// Options.RootDir.
package node
