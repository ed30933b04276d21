package cri

import (
	"context"
	"io"
	"strings"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// pauseKind is the start of a sandbox's first process. It is the runtime's own: there is no line of upstream.
var pauseKind = trace.Declare(trace.CRI, "cri.pause", trace.Place{})

// pauseDetails are what was started, and what it holds.
type pauseDetails struct {
	By         string      `json:"by"`
	Sandbox    string      `json:"sandbox"` // its ID
	PID        int         `json:"pid"`     // in its own namespace
	Args       []string    `json:"args"`
	Namespaces []namespace `json:"namespaces"`
}

// namespace is one of those that a sandbox's containers are in.
type namespace struct {
	Type string `json:"type"` // as in namespaces(7)
	// Of is whose it is: the pod's, which pause holds, the node's, or each container's own.
	Of   string `json:"of"`
	Path string `json:"path,omitempty"` // where CNI's plugins find it
	// Is says what the namespace is in the tab, where no kernel keeps one.
	Is string `json:"is"`
}

// whose are the owners of namespaces by the CRI's modes.
var whose = map[runtimeapi.NamespaceMode]string{
	runtimeapi.NamespaceMode_POD: "pod", runtimeapi.NamespaceMode_NODE: "node", runtimeapi.NamespaceMode_CONTAINER: "container",
}

// held are the sandbox's namespaces.
func (s *sandbox) held(node string) []namespace {
	asked := s.namespaces()
	processes := "a table of each container's processes; pause is in one of its own"
	if s.processes != nil {
		processes = "one table of all processes, in which pause is number 1"
	}
	return []namespace{
		{Type: "network", Of: whose[asked.GetNetwork()], Path: s.netns, Is: "addresses, ports and connections"},
		{Type: "uts", Of: whose[asked.GetNetwork()], Is: "the host name " + trace.Text(s.hostname(node))},
		{Type: "ipc", Of: whose[asked.GetIpc()], Is: "nothing: programs of the tab have files and sockets, and no System V IPC"},
		{Type: "pid", Of: whose[asked.GetPid()], Is: processes},
	}
}

// startPause runs the sandbox's pause process, which lives as long as the sandbox does: number 1 of the pod if
// its containers share their processes, so that these are not protected from signals.
func (r *Runtime) startPause(ctx context.Context, s *sandbox) {
	began := time.Now()
	p := &program.Process{
		Args: []string{"/pause"}, Dir: "/", FS: program.NewFS(s.dir), Net: s.network.Sockets(nil), Hostname: s.hostname(r.opts.NodeName),
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
	}
	started := make(chan struct{})
	go func() {
		s.pause.Run(s.ctx, func(ctx context.Context, p *program.Process) int {
			close(started)
			return image.Pause(ctx, p)
		}, p)
		if s.ctx.Err() == nil {
			r.pauseEnded(s)
		}
	}()
	<-started
	if r.opts.Trace == nil {
		return
	}
	m := s.config.GetMetadata()
	r.opts.Trace.Add(trace.Step{
		At: began, Took: time.Since(began), Kind: pauseKind, Component: "container runtime", Node: r.opts.NodeName, Cause: trace.Cause(ctx),
		Object:  trace.Object{Version: "v1", Resource: "pods", Namespace: m.GetNamespace(), Name: m.GetName(), UID: m.GetUid()},
		Details: pauseDetails{By: "the in-tab runtime", Sandbox: s.id, PID: p.PID, Args: p.Args, Namespaces: s.held(r.opts.NodeName)},
	})
}

// pauseEnded is called when somebody has ended the pause process by a signal, which only a pod can that shares
// its processes: with number 1 the kernel ends all others of the namespace, and the sandbox is not ready any
// more. The kubelet makes the pod anew.
func (r *Runtime) pauseEnded(s *sandbox) {
	s.mu.Lock()
	again := s.stopped
	s.stopped = true
	s.mu.Unlock()
	if again {
		return
	}
	if s.processes != nil {
		for _, c := range r.containersOf(s.id) {
			if c.processes == s.processes {
				c.kill(program.Killed{Signal: program.SIGKILL})
			}
		}
	}
	r.tell(s, s.id, runtimeapi.ContainerEventType_CONTAINER_STOPPED_EVENT)
}
