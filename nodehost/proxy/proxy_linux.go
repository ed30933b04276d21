package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/connrotation"
	utilsysctl "k8s.io/component-helpers/node/util/sysctl"
	"k8s.io/kubernetes/cmd/kube-proxy/app"
	upstream "k8s.io/kubernetes/pkg/proxy"
	proxyconfigapi "k8s.io/kubernetes/pkg/proxy/apis/config"
	proxyconfigscheme "k8s.io/kubernetes/pkg/proxy/apis/config/scheme"
	"k8s.io/kubernetes/pkg/proxy/config"
	"k8s.io/kubernetes/pkg/proxy/iptables"
	"k8s.io/kubernetes/pkg/proxy/nftables"
	proxyutil "k8s.io/kubernetes/pkg/proxy/util"
	utiliptables "k8s.io/kubernetes/pkg/util/iptables"
)

// kube-proxy's defaults (pkg/proxy/apis/config/v1alpha1/defaults.go).
const (
	masqueradeBit = 14
	syncPeriod    = 30 * time.Second
	minSyncPeriod = time.Second
	resync        = 15 * time.Minute
)

// Proxy is kube-proxy on a node.
type Proxy struct {
	options Options
	ready   chan struct{}
}

// New checks the options; nothing is changed before Run.
func New(o Options) (*Proxy, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return &Proxy{options: o, ready: make(chan struct{})}, nil
}

// Ready is closed when the rules of all Services then known were made.
func (p *Proxy) Ready() <-chan struct{} { return p.ready }

// Run runs kube-proxy until ctx is done. The rules stay: containers do, too. A process can do
// this once.
func (p *Proxy) Run(ctx context.Context) error {
	client, err := p.client(ctx)
	if err != nil {
		return fmt.Errorf("kube-proxy: %w", err)
	}
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	recorder := broadcaster.NewRecorder(proxyconfigscheme.Scheme, "kube-proxy")
	mode, proxier, err := p.proxier(ctx, recorder)
	if err != nil {
		return fmt.Errorf("kube-proxy: %w", err)
	}
	p.options.Log.Info("Services are served", "by", mode)
	early := newEnding(proxier)
	if err := early.follow(ctx, client, p.options.NodeName); err != nil {
		return fmt.Errorf("kube-proxy: %w", err)
	}
	server := &app.ProxyServer{
		Config:          p.configuration(mode),
		Client:          client,
		Broadcaster:     broadcaster,
		Recorder:        recorder,
		NodeRef:         &corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: p.options.NodeName},
		NodeName:        p.options.NodeName,
		PrimaryIPFamily: corev1.IPv4Protocol,
		NodeIPs:         map[corev1.IPFamily]net.IP{corev1.IPv4Protocol: p.options.NodeIP.AsSlice()},
		Proxier:         &signalling{Provider: early, ready: p.ready},
	}
	p.followTopology(ctx, client, server.Proxier)
	failed := make(chan error, 1)
	go func() { failed <- server.Run(ctx) }() // returns on errors only
	select {
	case err := <-failed:
		return fmt.Errorf("kube-proxy: %w", err)
	case <-ctx.Done():
		return nil
	}
}

// client is one whose connections end with ctx: kube-proxy starts informers that never do.
func (p *Proxy) client(ctx context.Context) (kubernetes.Interface, error) {
	c := rest.CopyConfig(p.options.Client)
	dial := c.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	dialer := connrotation.NewDialer(func(dialCtx context.Context, network, address string) (net.Conn, error) {
		if ctx.Err() != nil {
			return nil, errors.New("kube-proxy has ended")
		}
		return dial(dialCtx, network, address)
	})
	context.AfterFunc(ctx, dialer.CloseAll)
	c.Dial = dialer.DialContext
	c.UserAgent = "kube-proxy"
	return kubernetes.NewForConfig(c)
}

// followTopology tells the proxier of this node's zone. Upstream's node manager, which does
// that as well, ends the process when the node's addresses change.
func (p *Proxy) followTopology(ctx context.Context, client kubernetes.Interface, proxier upstream.Provider) {
	factory := informers.NewSharedInformerFactoryWithOptions(client, resync, informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		o.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, p.options.NodeName).String()
	}))
	topology := config.NewNodeTopologyConfig(ctx, factory.Core().V1().Nodes(), resync)
	topology.RegisterEventHandler(proxier)
	factory.Start(ctx.Done())
}

func (p *Proxy) proxier(ctx context.Context, recorder events.EventRecorder) (proxyconfigapi.ProxyMode, upstream.Provider, error) {
	mode := p.options.Mode
	if mode != IPTables {
		proxier, err := p.nftables(ctx, recorder)
		if err == nil {
			iptables.CleanupLeftovers(ctx)
			return proxyconfigapi.ProxyModeNFTables, proxier, nil
		}
		if mode == NFTables {
			return "", nil, fmt.Errorf("nftables cannot be used: %w", err)
		}
		p.options.Log.Info("nftables cannot be used; iptables is", "reason", err)
	}
	proxier, err := p.iptables(ctx, recorder)
	if err != nil {
		return "", nil, fmt.Errorf("iptables cannot be used: %w; apt-get install nftables", err)
	}
	nftables.CleanupLeftovers(ctx)
	return proxyconfigapi.ProxyModeIPTables, proxier, nil
}

// configuration is all that kube-proxy is told in a mode.
func (p *Proxy) configuration(mode proxyconfigapi.ProxyMode) *proxyconfigapi.KubeProxyConfiguration {
	c := &proxyconfigapi.KubeProxyConfiguration{
		Mode:             mode,
		HostnameOverride: p.options.NodeName,
		IPTables:         proxyconfigapi.KubeProxyIPTablesConfiguration{MasqueradeBit: new(int32(masqueradeBit)), LocalhostNodePorts: new(false)},
		NFTables:         proxyconfigapi.KubeProxyNFTablesConfiguration{MasqueradeBit: new(int32(masqueradeBit))},
		// The node's address only: no other interface is asked for.
		NodePortAddresses: []string{p.options.NodeIP.String() + "/32"},
		SyncPeriod:        metav1.Duration{Duration: syncPeriod},
		MinSyncPeriod:     metav1.Duration{Duration: minSyncPeriod},
		ConfigSyncPeriod:  metav1.Duration{Duration: resync},
	}
	for _, cidr := range p.options.PodCIDRs {
		if cidr.Addr().Is4() {
			c.DetectLocalMode, c.DetectLocal.ClusterCIDRs = proxyconfigapi.LocalModeClusterCIDR, []string{cidr.String()}
			break
		}
	}
	return c
}

func (p *Proxy) nftables(ctx context.Context, recorder events.EventRecorder) (upstream.Provider, error) {
	c := p.configuration(proxyconfigapi.ProxyModeNFTables)
	return nftables.NewProxier(ctx, corev1.IPv4Protocol, c.SyncPeriod.Duration, c.MinSyncPeriod.Duration, c.Linux.MasqueradeAll, int(*c.NFTables.MasqueradeBit),
		detector(c), c.HostnameOverride, p.options.NodeIP.AsSlice(), recorder, nil, c.NodePortAddresses, false)
}

func (p *Proxy) iptables(ctx context.Context, recorder events.EventRecorder) (upstream.Provider, error) {
	ipt := utiliptables.New(utiliptables.ProtocolIPv4)
	if err := ipt.Present(); err != nil {
		return nil, err
	}
	c := p.configuration(proxyconfigapi.ProxyModeIPTables)
	return iptables.NewProxier(ctx, corev1.IPv4Protocol, ipt, utilsysctl.New(), c.SyncPeriod.Duration, c.MinSyncPeriod.Duration,
		c.Linux.MasqueradeAll, *c.IPTables.LocalhostNodePorts, int(*c.IPTables.MasqueradeBit),
		detector(c), c.HostnameOverride, p.options.NodeIP.AsSlice(), recorder, nil, c.NodePortAddresses, false)
}

// detector tells whose packets are this node's own pods'.
func detector(c *proxyconfigapi.KubeProxyConfiguration) proxyutil.LocalTrafficDetector {
	for _, cidr := range c.DetectLocal.ClusterCIDRs {
		return proxyutil.NewDetectLocalByCIDR(cidr)
	}
	return proxyutil.NewNoOpLocalDetector()
}
