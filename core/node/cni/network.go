package cni

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/containernetworking/cni/libcni"
	"github.com/containernetworking/cni/pkg/types"
	types100 "github.com/containernetworking/cni/pkg/types/100"
	"github.com/containernetworking/cni/pkg/version"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// Where everything is, as a node sees it. They are containerd's defaults.
const (
	ConfDir = "/etc/cni/net.d"
	BinDir  = "/opt/cni/bin"
	DataDir = "/var/lib/cni"
)

// InterfaceName is that of a pod's interface, as every runtime has it.
const InterfaceName = "eth0"

// Options of a node's network. Root, RootDir and Namespace are required.
type Options struct {
	// Root is the node's file system, RootDir where it lies in the operating system's.
	Root    *program.FS
	RootDir string
	// Namespace is the network namespace at a path of the node, nil if there is none.
	Namespace func(path string) Namespace
	// Trace is told of each call of a plugin, Node whose they are. Default: nobody is.
	Trace *trace.Bus
	Node  string
}

// Namespace is a network namespace, as a plugin asks the kernel for it. Its methods may be called from any
// goroutine.
type Namespace interface {
	// AddLink makes an interface with addresses. It fails if there is one, or an address cannot be had.
	AddLink(name string, addresses []netip.Addr) error
	// Links are the interfaces' addresses, by name.
	Links() map[string][]netip.Addr
	// DelLink takes an interface away; of one that is not there it does nothing.
	DelLink(name string)
	// MapPort has a port of the node lead to one of the namespace's; UnmapPorts undoes all of them.
	MapPort(PortMapping) error
	UnmapPorts()
}

// PortMapping is one of the capability portMappings, as portmap knows it.
type PortMapping struct {
	HostPort      int32  `json:"hostPort"`
	ContainerPort int32  `json:"containerPort"`
	Protocol      string `json:"protocol"` // "tcp", "udp" or "sctp"
	HostIP        string `json:"hostIP,omitempty"`
}

// Pod is whom a network is made for.
type Pod struct {
	Sandbox, Netns       string // CNI_CONTAINERID and CNI_NETNS
	Namespace, Name, UID string
	Ports                []PortMapping
}

// Network is the network of one node's pods. Its methods may be called from any goroutine.
type Network struct {
	opts   Options
	cni    *libcni.CNIConfig
	leases leases

	mu    sync.Mutex
	cidrs []netip.Prefix
	conf  *conf // the last that was loaded, and is good
}

// New is the network of a node whose pod CIDR is not known yet. It puts the plugins in place on a node that
// never had any.
func New(o Options) (*Network, error) {
	n := &Network{opts: o, leases: leases{fs: o.Root, indexes: map[string]*leaseIndex{}}}
	n.cni = libcni.NewCNIConfigWithCacheDir([]string{BinDir}, n.host(DataDir), n)
	if err := n.install(); err != nil {
		return nil, fmt.Errorf("install the CNI plugins: %w", err)
	}
	return n, nil
}

// Configure tells the node's pod CIDRs, comma-separated (one, or one for each IP family). As containerd
// does with its conf_template, it writes a configuration if the node has none, and leaves one that is there.
func (n *Network) Configure(cidrs string) error {
	var prefixes []netip.Prefix
	for text := range strings.SplitSeq(cidrs, ",") {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return fmt.Errorf("pod CIDR: %w", err)
		}
		prefix = prefix.Masked()
		if prefix.Addr().BitLen()-prefix.Bits() < 2 {
			return fmt.Errorf("pod CIDR %s: no room for a pod", prefix)
		}
		prefixes = append(prefixes, prefix)
	}
	n.mu.Lock()
	n.cidrs = prefixes
	n.mu.Unlock()
	return n.writeDefault(prefixes)
}

// PodCIDRs are the ranges that were told; none before.
func (n *Network) PodCIDRs() []netip.Prefix {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.cidrs)
}

// Status says why no pod can have a network: what libcni says of the configuration and its plugins, or a
// plugin's own STATUS.
func (n *Network) Status(ctx context.Context) error {
	if len(n.PodCIDRs()) == 0 {
		return errors.New("cni plugin not initialized: the node has no pod CIDR yet")
	}
	c, err := n.load()
	if err != nil {
		return fmt.Errorf("cni plugin not initialized: %w", err)
	}
	if _, err := n.cni.ValidateNetworkList(ctx, c.list); err != nil {
		return fmt.Errorf("cni plugin not initialized: %s: %w", c.path, err)
	}
	return n.cni.GetStatusNetworkList(ctx, c.list)
}

// Attachment is a network that was made.
type Attachment struct {
	// Conf is the file that said how.
	Conf string
	IPs  []netip.Addr
}

// Add calls the chain with ADD. If it fails, what was made is undone by DEL.
func (n *Network) Add(ctx context.Context, pod Pod) (Attachment, error) {
	c, err := n.load()
	if err != nil {
		return Attachment{}, fmt.Errorf("cni config uninitialized: %w", err)
	}
	a := Attachment{Conf: c.path}
	rt := runtimeConf(pod)
	if err := n.plainCache(pod.Sandbox); err != nil {
		return a, err
	}
	result, err := n.cni.AddNetworkList(ctx, c.list, rt)
	if err == nil {
		a.IPs, err = addresses(result)
	}
	if err != nil {
		// What fails here fails for the same reason; the next sandbox's ADD says it.
		_ = n.cni.DelNetworkList(context.WithoutCancel(ctx), c.list, rt)
		return a, err
	}
	return a, nil
}

func addresses(result types.Result) ([]netip.Addr, error) {
	if result == nil {
		return nil, errors.New("the plugins gave no result")
	}
	r, err := types100.NewResultFromResult(result)
	if err != nil {
		return nil, err
	}
	var ips []netip.Addr
	for _, ip := range r.IPs {
		if addr, ok := netip.AddrFromSlice(ip.Address.IP); ok {
			ips = append(ips, addr.Unmap())
		}
	}
	if len(ips) == 0 {
		return nil, errors.New("the plugins gave no address")
	}
	return ips, nil
}

// Del undoes Add by the configuration that the pod's network was made with, whatever the node's is now. Of a
// sandbox that has none it does nothing. netns is "" if the namespace is gone.
func (n *Network) Del(ctx context.Context, sandbox, netns string) error {
	if err := n.plainCache(sandbox); err != nil {
		return err
	}
	attachments, err := n.cni.GetCachedAttachments(sandbox)
	if err != nil {
		return fmt.Errorf("look for the sandbox's networks: %w", err)
	}
	var errs []error
	for _, a := range attachments {
		list, err := n.complete(a.Config)
		if err == nil {
			err = n.cni.DelNetworkList(ctx, list, &libcni.RuntimeConf{
				ContainerID: a.ContainerID, NetNS: netns, IfName: a.IfName, Args: a.CniArgs, CapabilityArgs: a.CapabilityArgs,
			})
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Check calls the chain with CHECK. Runtimes do not; people and tests may.
func (n *Network) Check(ctx context.Context, pod Pod) error {
	c, err := n.load()
	if err != nil {
		return err
	}
	return n.cni.CheckNetworkList(ctx, c.list, runtimeConf(pod))
}

// Collect gives back what sandboxes hold that are not there any more, of a node that lost power.
func (n *Network) Collect(ctx context.Context, sandboxes []string) error {
	c, err := n.load()
	if err != nil {
		return err
	}
	if err := n.plainCache(""); err != nil {
		return err
	}
	valid := []types.GCAttachment{}
	for _, id := range sandboxes {
		valid = append(valid, types.GCAttachment{ContainerID: id, IfName: InterfaceName})
	}
	return n.cni.GCNetworkList(ctx, c.list, &libcni.GCArgs{ValidAttachments: valid})
}

// InUse counts the leases of all networks.
func (n *Network) InUse() int { return n.leases.count() }

func runtimeConf(pod Pod) *libcni.RuntimeConf {
	rt := &libcni.RuntimeConf{
		ContainerID: pod.Sandbox, NetNS: pod.Netns, IfName: InterfaceName,
		// containerd's, in its order.
		Args: [][2]string{
			{"IgnoreUnknown", "1"}, {"K8S_POD_NAMESPACE", pod.Namespace}, {"K8S_POD_NAME", pod.Name},
			{"K8S_POD_INFRA_CONTAINER_ID", pod.Sandbox}, {"K8S_POD_UID", pod.UID},
		},
	}
	if len(pod.Ports) > 0 {
		rt.CapabilityArgs = map[string]any{"portMappings": pod.Ports}
	}
	return rt
}

// versions are those of the specification that all plugins know.
var versions = version.All
