// Package cri is the container runtime of one in-tab node. It implements cri-api's Go
// interfaces (k8s.io/cri-api/pkg/apis) in process, without gRPC, and behaves as containerd's
// CRI plugin does as far as a kubelet can see: states, idempotency, error codes, log files,
// streaming. What runs in a container is a program.Program in place of a process. It differs where a
// container is made for one client (stdinOnce): its program waits a moment for it (attachWait); and a container is
// started when its program has had its first turn of the processor (turn.go), which a kernel needs nobody for.
//
//	kubelet ── RuntimeService, ImageManagerService ──► Runtime
//	                                                   ├─ sandboxes   one podnet.Pod each (own IP), made by core/node/cni
//	                                                   ├─ containers  root directory, mounts, log, one Program
//	                                                   ├─ images      what was "pulled" from image.Registry
//	kubelet ── HTTP (SPDY, WebSocket) on the node's IP ┴─ streaming   exec, attach, port-forward
//
// What containers and sandboxes there are stands on the node's disk, too (kept.go): a runtime that starts
// again there knows them, as containerd does after its machine lost power.
//
// It may import cri-api, google.golang.org/protobuf, cri-streaming, k8s.io/utils, moby/sys/capability and the packages program, image, podnet, cni, nodefs and core/trace.
// It must never import the kubelet or any client of the API, nor know of the browser.
package cri
