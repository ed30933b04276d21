package serviceproxy

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	upstream "k8s.io/kubernetes/pkg/proxy"

	"github.com/tabernetes/tabernetes/core/trace"
)

// What kube-proxy does at the same moment: its maps of Services and endpoints take the changes in, and
// the rules are written from them. Here the table of a node's dialer is.
var (
	serviceKind = trace.Declare(trace.Networking, "network.service", trace.Place{
		Package: "k8s.io/kubernetes/pkg/proxy", Func: "ServicePortMap.Update", Text: "sm.merge(change.current)"})
	endpointsKind = trace.Declare(trace.Networking, "network.endpoints", trace.Place{
		Package: "k8s.io/kubernetes/pkg/proxy", Func: "EndpointsMap.Update", Text: "em.merge(change.current)"})
)

// maxPending is how many changed objects are told of at once, maxPorts how many ports of each, and
// maxEndpoints how many endpoints of a port.
const (
	maxPending   = 64
	maxPorts     = 16
	maxEndpoints = 32
)

// changes are objects that changed and are not in the table yet. A nil *changes keeps none.
type changes struct {
	bus  *trace.Bus
	node string

	mu      sync.Mutex
	pending []change
}

// change is an object of which the data path is to learn.
type change struct {
	kind     *trace.Kind
	object   trace.Object
	service  string // the Service's name
	seen     time.Time
	cause    trace.ID
	inferred bool
}

func newChanges(bus *trace.Bus, node string) *changes {
	if bus == nil {
		return nil
	}
	return &changes{bus: bus, node: node}
}

func (c *changes) ofService(before, now *corev1.Service) {
	if c == nil {
		return
	}
	s := now
	if s == nil {
		s = before
	}
	c.note(change{kind: serviceKind, service: s.Name, object: objectOf("", "services", s)}, s)
}

func (c *changes) ofSlice(before, now *discoveryv1.EndpointSlice) {
	if c == nil {
		return
	}
	s := now
	if s == nil {
		s = before
	}
	c.note(change{kind: endpointsKind, service: s.Labels[discoveryv1.LabelServiceName], object: objectOf(discoveryv1.GroupName, "endpointslices", s)}, s)
}

func objectOf(group, resource string, o metav1.Object) trace.Object {
	return trace.Object{
		Group: group, Version: "v1", Resource: resource, Namespace: o.GetNamespace(), Name: o.GetName(),
		UID: string(o.GetUID()), ResourceVersion: o.GetResourceVersion(),
	}
}

// note is called in an informer's goroutine: it comes of what that works for, or of the write that made
// this version.
func (c *changes) note(n change, o metav1.Object) {
	n.seen, n.cause = time.Now(), trace.Marked()
	if n.cause == 0 {
		if revision, err := strconv.ParseInt(o.GetResourceVersion(), 10, 64); err == nil {
			n.cause = c.bus.Revision(revision)
		}
	}
	if n.cause == 0 {
		n.cause = c.bus.Latest(string(o.GetUID()))
		n.inferred = n.cause != 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = slices.DeleteFunc(c.pending, func(p change) bool {
		return p.kind == n.kind && p.object.Namespace == n.object.Namespace && p.object.Name == n.object.Name
	})
	if len(c.pending) < maxPending {
		c.pending = append(c.pending, n)
	}
}

// take gives what is pending: it is in the trackers by now.
func (c *changes) take() []change {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.pending
	c.pending = nil
	return taken
}

// portDetails is a port of a Service as the node's pods reach it.
type portDetails struct {
	Port      string   `json:"port"` // "web", or its number
	Address   string   `json:"address"`
	NodePort  int      `json:"nodePort,omitempty"`
	Endpoints []string `json:"endpoints"`
	// More is how many further endpoints there are.
	More int `json:"moreEndpoints,omitempty"`
}

type serviceDetails struct {
	Service string        `json:"service"`
	Ports   []portDetails `json:"ports"`
}

// applied tells that the data path has what changed.
func (c *changes) applied(taken []change, t *table) {
	for _, n := range taken {
		c.bus.Add(trace.Step{
			At: n.seen, Took: time.Since(n.seen), Kind: n.kind, Component: "service proxy", Node: c.node,
			Object: n.object, Cause: n.cause, Inferred: n.inferred,
			Details: serviceDetails{trace.Text(n.object.Namespace + "/" + n.service), t.portsOf(n.object.Namespace, n.service)},
		})
	}
}

// portsOf are a Service's ports at its cluster IP.
func (t *table) portsOf(namespace, name string) []portDetails {
	ports := []portDetails{}
	for at, f := range t.addresses {
		if f.name.Namespace != namespace || f.name.Name != name || !isClusterIP(f.port, at.at.Addr().String()) {
			continue
		}
		p := portDetails{
			Port: portName(f.name, f.port), Address: at.at.String(), NodePort: f.port.NodePort(),
			Endpoints: append([]string{}, f.endpoints[:min(len(f.endpoints), maxEndpoints)]...),
		}
		p.More = len(f.endpoints) - len(p.Endpoints)
		slices.Sort(p.Endpoints)
		ports = append(ports, p)
	}
	slices.SortFunc(ports, func(a, b portDetails) int { return strings.Compare(a.Address, b.Address) })
	return ports[:min(len(ports), maxPorts)]
}

func isClusterIP(p upstream.ServicePort, address string) bool {
	return p.ClusterIP().String() == address
}

func portName(n upstream.ServicePortName, p upstream.ServicePort) string {
	if n.Port != "" {
		return n.Port
	}
	return strconv.Itoa(p.Port())
}
