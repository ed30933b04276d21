package node

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/rest"
	internalapi "k8s.io/cri-api/pkg/apis"

	"github.com/tabernetes/tabernetes/core/node/kubelet"
	"github.com/tabernetes/tabernetes/core/node/mounttable"
	"github.com/tabernetes/tabernetes/core/node/nodefs"
	"github.com/tabernetes/tabernetes/core/trace"
)

// KubeletPort is where every node's kubelet serves HTTPS on its own address.
// It is upstream's default (pkg/cluster/ports, KubeletPort).
const KubeletPort = 10250

// Runtime is the container runtime of one node: cri-api's Go interfaces,
// implemented in process, so that no gRPC stands between it and the kubelet.
// *cri.Runtime implements it. Whoever makes the runtime also runs it.
type Runtime interface {
	internalapi.RuntimeService
	internalapi.ImageManagerService
}

// Capacity is what a node offers to pods. Zero fields take the defaults of
// DefaultCapacity.
type Capacity struct {
	// MilliCPU is in thousandths of a core; the kubelet reports whole cores,
	// so it must be a multiple of 1000.
	MilliCPU int64
	// MemoryBytes and EphemeralStorageBytes are in bytes.
	MemoryBytes           int64
	EphemeralStorageBytes int64
	// Pods is the most pods the kubelet admits.
	Pods int64
}

// DefaultCapacity is that of a small virtual machine.
var DefaultCapacity = Capacity{
	MilliCPU:              4000,
	MemoryBytes:           8 << 30,
	EphemeralStorageBytes: 32 << 30,
	Pods:                  110,
}

// Options describe one node. All fields without a stated default are required.
type Options struct {
	// Name is the node's name in the API and its host name.
	Name string
	// IP is the node's own address. The kubelet serves on IP:KubeletPort, and
	// node.status.addresses shows it as InternalIP.
	IP netip.Addr
	// RootDir holds all files of the node, and the kubelet writes nowhere else:
	// a temporary directory natively, /var/lib/tabernetes/<node> in the tab.
	RootDir string

	// Capacity defaults to DefaultCapacity, field by field.
	Capacity Capacity
	// Labels are set at registration, besides kubernetes.io/hostname, os and arch.
	Labels map[string]string
	// Taints are set at registration.
	Taints []corev1.Taint

	// Disk is the node's file system, of Capacity.EphemeralStorageBytes, which its runtime
	// writes to. Default: one that only the kubelet looks at.
	Disk *nodefs.FS

	// Mounts is what its kubelet mounts, below RootDir. Default: an empty table.
	Mounts *mounttable.Table

	// Runtime is the node's container runtime.
	Runtime Runtime

	// ClientConfig makes the client configuration with the identity
	// system:node:<Name> in group system:nodes. It is called once, and the
	// result is copied for the kubelet's three clients: API, events, heartbeat.
	ClientConfig func(ctx context.Context) (*rest.Config, error)

	// ServingCert and ServingKey are the PEM pair of the kubelet's HTTPS
	// server; the certificate names IP and Name.
	ServingCert, ServingKey []byte
	// ClientCA is the PEM bundle that signs client certificates, the
	// apiserver's kubelet client among them. Others are authenticated by
	// TokenReview; all are authorized by SubjectAccessReview, as upstream does.
	ClientCA []byte

	// ClusterDNS are the name servers put into a pod's resolv.conf; none means
	// that pods with dnsPolicy ClusterFirst fall back to Default.
	ClusterDNS []netip.Addr
	// ClusterDomain defaults to cluster.local.
	ClusterDomain string

	// Kubelet is a KubeletConfiguration, of which an in-tab node takes some fields (CheckKubelet).
	// Default: none.
	Kubelet []byte

	// Trace is told what the node's kubelet does. Default: nobody is.
	Trace *trace.Bus
}

// complete checks o and returns it with the defaults filled in.
func (o Options) complete() (Options, error) {
	var errs []error
	if msgs := validation.IsDNS1123Subdomain(o.Name); len(msgs) > 0 {
		errs = append(errs, fmt.Errorf("name %q: %s", o.Name, msgs[0]))
	}
	if !o.IP.IsValid() || o.IP.IsUnspecified() || o.IP.IsLoopback() {
		errs = append(errs, fmt.Errorf("IP %q: must be an address of the node's own", o.IP))
	}
	if o.RootDir == "" {
		errs = append(errs, errors.New("root directory: required"))
	}
	if o.Runtime == nil {
		errs = append(errs, errors.New("runtime: required"))
	}
	if o.ClientConfig == nil {
		errs = append(errs, errors.New("client configuration: required"))
	}
	if len(o.ServingCert) == 0 || len(o.ServingKey) == 0 {
		errs = append(errs, errors.New("serving certificate and key: required"))
	}
	if len(o.ClientCA) == 0 {
		errs = append(errs, errors.New("client CA: required"))
	}
	if o.ClusterDomain == "" {
		o.ClusterDomain = "cluster.local"
	}
	o.Capacity = o.Capacity.WithDefaults()
	if o.Mounts == nil {
		o.Mounts = mounttable.New(o.RootDir)
	}
	if o.Capacity.MilliCPU%1000 != 0 {
		errs = append(errs, fmt.Errorf("CPU %dm: must be whole cores", o.Capacity.MilliCPU))
	}
	return o, errors.Join(errs...)
}

// KubeletFields are the fields of a KubeletConfiguration that in-tab nodes take.
func KubeletFields() []string { return kubelet.Fields() }

// CheckKubelet says what is wrong with a KubeletConfiguration of in-tab nodes of that capacity.
func CheckKubelet(text []byte, c Capacity) error {
	c = c.WithDefaults()
	return kubelet.CheckFile(text, kubelet.Size{
		Cores: int(c.MilliCPU / 1000), MemoryBytes: c.MemoryBytes, EphemeralStorageBytes: c.EphemeralStorageBytes,
	})
}

// Check says what of c nobody may ask for; zero is the default. (The default of many nodes may be less disk.)
func (c Capacity) Check() error {
	const mebi, tebi = 1 << 20, 1 << 40
	var errs []error
	for _, f := range []struct {
		what               string
		has, least, most   int64
		unit               int64
		inUnit, mostInWord string
	}{
		{"cores", c.MilliCPU, 1000, 256_000, 1000, "", "256"},
		{"memory", c.MemoryBytes, 128 * mebi, 16 * tebi, mebi, " MiB", "16 TiB"},
		{"disk", c.EphemeralStorageBytes, 64 * mebi, 16 * tebi, mebi, " MiB", "16 TiB"},
		{"pods", c.Pods, 1, 100_000, 1, "", "100000"},
	} {
		if f.has != 0 && (f.has < f.least || f.has > f.most) {
			errs = append(errs, fmt.Errorf("%s %d%s: a node has %d%s at least and %s at most", f.what, f.has/f.unit, f.inUnit, f.least/f.unit, f.inUnit, f.mostInWord))
		}
	}
	return errors.Join(errs...)
}

// WithDefaults is c with DefaultCapacity's fields for those that are zero.
func (c Capacity) WithDefaults() Capacity {
	for _, f := range []struct{ got, def *int64 }{
		{&c.MilliCPU, &DefaultCapacity.MilliCPU},
		{&c.MemoryBytes, &DefaultCapacity.MemoryBytes},
		{&c.EphemeralStorageBytes, &DefaultCapacity.EphemeralStorageBytes},
		{&c.Pods, &DefaultCapacity.Pods},
	} {
		if *f.got == 0 {
			*f.got = *f.def
		}
	}
	return c
}
