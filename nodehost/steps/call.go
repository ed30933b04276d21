package steps

import (
	"encoding/json"
	"sync"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/critrace"
	"github.com/tabernetes/tabernetes/core/realnode/told"
	"github.com/tabernetes/tabernetes/nodehost/cri"
)

// Tap is what the runtime's and the images' sockets tell.
func (t *Teller) Tap() cri.Tap { return cri.Tap{Messages: critrace.Messages, Call: t.call} }

// call tells of a call. Which pod it is for is in the message, or was in that which made the sandbox or
// the container.
func (t *Teller) call(c cri.Call) {
	same := 0
	if r, ok := c.Request.(*runtimeapi.ExecSyncRequest); ok {
		var tell bool
		// A probe comes out the same each second.
		if tell, same = t.execs.Tell(critrace.Command(r.GetContainerId(), r.GetCmd()), critrace.Failure(c.Method, c.Err)); !tell {
			return
		}
	}
	s := told.Step{At: c.Began.UnixMicro(), Took: c.Took.Microseconds(), CRI: &told.CRI{
		Method: c.Method, Error: critrace.Failure(c.Method, c.Err),
		Request: text(c.Request), Response: text(c.Response), Same: same,
	}}
	p, mine := t.calls.of(c)
	if !mine {
		return // of a container that nobody knows any more
	}
	s.Namespace, s.Pod, s.UID = p.namespace, p.name, p.uid
	t.add(s)
}

// text is a message without secrets in protobuf's JSON; none if it is too long.
func text(m proto.Message) json.RawMessage {
	cut := critrace.Cut(m)
	if cut == nil {
		return nil
	}
	if c, ok := cut.(*runtimeapi.CreateContainerRequest); ok {
		c.SandboxConfig = nil // it was in the call that made the sandbox
	}
	b, err := protojson.Marshal(cut)
	if err != nil || len(b) > critrace.MaxMessage {
		return nil
	}
	return b
}

// maxKnown bounds the sandboxes and containers that are known by their pods.
const maxKnown = 4096

type pod struct{ namespace, name, uid string }

// podsOf knows pods by the IDs of their sandboxes and containers.
type podsOf struct {
	mu    sync.Mutex
	known map[string]pod
	order []string
}

func (p *podsOf) learn(id string, of pod) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if id == "" || of.uid == "" {
		return
	}
	if p.known == nil {
		p.known = map[string]pod{}
	}
	if _, again := p.known[id]; again {
		return
	}
	if len(p.order) >= maxKnown {
		delete(p.known, p.order[0])
		p.order = p.order[1:]
	}
	p.known[id], p.order = of, append(p.order, id)
}

func (p *podsOf) get(id string) (pod, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	of, ok := p.known[id]
	return of, ok
}

func podIn(c *runtimeapi.PodSandboxConfig) pod {
	m := c.GetMetadata()
	return pod{m.GetNamespace(), m.GetName(), m.GetUid()}
}

// of is the pod that a call is for, the zero one if it is for the node; false if that is not known, as of what somebody
// runs by hand, whom no pod of the API's is behind.
func (p *podsOf) of(c cri.Call) (pod, bool) {
	switch r := c.Request.(type) {
	case *runtimeapi.RunPodSandboxRequest:
		of := podIn(r.GetConfig())
		if made, ok := c.Response.(*runtimeapi.RunPodSandboxResponse); ok {
			p.learn(made.GetPodSandboxId(), of)
		}
		return of, of.uid != ""
	case *runtimeapi.CreateContainerRequest:
		of := podIn(r.GetSandboxConfig())
		if made, ok := c.Response.(*runtimeapi.CreateContainerResponse); ok {
			p.learn(made.GetContainerId(), of)
		}
		return of, of.uid != ""
	case *runtimeapi.PullImageRequest:
		return podIn(r.GetSandboxConfig()), true
	case interface{ GetContainerId() string }:
		return p.get(r.GetContainerId())
	case interface{ GetPodSandboxId() string }:
		return p.get(r.GetPodSandboxId())
	}
	return pod{}, c.Request != nil
}

// Labels that kubelets give to containers (k8s.io/kubelet/pkg/types).
const (
	podNamespace = "io.kubernetes.pod.namespace"
	podName      = "io.kubernetes.pod.name"
	podUID       = "io.kubernetes.pod.uid"
)

// Known tells which sandboxes and containers the runtime has already.
func (t *Teller) Known(sandboxes []*runtimeapi.PodSandbox, containers []*runtimeapi.Container) {
	for _, s := range sandboxes {
		m := s.GetMetadata()
		t.calls.learn(s.GetId(), pod{m.GetNamespace(), m.GetName(), m.GetUid()})
	}
	for _, c := range containers {
		t.calls.learn(c.GetId(), pod{c.Labels[podNamespace], c.Labels[podName], c.Labels[podUID]})
	}
}
