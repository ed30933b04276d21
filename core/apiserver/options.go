package apiserver

import (
	"fmt"
	"net"
	"slices"
	"strings"

	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/tabernetes/tabernetes/core/egress"
	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/core/retired"
	"github.com/tabernetes/tabernetes/core/trace"
)

// Options are what differs between one apiserver of ours and another.
type Options struct {
	// Listener takes the connections; its address is the one that clients are told.
	Listener net.Listener
	// AdvertiseIP stands in the endpoints of the "kubernetes" Service.
	AdvertiseIP net.IP
	// ServiceCIDR is the range of Service addresses, e.g. 10.96.0.0/16.
	ServiceCIDR string
	// EtcdServers names the storage, comma-separated; core/store knows its own endpoints.
	EtcdServers string
	// Keys are the key material's files.
	Keys pki.Files
	// Egress dials kubelets, pods, Services and webhooks.
	Egress *egress.Router
	// InTabNodes says whether there are nodes in the tab: what they do not carry is warned of. Default: none.
	InTabNodes func() bool
	// IngressController is what IngressClasses name whose Ingresses are served where nodes are in the tab.
	IngressController string
	// Trace is told what becomes of requests; nil for nobody.
	Trace *trace.Bus
	// Groups are served beside the native APIs. Who wants them asked for has an APIService made for each.
	Groups []*genericapiserver.APIGroupInfo
	// ExtraArgs are further kube-apiserver flags; they come last and win.
	ExtraArgs []string
	// BasicAuthFile names a file of passwords (basicauth.go); empty for nobody's.
	BasicAuthFile string
	// Usage is what containers have used, for the plugin InitialResources; nil if nobody knows it.
	Usage retired.Usage
	// Audit keeps what an audit policy has recorded, to be looked at; nil for nobody.
	Audit *AuditRing
}

// serviceAccountIssuer is kubeadm's default.
const serviceAccountIssuer = "https://kubernetes.default.svc.cluster.local"

// Args are the kube-apiserver flags that the options stand for, in kubeadm's manner.
func (o *Options) Args() []string {
	args := []string{
		"--advertise-address=" + o.AdvertiseIP.String(),
		"--allow-privileged=true",
		"--authorization-mode=Node,RBAC",
		"--client-ca-file=" + o.Keys.CA,
		"--enable-admission-plugins=NodeRestriction",
		// Webhooks and extension servers: to an endpoint at once, as the Service has no packets here.
		"--enable-aggregator-routing=true",
		"--enable-bootstrap-token-auth=true",
		"--etcd-servers=" + o.EtcdServers,
		"--feature-gates=" +
			// It dials etcd beside the storage factory.
			"UnknownVersionInteroperabilityProxy=false",
		"--kubelet-certificate-authority=" + o.Keys.CA,
		"--kubelet-client-certificate=" + o.Keys.APIServerKubelet,
		"--kubelet-client-key=" + o.Keys.APIServerKubeletKey,
		"--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname",
		"--proxy-client-cert-file=" + o.Keys.FrontProxyClient,
		"--proxy-client-key-file=" + o.Keys.FrontProxyClientKey,
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-client-ca-file=" + o.Keys.FrontProxyCA,
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-username-headers=X-Remote-User",
		fmt.Sprintf("--secure-port=%d", o.port()),
		"--service-account-issuer=" + serviceAccountIssuer,
		"--service-account-key-file=" + o.Keys.ServiceAccountPublicKey,
		"--service-account-signing-key-file=" + o.Keys.ServiceAccountKey,
		"--service-cluster-ip-range=" + o.ServiceCIDR,
		// One that stops to be started again ends its watches itself, and does not wait for their clients.
		"--shutdown-watch-termination-grace-period=5s",
		"--tls-cert-file=" + o.Keys.APIServer,
		"--tls-private-key-file=" + o.Keys.APIServerKey,
	}
	return slices.Concat(slices.DeleteFunc(args, o.isReplaced), o.ExtraArgs)
}

// isReplaced tells whether one of our flags would not be overruled by the further ones, but stand beside them: lists
// are joined, and two ways to say who authorizes are refused.
func (o *Options) isReplaced(flag string) bool {
	name, value, _ := strings.Cut(flag, "=")
	return slices.ContainsFunc(o.ExtraArgs, func(extra string) bool {
		other, listed, _ := strings.Cut(strings.ReplaceAll(extra, "_", "-"), "=")
		switch name {
		case "--authorization-mode":
			return other == name || other == "--authorization-config"
		case "--enable-admission-plugins":
			return other == "--disable-admission-plugins" && slices.Contains(strings.Split(listed, ","), value)
		}
		return false
	})
}

func (o *Options) port() int {
	if a, ok := o.Listener.Addr().(*net.TCPAddr); ok {
		return a.Port
	}
	return 0
}
