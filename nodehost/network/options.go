package network

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/confine"
	"github.com/tabernetes/tabernetes/nodehost/cni"
	"github.com/tabernetes/tabernetes/nodehost/cni/plugin"
	"github.com/tabernetes/tabernetes/nodehost/dns"
	"github.com/tabernetes/tabernetes/nodehost/intab"
	"github.com/tabernetes/tabernetes/nodehost/overlay"
	"github.com/tabernetes/tabernetes/nodehost/overlay/ways"
	"github.com/tabernetes/tabernetes/nodehost/proxy"
)

// DNSAddress is the kubelet's clusterDNS.
var DNSAddress = dns.Address

// ClusterCIDR is what the controller manager gives nodes their pods' addresses from.
var ClusterCIDR = netip.MustParsePrefix(confine.PodCIDR)

// Options of a node's network.
type Options struct {
	// Node is the Node's name, IP its address, PodCIDRs its spec.podCIDRs.
	Node     string
	IP       netip.Addr
	PodCIDRs []netip.Prefix
	// ClusterCIDRs hold the pods of all nodes. Default ClusterCIDR.
	ClusterCIDRs []netip.Prefix
	// API is a client configuration with the node's own rights.
	API *rest.Config
	// Dial opens a connection to the API server for pods, without TLS of its own. Default: to
	// API's host, as the forwarder on loopback wants it.
	Dial func(context.Context) (net.Conn, error)
	// DialPod connects an address of this machine or of one of its pods to a pod of an in-tab node
	// (intab.Options). Nil leads to none.
	DialPod func(ctx context.Context, source netip.Addr, pod netip.AddrPort) (net.Conn, error)
	// Dir is the network's own directory, PluginDirs are where CNI plugins are (cni.Options).
	Dir        string
	PluginDirs []string
	// Plugin is the program that is called as the CNI plugin (cni.Options.Program).
	Plugin string
	// Existing is the configuration directory of a CNI network that is to be used instead.
	Existing string
	// PodAddresses lists the addresses of this machine's pods; it is needed with Existing.
	PodAddresses func(context.Context) ([]netip.Addr, error)
	// Before are the BaseChains that were there before the node: Remove leaves them. If it is nil, nobody
	// has looked, and all of them stay.
	Before []string
	// Valid lists the sandboxes that the runtime has (cni.Options).
	Valid func(context.Context) ([]string, error)
	// Event is told of the CNI plugin's calls; it must not block.
	Event func(plugin.Event)
	// Ways is told how this node's pods are reached, and of the ways to other nodes' (overlay.Options).
	Ways func(self ways.Peer, to []ways.Way)
	// Overlay says which ways between nodes are allowed; Seen is the address under which the hub
	// sees this machine (overlay.Options).
	Overlay ways.Mode
	Seen    netip.Addr
	// Proxy says how Services' rules are made.
	Proxy proxy.Mode
	// ResolvConf and Domain are the name server's (dns.Options).
	ResolvConf string
	Domain     string
	Log        *slog.Logger
}

func (o Options) complete() (Options, error) {
	if o.API == nil || o.Dir == "" {
		return o, errors.New("network: a client of the API server and a directory are needed")
	}
	if o.Existing != "" && o.PodAddresses == nil {
		return o, errors.New("network: which addresses pods have in a network of somebody else's has to be known")
	}
	if o.ClusterCIDRs == nil {
		o.ClusterCIDRs = []netip.Prefix{ClusterCIDR}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Dial == nil {
		u, err := url.Parse(o.API.Host)
		if err != nil || u.Port() == "" {
			return o, fmt.Errorf("network: no address and port in the API server's %q", o.API.Host)
		}
		o.Dial = func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "tcp", u.Host) }
	}
	return o, nil
}

func (o Options) cni(mtu int) cni.Options {
	return cni.Options{
		Dir: o.Dir, PodCIDRs: o.PodCIDRs, MTU: mtu, Existing: o.Existing, PluginDirs: o.PluginDirs, Program: o.Plugin,
		Valid: o.Valid, Event: o.Event, Log: o.Log,
	}
}

func (o Options) overlay() overlay.Options {
	return overlay.Options{
		Changed: o.Ways,
		Dir:     o.Dir, NodeName: o.Node, NodeIP: o.IP, PodCIDRs: o.PodCIDRs, ClusterCIDRs: o.ClusterCIDRs,
		Mode: o.Overlay, Seen: o.Seen, Bridge: cni.Bridge, Rest: intab.Interface, Log: o.Log,
	}
}
