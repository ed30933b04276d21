package kubelet

import (
	"net/netip"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	internalapi "k8s.io/cri-api/pkg/apis"

	"github.com/tabernetes/tabernetes/core/node/logind"
	"github.com/tabernetes/tabernetes/core/node/mounttable"
	"github.com/tabernetes/tabernetes/core/node/nodefs"
	"github.com/tabernetes/tabernetes/core/trace"
)

// Runtime is the node's container runtime.
type Runtime interface {
	internalapi.RuntimeService
	internalapi.ImageManagerService
}

// Options are what the kubelet is made of. All fields are required; core/node
// fills in the defaults and checks them.
type Options struct {
	Name    string
	IP      netip.Addr
	Port    int32
	RootDir string // the node's "/"

	Cores                 int
	MemoryBytes           int64
	EphemeralStorageBytes int64
	Disk                  *nodefs.FS // nil for one of EphemeralStorageBytes of its own
	Mounts                *mounttable.Table
	Pods                  int32
	Logind                *logind.Manager
	Labels                map[string]string
	Taints                []corev1.Taint

	Runtime      Runtime
	ClientConfig *rest.Config

	ServingCert, ServingKey, ClientCA []byte // PEM

	// File is a KubeletConfiguration, empty for upstream's defaults.
	File []byte

	ClusterDNS    []netip.Addr
	ClusterDomain string

	// Trace is told what the kubelet does; nil for nobody.
	Trace *trace.Bus

	// OnReady is called each time the node's status reaches the API with
	// condition Ready=True.
	OnReady func()
}

// The node's file system. The paths are upstream's defaults, below RootDir, so
// that a pod with hostPath /var/log sees what it would see on any node.

func (o Options) kubeletDir() string { return filepath.Join(o.RootDir, "var/lib/kubelet") }
func (o Options) pkiDir() string     { return filepath.Join(o.kubeletDir(), "pki") }
func (o Options) podLogsDir() string { return filepath.Join(o.RootDir, "var/log/pods") }
func (o Options) manifestsDir() string {
	return filepath.Join(o.RootDir, "etc/kubernetes/manifests")
}
func (o Options) resolvConf() string { return filepath.Join(o.RootDir, "etc/resolv.conf") }
func (o Options) certFile() string   { return filepath.Join(o.pkiDir(), "kubelet.crt") }
func (o Options) keyFile() string    { return filepath.Join(o.pkiDir(), "kubelet.key") }
func (o Options) clientCAFile() string {
	return filepath.Join(o.RootDir, "etc/kubernetes/pki/ca.crt")
}
