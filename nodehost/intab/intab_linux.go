package intab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/time/rate"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/waiter"

	"github.com/tabernetes/tabernetes/core/nodedial"
	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/share"
)

// idle is how long nothing has to be heard of a connection until its client is asked whether it is still
// there: a pod that was killed with its network says no goodbye.
const idle = time.Minute

// Way is this machine's way to in-tab pods.
type Way struct {
	options    Options
	ready      chan struct{}
	shares     share.Shares
	complaints rate.Sometimes
}

// New checks the options; there is no interface before Run.
func New(o Options) (*Way, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return &Way{
		options: o, ready: make(chan struct{}), shares: share.Shares{PerCaller: perCaller, All: perNode},
		complaints: rate.Sometimes{First: 5, Interval: 10 * time.Second},
	}, nil
}

// Ready is closed when there is a way, or when it is known that this machine can have none.
func (w *Way) Ready() <-chan struct{} { return w.ready }

// Run leads connections to in-tab pods until ctx is done. A machine that cannot have a TUN interface has
// no way there, is told so in the log, and works otherwise.
func (w *Way) Run(ctx context.Context) error {
	tun, err := openTUN(w.options.MTU)
	if err != nil {
		w.options.Log.Warn("pods of this machine do not reach pods of in-tab nodes", "error", err)
		close(w.ready)
		<-ctx.Done()
		return nil
	}
	return w.serve(ctx, tun)
}

// serve leads what comes from an interface until ctx is done, and closes it.
func (w *Way) serve(ctx context.Context, tun *os.File) error {
	// What is being connected ends with Run, too.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var running sync.WaitGroup
	s, wire, err := newStack(w.options.MTU, func(r *tcp.ForwarderRequest) { running.Go(func() { w.forward(ctx, r) }) })
	if err != nil {
		return errors.Join(err, tun.Close())
	}
	running.Go(func() { toKernel(ctx, wire, tun) })
	end := context.AfterFunc(ctx, func() { _ = tun.Close() })
	defer end()
	close(w.ready)
	err = fromKernel(tun, wire)
	ended := ctx.Err() != nil
	cancel()
	s.Destroy()
	running.Wait()
	if err == nil && !ended {
		err = fmt.Errorf("the interface %s has gone", Interface)
	}
	if ended {
		return nil
	}
	return errors.Join(err, tun.Close())
}

// forward joins a connection that somebody opens to the pod that is meant.
func (w *Way) forward(ctx context.Context, r *tcp.ForwarderRequest) {
	id := r.ID()
	source, pod := addrPort(id.RemoteAddress, id.RemotePort), addrPort(id.LocalAddress, id.LocalPort)
	give, why := w.shares.Take(source.Addr())
	if give == nil {
		w.complain("a connection to an in-tab pod is refused", "from", source.Addr(), "to", pod, "reason", why)
		r.Complete(true)
		return
	}
	defer give()
	out, err := w.options.Dial(ctx, source.Addr(), pod)
	if err != nil {
		w.complain("an in-tab pod is not reached", "from", source.Addr(), "to", pod, "error", err)
		r.Complete(!errors.Is(err, nodedial.ErrDropped)) // with a reset, or with nothing
		return
	}
	var events waiter.Queue
	end, failed := r.CreateEndpoint(&events)
	r.Complete(false)
	if failed != nil {
		_ = out.Close() // who asked has gone
		return
	}
	end.SocketOptions().SetKeepAlive(true)
	quiet := tcpip.KeepaliveIdleOption(idle)
	_ = end.SetSockOpt(&quiet) // a stack without keeps its own two hours
	in := gonet.NewTCPConn(&events, end)
	done := context.AfterFunc(ctx, func() { _, _ = in.Close(), out.Close() })
	defer done()
	_ = tunnel.Splice(in, out)
}

// complain logs what pods cause: now and then, as they can cause it as often as they like.
func (w *Way) complain(what string, args ...any) {
	w.complaints.Do(func() { w.options.Log.Warn(what, args...) })
}
