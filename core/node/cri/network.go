package cri

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/node/cni"
	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// networkKind is a sandbox's network as a whole; what each plugin did is core/node/cnitrace's. It is the
// runtime's own: there is no line of upstream.
var networkKind = trace.Declare(trace.CNI, "cni.network", trace.Place{})

// networkDetails are what was made of a sandbox's network.
type networkDetails struct {
	By string `json:"by"`
	// Conf is the file that says which plugins are called, as the node sees it.
	Conf    string `json:"conf,omitempty"`
	Netns   string `json:"netns,omitempty"`
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

// openNetwork finds the node's CNI configuration and its plugins.
func (r *Runtime) openNetwork() (err error) {
	root := r.nodeRoot
	if root == "" {
		root = r.opts.RootDir
	}
	r.cni, err = cni.New(cni.Options{
		Root: program.NewFS(root).On(r.opts.Disk, nil), RootDir: root, Namespace: r.namespace, Trace: r.opts.Trace, Node: r.opts.NodeName,
	})
	if err == nil && r.opts.PodCIDR != "" {
		err = r.setPodCIDR(r.opts.PodCIDR)
	}
	return err
}

// setPodCIDR makes the network ready, and before that gives back what pods hold of which nothing is left: of a node that
// lost power while it made or removed them.
func (r *Runtime) setPodCIDR(cidr string) error {
	r.mu.Lock()
	ids := slices.Collect(maps.Keys(r.sandboxes))
	r.mu.Unlock()
	r.collect.Do(func() {
		if err := r.cni.Collect(r.ctx, ids); err != nil {
			klog.FromContext(r.ctx).V(2).Info("Addresses of pods that are gone were not given back", "node", r.opts.NodeName, "reason", err)
		}
	})
	return r.cni.Configure(cidr)
}

// connect makes a sandbox's network: it says which configuration told how.
func (r *Runtime) connect(ctx context.Context, s *sandbox) (conf string, err error) {
	if s.namespaces().GetNetwork() == runtimeapi.NamespaceMode_NODE {
		s.network, s.onHost = r.host, true
		return "", nil
	}
	// What containerd calls it, with the sandbox's own ID in place of another random one.
	s.netns = fmt.Sprintf("/var/run/netns/cni-%s-%s-%s-%s-%s", s.id[:8], s.id[8:12], s.id[12:16], s.id[16:20], s.id[20:32])
	r.netns.Store(s.netns, s)
	made, err := r.cni.Add(ctx, cniPod(s))
	if err == nil && s.network == nil {
		err = errors.New("the plugins gave the pod no interface: name bridge in the configuration")
	}
	return made.Conf, err
}

// disconnect ends a sandbox's network and gives its addresses back. It may be repeated.
func (r *Runtime) disconnect(ctx context.Context, s *sandbox) error {
	s.closeNetwork()
	if s.onHost {
		return nil
	}
	if err := r.cni.Del(ctx, s.id, s.netns); err != nil {
		return err
	}
	r.netns.Delete(s.netns)
	return nil
}

// namespace is the network namespace at a path.
func (r *Runtime) namespace(path string) cni.Namespace {
	if s, ok := r.netns.Load(path); ok {
		return links{r, s.(*sandbox)}
	}
	return nil
}

func cniPod(s *sandbox) cni.Pod {
	m := s.config.GetMetadata()
	pod := cni.Pod{Sandbox: s.id, Netns: s.netns, Namespace: m.GetNamespace(), Name: m.GetName(), UID: m.GetUid()}
	for _, p := range s.config.GetPortMappings() {
		if p.GetHostPort() > 0 {
			pod.Ports = append(pod.Ports, cni.PortMapping{
				HostPort: p.HostPort, ContainerPort: p.ContainerPort, Protocol: strings.ToLower(p.Protocol.String()), HostIP: p.HostIp,
			})
		}
	}
	return pod
}

// links is a sandbox's network as CNI's plugins have the kernel change it.
type links struct {
	r *Runtime
	s *sandbox
}

func (n links) AddLink(name string, ips []netip.Addr) error {
	if n.s.network != nil {
		return fmt.Errorf("the pod has the interface %q already: in the tab it has one", slices.Collect(maps.Keys(n.s.links)))
	}
	n.s.network, n.s.links = n.r.podNetwork(ips), map[string][]netip.Addr{name: ips}
	for _, ip := range ips {
		if n.r.opts.Attach != nil {
			n.s.undoLinks = append(n.s.undoLinks, n.r.opts.Attach(ip, n.s.config))
		}
	}
	return nil
}

func (n links) Links() map[string][]netip.Addr { return n.s.links }
func (n links) DelLink(string)                 { n.s.closeLinks() }
func (n links) MapPort(m cni.PortMapping) error {
	if n.s.network == nil {
		return errors.New("the pod has no address yet: name portmap after bridge")
	}
	return n.r.openHostPort(n.s, m)
}
func (n links) UnmapPorts() { n.s.closePorts() }

// podNetwork is the network of who has these addresses.
func (r *Runtime) podNetwork(ips []netip.Addr) *podnet.Pod {
	return podnet.New(podnet.Options{
		IPs: ips, Dialer: r.opts.Dialer, Segment: r.opts.Segment, Path: r.opts.Path,
	})
}

// networkStep is the step of a sandbox's network, below which the plugins' are.
type networkStep struct {
	id, cause trace.ID
	began     time.Time
	conf      string
}

// tellNetwork tells of a network that was made, or was not.
func (r *Runtime) tellNetwork(s *sandbox, step networkStep, err error) {
	if r.opts.Trace == nil {
		return
	}
	d := networkDetails{
		By: "libcni, in the in-tab runtime", Conf: trace.Text(step.conf), Netns: s.netns, Sandbox: s.id, Host: s.onHost, Ranges: r.PodCIDRs(),
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
		ID: step.id, At: step.began, Took: time.Since(step.began), Kind: networkKind, Component: "container runtime", Node: r.opts.NodeName, Cause: step.cause,
		Object:  trace.Object{Version: "v1", Resource: "pods", Namespace: m.GetNamespace(), Name: m.GetName(), UID: m.GetUid()},
		Details: d,
	})
}
