package overlay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/vishvananda/netlink"

	"github.com/tabernetes/tabernetes/core/confine"
	"github.com/tabernetes/tabernetes/nodehost/localaddr"
	"github.com/tabernetes/tabernetes/nodehost/overlay/ways"
)

// again is when what failed is tried again; full is when everything is looked at without cause.
const (
	again = 2 * time.Second
	full  = time.Minute
)

// Overlay is this node's part of the network between nodes.
type Overlay struct {
	options  Options
	self     ways.Peer
	underlay int // index of the interface that has the node's address
	ready    chan struct{}
	ways     []ways.Way        // as last told
	told     map[saying]string // what was last said to be wrong
	retry    bool              // the kernel has not taken all
	admitted guard
}

// New finds the interface of the node's address; nothing is changed before Run.
func New(o Options) (*Overlay, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	cidr, _ := ways.FirstIPv4(o.PodCIDRs)
	v := &Overlay{options: o, ready: make(chan struct{}), told: map[saying]string{}, self: ways.Peer{
		Name: o.NodeName, PodCIDR: cidr,
		Endpoint: ways.Endpoint{IP: o.NodeIP, Mode: o.Mode, MAC: ways.MAC(o.NodeName).String(), Port: o.Port},
	}}
	if err := v.findUnderlay(); err != nil {
		return nil, err
	}
	if seen := o.Seen.Unmap(); seen.IsValid() && !localaddr.Local(seen, nil) {
		v.self.NAT = seen
	}
	return v, nil
}

func (o *Overlay) findUnderlay() error {
	addrs, err := netlink.AddrList(nil, netlink.FAMILY_V4)
	if err != nil {
		return fmt.Errorf("overlay: list addresses: %w", err)
	}
	for _, a := range addrs {
		p, ok := prefixOf(a.IPNet)
		if !ok || p.Addr() != o.self.IP {
			continue
		}
		l, err := netlink.LinkByIndex(a.LinkIndex)
		if err != nil {
			return fmt.Errorf("overlay: find the interface that has %s: %w", p.Addr(), err)
		}
		o.self.Subnet, o.self.MTU, o.underlay = p.Masked(), l.Attrs().MTU, a.LinkIndex
		return nil
	}
	return fmt.Errorf("overlay: the node's address %s is on no interface of this machine; is it behind NAT? Give the address that it has itself", o.self.IP)
}

// PodMTU is what the interfaces of this node's pods should have, in bytes.
func (o *Overlay) PodMTU() int { return ways.PodMTU(o.self.Endpoint) }

// Ready is closed when the node has announced itself and the ways to all nodes then known exist.
func (o *Overlay) Ready() <-chan struct{} { return o.ready }

// Run follows the Node objects until ctx is done. While the API server is away, everything
// stays as it was; nothing is removed before the Nodes were read once.
func (o *Overlay) Run(ctx context.Context) error {
	if err := o.prepare(ctx); err != nil {
		return fmt.Errorf("overlay: %w", err)
	}
	changed := make(chan struct{}, 1)
	poke := func(any) {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	factory := informers.NewSharedInformerFactory(o.options.Client, 0)
	nodes := factory.Core().V1().Nodes()
	handler, err := nodes.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: poke, DeleteFunc: poke, UpdateFunc: func(_, n any) { poke(n) },
	})
	if err != nil {
		return fmt.Errorf("overlay: %w", err)
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	links := make(chan netlink.LinkUpdate, 16)
	if err := netlink.LinkSubscribe(links, ctx.Done()); err != nil {
		return fmt.Errorf("overlay: follow the interfaces: %w", err)
	}
	if !cache.WaitForCacheSync(ctx.Done(), handler.HasSynced) {
		return nil
	}
	o.loop(ctx, nodes.Lister(), changed, links)
	return nil
}

func (o *Overlay) loop(ctx context.Context, nodes corelisters.NodeLister, changed <-chan struct{}, links <-chan netlink.LinkUpdate) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	ready := false
	for {
		select {
		case <-changed:
		case <-timer.C:
		case l, ok := <-links:
			// The kernel drops routes through an interface that goes down.
			if !ok || l.Link.Attrs().Index != o.underlay && l.Link.Attrs().Name != Interface && l.Link.Attrs().Name != o.options.Rest {
				continue
			}
		case <-ctx.Done():
			return
		}
		err := o.sync(ctx, nodes)
		switch {
		case err == nil && !ready:
			ready = true
			close(o.ready)
			timer.Reset(again)
		case err == nil && o.retry:
			timer.Reset(again)
		case err == nil:
			timer.Reset(full)
		default:
			if ctx.Err() == nil {
				o.options.Log.Warn("the network between nodes is not as it should be", "error", err, "again in", again)
			}
			timer.Reset(again)
		}
	}
}

// sync looks at all nodes and makes what is missing.
func (o *Overlay) sync(ctx context.Context, nodes corelisters.NodeLister) error {
	all, err := nodes.List(labels.Everything())
	if err != nil {
		return err
	}
	if err := o.findUnderlay(); err != nil { // it may have another MTU by now
		return err
	}
	found := ways.Of(o.self, all, confine.Plan{Cluster: o.options.ClusterCIDRs, MaskSize: o.options.MaskSize})
	o.hear(all, found.Refused)
	if found.Own == nil {
		return fmt.Errorf("there is no Node %s yet", o.options.NodeName)
	}
	failed, err := o.apply(ctx, found.Ways)
	if err := errors.Join(o.announce(ctx, found.Own), err); err != nil {
		return err
	}
	for _, w := range found.Ways {
		o.tell(w.Name, noWay, failed[w.Name])
	}
	o.retry = len(failed) > 0
	if !reflect.DeepEqual(found.Ways, o.ways) {
		o.ways = found.Ways
		for _, w := range found.Ways {
			o.options.Log.Info("way to the pods of another node", "node", w.Name, "pods", w.PodCIDR, "by", w.Path, "reason", w.Reason, "mtu", w.MTU)
		}
		o.options.Changed(o.self, slices.Clone(found.Ways))
	}
	return nil
}

// saying is a node, and what is said of it.
type saying struct{ node, what string }

const (
	notCounted = "what a node says of itself does not count"
	noWay      = "there is no way to a node yet"
)

// hear tells which Nodes do not count, and forgets those that are gone.
func (o *Overlay) hear(all []*corev1.Node, refused map[string]error) {
	there := map[string]bool{}
	for _, n := range all {
		there[n.Name] = true
		o.tell(n.Name, notCounted, refused[n.Name])
	}
	maps.DeleteFunc(o.told, func(said saying, _ string) bool { return !there[said.node] })
}

// tell logs what is wrong with a node, once.
func (o *Overlay) tell(node, what string, err error) {
	text, said := "", saying{node, what}
	if err != nil {
		text = err.Error()
	}
	if o.told[said] == text {
		return
	}
	o.told[said] = text
	if text != "" {
		o.options.Log.Warn(what, "node", node, "error", text)
	}
}

// apply makes the kernel have what the ways need, and says of which nodes it did not take that. Where
// none needs VXLAN there is no interface for it: nothing listens then, and kernels without it will do.
func (o *Overlay) apply(ctx context.Context, to []ways.Way) (failed map[string]error, err error) {
	device := 0
	if err := o.admit(ctx, to); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(to, func(w ways.Way) bool { return w.Path == ways.PathVXLAN }) {
		if device, err = ensureVXLAN(o.self, o.underlay); err != nil {
			return nil, err
		}
	}
	plan := ways.NewPlan(o.self, to, o.options.ClusterCIDRs, device, o.underlay)
	if l, err := netlink.LinkByName(o.options.Rest); err == nil && l.Attrs().Flags&net.FlagUp != 0 {
		plan.Rest(o.options.ClusterCIDRs, l.Attrs().Index)
	}
	failed, err = reconcile(plan, device)
	if err != nil {
		return failed, err
	}
	if device == 0 {
		return failed, removeVXLAN()
	}
	return failed, nil
}
