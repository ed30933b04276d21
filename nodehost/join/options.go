package join

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/tabernetes/tabernetes/nodehost/kubelet"
	"github.com/tabernetes/tabernetes/nodehost/nodedir"
	"github.com/tabernetes/tabernetes/nodehost/overlay/ways"
	"github.com/tabernetes/tabernetes/nodehost/proxy"
)

// Options are the flags of `nodehost join`.
type Options struct {
	// Hub is the hub's URL; empty goes on with what the machine has joined already.
	Hub string
	// HubCertHash is the pin of the hub's certificate; empty trusts what the system trusts.
	HubCertHash string
	// Cluster is its name at the hub; empty is the only one.
	Cluster string
	// Token and CAHash are wanted the first time. TokenFile is a file with the token, in the place of
	// Token; "-" is standard input.
	Token, TokenFile string
	CAHash           []string
	// Node is the Node's name. Default: the host's.
	Node string
	// IP is the node's address in the machine's network. Default: the one from which the hub is
	// reached, or which leads to other networks.
	IP string
	// Place is where the node's files are.
	Place nodedir.Place
	// KubeletPort is taken on loopback.
	KubeletPort int
	// CgroupRoot is the node's control group.
	CgroupRoot string
	// Settings are what the node keeps from its first time on.
	Settings nodedir.Settings
	// Install installs what preflight finds missing.
	Install bool
	// Service has systemd run the node, instead of Run.
	Service bool

	// Out gets what programs and people wait for: one line "ready NODE".
	Out io.Writer
	Log *slog.Logger
}

// Defaults of flags.
const (
	DefaultKubeletPort = 10250
	DefaultCgroupRoot  = "/tabernetes"
	DefaultPauseImage  = "registry.k8s.io/pause:3.10.1"
)

// ErrOther says that the machine is a node already, of another cluster or by another name.
var ErrOther = errors.New("this machine is a node already")

// state is what the machine remembers, or a new one of these options.
func (o *Options) state() (*nodedir.State, error) {
	s, err := o.Place.Load()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := kubelet.CheckEvictionHard(o.Settings.EvictionHard); err != nil {
		return nil, fmt.Errorf("--eviction-hard: %w; it looks like nodefs.available<5%%,memory.available<100Mi", err)
	}
	if err == nil && s.Joined {
		s.RunDir = o.Place.Run // an earlier version did not keep it
		if err := o.keepKubeletConfig(s); err != nil {
			return nil, err
		}
		if o.Settings.EvictionHard != nil { // nothing but the kubelet, which starts now, depends on it
			s.Settings.EvictionHard = o.Settings.EvictionHard
		}
		return s, o.same(s)
	}
	if o.Hub == "" {
		return nil, errors.New("this machine has not joined a cluster; copy the line that the page or `nodehost token create` prints")
	}
	if s == nil {
		s = &nodedir.State{Instance: rand.Text()}
	}
	s.Hub, s.HubCertHash, s.Cluster, s.CAHash = strings.TrimSuffix(o.Hub, "/"), o.HubCertHash, o.Cluster, o.CAHash
	if err := errors.Join(ways.Mode(o.Settings.Overlay).Validate(), proxy.Mode(o.Settings.Proxy).Validate()); err != nil {
		return nil, err
	}
	s.KubeletPort, s.CgroupRoot, s.Settings = o.KubeletPort, o.CgroupRoot, o.Settings
	if err := o.keepKubeletConfig(s); err != nil {
		return nil, err
	}
	if s.Node = o.Node; s.Node == "" {
		host, err := os.Hostname()
		if err != nil {
			return nil, fmt.Errorf("find the host's name: %w; give one with --node-name", err)
		}
		s.Node = strings.ToLower(host)
	}
	if o.Settings.Endpoint != "" && o.Settings.CNIConfDir == "" {
		return nil, errors.New("a container runtime that runs already (--cri-endpoint) has a network of its own; say where it is configured: --cni-conf-dir /etc/cni/net.d")
	}
	if problems := validation.IsDNS1123Subdomain(s.Node); len(problems) > 0 {
		return nil, fmt.Errorf("%q cannot be a node's name: %s; choose one with --node-name", s.Node, strings.Join(problems, "; "))
	}
	return s, nil
}

// noKubeletConfig is in the place of a file: upstream's defaults.
const noKubeletConfig = "none"

// keepKubeletConfig has a node's file be the one that was named, if one was.
func (o *Options) keepKubeletConfig(s *nodedir.State) error {
	switch file := o.Settings.KubeletConfig; file {
	case "":
	case noKubeletConfig:
		s.Settings.KubeletConfig = ""
	default:
		abs, err := filepath.Abs(file)
		if err != nil {
			return fmt.Errorf("--kubelet-config: %w", err)
		}
		s.Settings.KubeletConfig = abs
	}
	return nil
}

// same says whether options that were given are those of the node that the machine is.
func (o *Options) same(s *nodedir.State) error {
	differs := func(given, is string) bool { return given != "" && given != is }
	switch {
	case len(o.CAHash) > 0 && !slices.Equal(o.CAHash, s.CAHash),
		differs(strings.TrimSuffix(o.Hub, "/"), s.Hub) && len(o.CAHash) == 0,
		differs(o.Cluster, s.Cluster):
		return fmt.Errorf("%w, of cluster %q at %s; take it off first: nodehost leave", ErrOther, s.Cluster, s.Hub)
	case differs(o.Node, s.Node):
		return fmt.Errorf("%w, called %q; take it off first: nodehost leave", ErrOther, s.Node)
	}
	if o.Hub != "" {
		// The same cluster's hub may have moved, or have got a certificate.
		s.Hub, s.HubCertHash = strings.TrimSuffix(o.Hub, "/"), o.HubCertHash
	}
	return nil
}

// address finds the node's address: what was asked for, or what it had if it still has it, or the one
// from which the hub or any other network is reached. Nothing is sent for that.
func (o *Options) address(before string) (netip.Addr, error) {
	if o.IP != "" {
		ip, err := netip.ParseAddr(o.IP)
		if err != nil {
			return ip, fmt.Errorf("--node-ip: %w", err)
		}
		return ip, o.usable(ip)
	}
	if ip, err := netip.ParseAddr(before); err == nil && o.usable(ip) == nil {
		return ip, nil
	}
	targets := []string{"192.0.2.1:9"} // nobody's, by the default route
	if u, err := url.Parse(o.Hub); err == nil && u.Hostname() != "" {
		targets = append([]string{net.JoinHostPort(u.Hostname(), "9")}, targets...)
	}
	for _, t := range targets {
		conn, err := net.Dial("udp", t)
		if err != nil {
			continue
		}
		ip := conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()
		_ = conn.Close()
		if o.usable(ip) == nil {
			return ip, nil
		}
	}
	return netip.Addr{}, errors.New("this machine has no address that other machines could use; give one with --node-ip")
}

// inTab are addresses that in-tab nodes have.
var inTab = netip.MustParsePrefix("172.30.0.0/16")

func (o *Options) usable(ip netip.Addr) error {
	if ip.IsLoopback() || ip.IsUnspecified() || ip.IsLinkLocalUnicast() || inTab.Contains(ip) {
		return fmt.Errorf("%s cannot be a node's address; choose another one with --node-ip", ip)
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return fmt.Errorf("list the machine's addresses: %w", err)
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok {
			if own, ok := netip.AddrFromSlice(n.IP); ok && own.Unmap() == ip {
				return nil
			}
		}
	}
	return fmt.Errorf("%s is not an address of this machine; choose another one with --node-ip", ip)
}
