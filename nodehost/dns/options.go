package dns

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/nodehost/localaddr"
)

// Address is where pods ask by default; the value is NodeLocal DNSCache's.
var Address = netip.MustParseAddr("169.254.20.10")

// Domain is the cluster's domain by default.
const Domain = "cluster.local"

// Options of a node's name server. Client and Pods or Local are needed.
type Options struct {
	// Client reads services, endpointslices and namespaces.
	Client *rest.Config
	// Pods are the node's pod CIDRs: who is in them is answered, and who is on this machine.
	Pods []netip.Prefix
	// Local says who is answered, in place of Pods.
	Local func(context.Context, netip.Addr) bool
	// Address to listen on, port 53 by UDP and TCP. It is put on localaddr.Name. Default Address.
	Address netip.Addr
	// Domain is the cluster's domain. Default Domain.
	Domain string
	// ResolvConf is the host's resolver configuration, whose name servers are asked for names
	// that are not the cluster's. It is read again when it changes. Default /etc/resolv.conf.
	ResolvConf string
	// Log is told of failing lookups. Default slog.Default().
	Log *slog.Logger
}

func (o Options) complete() (Options, error) {
	if o.Client == nil {
		return o, errors.New("name server: a client of the API server is needed")
	}
	if o.Local == nil {
		pods := o.Pods
		o.Local = func(_ context.Context, caller netip.Addr) bool { return localaddr.Local(caller, pods) }
	}
	if !o.Address.IsValid() {
		o.Address = Address
	}
	if o.Domain == "" {
		o.Domain = Domain
	}
	if o.ResolvConf == "" {
		o.ResolvConf = "/etc/resolv.conf"
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o, nil
}
