package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/tabernetes/tabernetes/core/accept"
	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/localaddr"
	"github.com/tabernetes/tabernetes/nodehost/share"
)

// APIForwarderOptions of the way from pods to the API server.
type APIForwarderOptions struct {
	// Client reads the endpoints of the `kubernetes` Service.
	Client *rest.Config
	// Dial opens a stream to the API server: through the tunnel.
	Dial func(context.Context) (net.Conn, error)
	// Pods are the node's pod CIDRs: who is in them may come in, and who is on this machine.
	Pods []netip.Prefix
	// Local says who may come in, in place of Pods.
	Local func(context.Context, netip.Addr) bool
	Log   *slog.Logger
}

const (
	// perCaller is far above what a client needs: they speak HTTP/2 on one or two connections.
	perCaller = 32
	perNode   = 256
)

// APIForwarder listens on this node where the `kubernetes` Service leads, and hands connections to the
// tunnel. It cannot read them: TLS ends in the tab.
type APIForwarder struct {
	options APIForwarderOptions
	client  kubernetes.Interface
	ready   chan struct{}
	shares  share.Shares
	// complaints are a few a minute.
	complaints rate.Sometimes

	mu        sync.Mutex
	listeners map[netip.AddrPort]net.Listener
}

// NewAPIForwarder checks the options; nothing listens before Run.
func NewAPIForwarder(o APIForwarderOptions) (*APIForwarder, error) {
	if o.Client == nil || o.Dial == nil {
		return nil, errors.New("the way from pods to the API server: a client and a way to dial are needed")
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Local == nil {
		o.Local = func(_ context.Context, caller netip.Addr) bool { return localaddr.Local(caller, o.Pods) }
	}
	client, err := kubernetes.NewForConfig(o.Client)
	if err != nil {
		return nil, fmt.Errorf("the way from pods to the API server: %w", err)
	}
	return &APIForwarder{
		options: o, client: client, ready: make(chan struct{}), listeners: map[netip.AddrPort]net.Listener{},
		shares: share.Shares{PerCaller: perCaller, All: perNode}, complaints: rate.Sometimes{First: 5, Interval: 10 * time.Second},
	}, nil
}

// Ready is closed when pods can reach the API server.
func (f *APIForwarder) Ready() <-chan struct{} { return f.ready }

// Run follows the Service's endpoints until ctx is done. Addresses stay on the interface then:
// a pod that asks is refused at once.
func (f *APIForwarder) Run(ctx context.Context) error {
	factory := informers.NewSharedInformerFactoryWithOptions(f.client, resync,
		informers.WithNamespace(metav1.NamespaceDefault),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = discoveryv1.LabelServiceName + "=kubernetes" }))
	slices := factory.Discovery().V1().EndpointSlices()
	changed := make(chan struct{}, 1)
	poke := func(any) {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	_, err := slices.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: poke, DeleteFunc: poke, UpdateFunc: func(_, n any) { poke(n) }})
	if err != nil {
		return fmt.Errorf("the way from pods to the API server: %w", err)
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	defer f.listen(ctx, nil)
	for ready := false; ; {
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
		all, err := slices.Lister().List(labels.Everything())
		if err != nil {
			continue
		}
		if f.listen(ctx, endpoints(all)) && !ready {
			ready = true
			close(f.ready)
		}
	}
}

// endpoints are where the slices lead.
func endpoints(slices []*discoveryv1.EndpointSlice) map[netip.AddrPort]bool {
	found := map[netip.AddrPort]bool{}
	for _, s := range slices {
		for _, e := range s.Endpoints {
			for _, a := range e.Addresses {
				addr, err := netip.ParseAddr(a)
				for _, p := range s.Ports {
					if err == nil && p.Port != nil {
						found[netip.AddrPortFrom(addr, uint16(*p.Port))] = true
					}
				}
			}
		}
	}
	return found
}

// listen makes the listeners be these, and tells whether there is one.
func (f *APIForwarder) listen(ctx context.Context, want map[netip.AddrPort]bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for at, l := range maps.Clone(f.listeners) {
		if !want[at] {
			_ = l.Close()
			delete(f.listeners, at)
		}
	}
	for at := range want {
		if f.listeners[at] != nil {
			continue
		}
		err := localaddr.Ensure(at.Addr())
		var l net.Listener
		if err == nil {
			l, err = new(net.ListenConfig).Listen(ctx, "tcp", at.String())
		}
		if err != nil {
			f.options.Log.Error("pods do not reach the API server by the kubernetes Service", "at", at, "error", err)
			continue
		}
		f.options.Log.Info("pods reach the API server", "at", at)
		f.listeners[at] = l
		go f.serve(ctx, l)
	}
	return len(f.listeners) > 0
}

// serve accepts until the listener closes. No other error ends it: there would be no listener at an
// address that the machine's pods ask.
func (f *APIForwarder) serve(ctx context.Context, l net.Listener) {
	for {
		in, err := accept.Next(ctx, l, func(err error, pause time.Duration) {
			f.complain("pods' connections to the API server cannot be accepted", "error", err, "again in", pause)
		})
		if err != nil {
			return
		}
		f.admit(ctx, in)
	}
}

// admit serves a connection if its caller has a share left. Who the caller is may take a moment to find
// out, and is found out on his own share.
func (f *APIForwarder) admit(ctx context.Context, in net.Conn) {
	from, _ := netip.ParseAddrPort(in.RemoteAddr().String())
	caller := from.Addr().Unmap()
	give, why := f.shares.Take(caller)
	if give == nil {
		f.complain("a connection to the API server is refused", "from", caller, "reason", why)
		_ = in.Close()
		return
	}
	go func() {
		defer give()
		defer in.Close()
		if !f.options.Local(ctx, caller) {
			f.complain("refused: only this node's pods come in here", "from", caller)
			return
		}
		f.handle(ctx, caller, in)
	}()
}

func (f *APIForwarder) handle(ctx context.Context, caller netip.Addr, in net.Conn) {
	out, err := f.options.Dial(ctx)
	if err != nil {
		f.complain("a pod does not reach the API server", "from", caller, "error", err)
		return
	}
	end := context.AfterFunc(ctx, func() { _, _ = in.Close(), out.Close() })
	defer end()
	_ = tunnel.Splice(in, out)
}

// complain logs what callers cause: now and then, as they can cause it as often as they like.
func (f *APIForwarder) complain(what string, args ...any) {
	f.complaints.Do(func() { f.options.Log.Warn(what, args...) })
}
