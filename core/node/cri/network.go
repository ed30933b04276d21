package cri

import (
	"context"
	"net/netip"
	"slices"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/trace"
)

// networkKind is what a CNI plugin would have done; in the tab the runtime does it itself, so that
// there is no line of upstream.
var networkKind = trace.Declare(trace.CNI, "cni.network", trace.Place{})

// networkDetails are what was made of a sandbox's network.
type networkDetails struct {
	By      string `json:"by"`
	Sandbox string `json:"sandbox"` // its ID
	// Host says that the pod has the node's own network, and no address of its own.
	Host bool `json:"hostNetwork,omitempty"`
	// IPs are the pod's addresses, Ranges the node's pod CIDRs that they are from.
	IPs    []netip.Addr   `json:"ips,omitempty"`
	Ranges []netip.Prefix `json:"podCIDRs,omitempty"`
	// HostPorts are those of the node's that lead to the pod, maxHostPorts of them at most.
	HostPorts []int32 `json:"hostPorts,omitempty"`
	// Hostname is what the pod's containers call themselves.
	Hostname string `json:"hostname,omitempty"`
	// Shared are the namespaces that the pod's containers have in common: "network", and "pid" if
	// the pod asked for that, whose process 1 is then the sandbox's own, in the place of pause.
	Shared []string `json:"sharedNamespaces"`
	Error  string   `json:"error,omitempty"`
}

const maxHostPorts = 64

// connect makes a sandbox's network.
func (r *Runtime) connect(s *sandbox) error {
	if s.namespaces().GetNetwork() == runtimeapi.NamespaceMode_NODE {
		s.network, s.onHost = r.host, true
	} else {
		ips, err := r.ipam.Allocate(s.id)
		if err != nil {
			return err
		}
		s.network = r.podNetwork(ips)
		for _, ip := range ips {
			if r.opts.Attach != nil {
				s.undo = append(s.undo, r.opts.Attach(ip, s.config))
			}
		}
	}
	return r.openHostPorts(s)
}

// podNetwork is the network of who has these addresses.
func (r *Runtime) podNetwork(ips []netip.Addr) *podnet.Pod {
	return podnet.New(podnet.Options{
		IPs: ips, Dialer: r.opts.Dialer, Segment: r.opts.Segment, Path: r.opts.Path,
	})
}

// tellNetwork tells of a network that was made, or was not.
func (r *Runtime) tellNetwork(ctx context.Context, s *sandbox, began time.Time, err error) {
	if r.opts.Trace == nil {
		return
	}
	d := networkDetails{
		By: "the in-tab runtime, without a CNI plugin", Sandbox: s.id, Host: s.onHost, Ranges: r.ipam.Prefixes(),
		Hostname: trace.Text(s.hostname(r.opts.NodeName)), Shared: []string{"network"},
	}
	if s.network != nil && !s.onHost {
		d.IPs = slices.Clone(s.network.IPs())
	}
	if s.namespaces().GetPid() == runtimeapi.NamespaceMode_POD {
		d.Shared = append(d.Shared, "pid")
	}
	for _, p := range s.config.GetPortMappings() {
		if p.GetHostPort() > 0 && len(d.HostPorts) < maxHostPorts {
			d.HostPorts = append(d.HostPorts, p.GetHostPort())
		}
	}
	if err != nil {
		d.Error = trace.Text(err.Error())
	}
	m := s.config.GetMetadata()
	r.opts.Trace.Add(trace.Step{
		At: began, Took: time.Since(began), Kind: networkKind, Component: "container runtime", Node: r.opts.NodeName, Cause: trace.Cause(ctx),
		Object:  trace.Object{Version: "v1", Resource: "pods", Namespace: m.GetNamespace(), Name: m.GetName(), UID: m.GetUid()},
		Details: d,
	})
}
