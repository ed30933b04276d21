package controlplane

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/nodehost/gateway"
)

// Etcd says how a real etcd is reached. The flags are kube-apiserver's.
type Etcd struct {
	// Servers are URLs; none means the cluster's own store.
	Servers []string
	// CAFile, CertFile and KeyFile are for https.
	CAFile, CertFile, KeyFile string
	// Gateway is the unix socket that leads to them (nodehost/gateway). Empty: they are dialled.
	Gateway string
}

// AddFlags adds those that people give.
func (e *Etcd) AddFlags(f *pflag.FlagSet) {
	f.StringSliceVar(&e.Servers, "etcd-servers", nil, "`URLs` of an etcd for the native cluster to use in place of its own store (scheme://host:port, comma-separated)")
	f.StringVar(&e.CAFile, "etcd-cafile", "", "certificate authority of the etcd, with https")
	f.StringVar(&e.CertFile, "etcd-certfile", "", "client certificate for the etcd, with https")
	f.StringVar(&e.KeyFile, "etcd-keyfile", "", "its key")
}

// Flags are what AddFlags, and --etcd-gateway, read.
func (e *Etcd) Flags() []string {
	return []string{
		"--etcd-servers=" + strings.Join(e.Servers, ","), "--etcd-cafile=" + e.CAFile,
		"--etcd-certfile=" + e.CertFile, "--etcd-keyfile=" + e.KeyFile, "--etcd-gateway=" + e.Gateway,
	}
}

// Addresses are the servers' "host:port".
func (e *Etcd) Addresses() (addresses []string, err error) {
	for _, server := range e.Servers {
		u, err := url.Parse(server)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
			err = errors.New("want http://HOST:PORT or https://HOST:PORT")
		}
		if err == nil && u.Port() == "" {
			err = errors.New("the port is missing; etcd's is 2379")
		}
		if err != nil {
			return nil, fmt.Errorf("--etcd-servers: %q: %w", server, err)
		}
		addresses = append(addresses, net.JoinHostPort(u.Hostname(), u.Port()))
	}
	return addresses, nil
}

// configure has the cluster use it.
func (e *Etcd) configure(co *cluster.Options) {
	co.EtcdServers = e.Servers
	for _, f := range []struct{ flag, value string }{
		{"cafile", e.CAFile}, {"certfile", e.CertFile}, {"keyfile", e.KeyFile},
	} {
		if f.value != "" {
			co.APIServerArgs = append(co.APIServerArgs, "--etcd-"+f.flag+"="+f.value)
		}
	}
}

// route has the cluster dial it through the gateway.
func (e *Etcd) route(c *cluster.Cluster) error {
	if e.Gateway == "" {
		return nil
	}
	addresses, err := e.Addresses()
	for _, address := range addresses {
		c.Router().Handle(address, gateway.Dialer(e.Gateway))
	}
	return err
}
