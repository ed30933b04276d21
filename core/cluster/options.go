package cluster

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"

	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/confine"
	"github.com/tabernetes/tabernetes/core/node"
	"github.com/tabernetes/tabernetes/core/node/agnhost"
	"github.com/tabernetes/tabernetes/core/node/controlplane"
	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/shell"
	"github.com/tabernetes/tabernetes/core/store"
	"github.com/tabernetes/tabernetes/core/trace"
)

// Options describe a cluster. The zero value of every field but Dir means the default.
type Options struct {
	// Dir holds the cluster's keys, kubeconfigs and the nodes' files. A cluster that goes on
	// from a store, or an etcd, is given the directory it had.
	Dir string
	// Listen is the apiserver's address. Default 127.0.0.1:6443; port 0 takes any.
	Listen string
	// ServerNames are further names by which clients reach the apiserver; they stand in its
	// certificate. A first label "*" stands for any.
	ServerNames []string
	// Nodes is how many in-tab nodes start with a new cluster. Default none. One that goes on from
	// a store starts those that it had.
	Nodes int
	// NodeCapacity is what each in-tab node offers. Default node.DefaultCapacity.
	NodeCapacity node.Capacity
	// PodMemory is what the containers of all in-tab nodes may hold together, in bytes.
	// Default 2 GiB.
	PodMemory int64
	// Storage is what the files of all in-tab nodes may take together, in bytes, whatever
	// each of them offers. Default no bound of its own.
	Storage int64
	// Images is what in-tab nodes can pull. Default image.Builtins.
	Images *image.Registry
	// RefuseImages has images that Images does not know fail to pull, where otherwise a stand-in
	// runs in their place.
	RefuseImages bool
	// Boot is told of every step of starting, in order of time; it must not block.
	Boot func(Progress)
	// Trace is told what the cluster does. Default nobody.
	Trace *trace.Bus
	// Store says how much history the cluster's own store holds, and where it is
	// kept; the zero value is in memory only.
	Store store.Options
	// EtcdServers are the URLs of a real etcd to use in place of the cluster's own store;
	// its certificates go into APIServerArgs (--etcd-cafile and so on).
	EtcdServers []string
	// SchedulerConfig is a KubeSchedulerConfiguration in YAML, and AdmissionConfig an
	// AdmissionConfiguration; empty means upstream's defaults.
	SchedulerConfig, AdmissionConfig []byte
	// Configuration is what upstream's forms say (core/configuration); the two above stand for its files of that
	// kind. Nil, and neither of them, goes on with what was kept in Dir; an empty one is upstream's defaults.
	Configuration configuration.Files
	// KeepConfiguration is called with the path of the file that has the configuration and those before it, each time
	// before another one is in force; an error refuses it. Nil where the directory stays.
	KeepConfiguration func(path string) error
	// AuditLog is the path of a file that what an audit policy records is written to, with upstream's rotation;
	// empty for none.
	AuditLog string
	// APIServerArgs, ControllerArgs and SchedulerArgs are further upstream flags.
	APIServerArgs, ControllerArgs, SchedulerArgs []string
}

// The cluster's address plan. In the tab Go's in-memory network takes any address; natively a
// network namespace with these addresses is needed (core/netns). Pods' are confine.PodCIDR.
const (
	clusterName   = "tabernetes"
	serviceCIDR   = "10.96.0.0/16"
	defaultListen = "127.0.0.1:6443"
)

var (
	// serviceIP is the address of the "kubernetes" Service: the first of serviceCIDR.
	serviceIP = netip.MustParseAddr("10.96.0.1")
	// dnsIP is the address that cluster DNS has by convention. In-tab pods find it in their
	// resolv.conf, where core/node/clusterdns answers.
	dnsIP = netip.MustParseAddr("10.96.0.10")
	// balancerPool are the addresses of Services of type LoadBalancer.
	balancerPool = netip.MustParsePrefix("10.97.0.0/24")
	// ingressIP is where Ingresses are served: of balancerPool, and no Service's.
	ingressIP = netip.MustParseAddr("10.97.0.254")
	// visitorIP is the client that pods see when the page's browser view asks them: it is outside of the cluster.
	visitorIP = netip.MustParseAddr("10.98.0.1")
	// apiserverIP is where the "kubernetes" Service leads.
	apiserverIP = netip.MustParseAddr("172.30.0.10")
	// nodeNetwork holds the addresses of in-tab nodes, from .11 on.
	nodeNetwork = netip.MustParsePrefix("172.30.0.0/16")
)

// firstNode is the last number of the first node's address.
const firstNode = 11

type completedConfig struct {
	Options
}

// CompletedConfig can be made by Options.Complete only.
type CompletedConfig struct {
	*completedConfig
}

// Complete checks the options and fills in defaults.
func (o Options) Complete() (CompletedConfig, error) {
	if o.Dir == "" {
		return CompletedConfig{}, errors.New("cluster: a directory is needed for keys and node files")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return CompletedConfig{}, fmt.Errorf("cluster: %w", err)
	}
	o.Dir = dir
	if o.Nodes < 0 || o.Nodes > maxNodes {
		return CompletedConfig{}, fmt.Errorf("cluster: %d in-tab nodes asked for; from 0 to %d are possible", o.Nodes, maxNodes)
	}
	if o.Listen == "" {
		o.Listen = defaultListen
	}
	if o.Images == nil {
		o.Images = image.Builtins(shell.Tools(), agnhost.Commands())
		if err := controlplane.Register(o.Images, o.Trace); err != nil {
			return CompletedConfig{}, fmt.Errorf("cluster: %w", err)
		}
	}
	if o.RefuseImages {
		o.Images.RefuseUnknown()
	}
	if o.PodMemory == 0 {
		o.PodMemory = 2 << 30
	}
	o.Configuration = o.Configuration.Clone()
	for name, b := range map[string][]byte{configuration.Scheduler: o.SchedulerConfig, configuration.Admission: o.AdmissionConfig} {
		if len(b) == 0 {
			continue
		}
		if o.Configuration == nil {
			o.Configuration = configuration.Files{}
		}
		if !o.Configuration.Has(name) {
			o.Configuration[name] = b
		}
	}
	if o.Boot == nil {
		o.Boot = func(Progress) {}
	}
	return CompletedConfig{&completedConfig{o}}, nil
}

// maxNodes is bounded by confine.PodCIDR, which is cut into 256 pod CIDRs.
const maxNodes = 250

// nodeIP is the address of the i-th in-tab node, counted from 0.
func nodeIP(i int) netip.Addr {
	b := nodeNetwork.Addr().As4()
	n := firstNode + i
	b[2], b[3] = byte(n>>8), byte(n)
	return netip.AddrFrom4(b)
}

// Addresses are those that the machine of an in-tab cluster calls its own: the apiserver's and
// one for each node that there can be.
func Addresses() []netip.Addr {
	addrs := []netip.Addr{apiserverIP}
	for i := range maxNodes {
		addrs = append(addrs, nodeIP(i))
	}
	return addrs
}

// nodeName is the name of the i-th in-tab node, counted from 0.
func nodeName(i int) string { return confine.InTabNode(i) }
