package attach

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync/atomic"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/access"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// Cluster is what can be attached; *cluster.Cluster of core/cluster is one. Each method may wait for
// the cluster to start.
type Cluster interface {
	// Serve hands a connection to the apiserver, which speaks TLS on it and closes it.
	Serve(ctx context.Context, conn net.Conn)
	// ServePod joins a real node's stream to the in-tab pod that it asks for, and closes it.
	ServePod(ctx context.Context, stream net.Conn)
	// ServeVisit joins a browser's stream to the Service that a target names, and closes it.
	ServeVisit(ctx context.Context, target string, stream net.Conn)
	// Owner is a client configuration with all rights.
	Owner(ctx context.Context) (*rest.Config, error)
	// ServeRealNodes lets machines that joined be nodes until ctx is done; open opens a stream at the
	// hub, and fails while there is none.
	ServeRealNodes(ctx context.Context, open func(tunnel.Header) (net.Conn, error)) error
	// LeadOutside has the control plane reach what its owner has named outside by streams of the hub, until end is
	// called. It does not wait.
	LeadOutside(open func(tunnel.Header) (net.Conn, error)) (end func())
}

// Options of New.
type Options struct {
	// Dial makes a wire to the hub, or fails when ctx is done.
	Dial func(ctx context.Context) (net.Conn, error)
	// Hello is who the cluster is at the hub.
	Hello tunnel.Hello
	// Agree is access.Server's: it asks the owner.
	Agree func(ctx context.Context, user, code string) error
	// Visits has the hub lead browsers to Services: for one on this machine only.
	Visits bool
	// OnState is told of every change of the tunnel, from one goroutine; it must not block. May be nil.
	OnState func(tunnel.State)
	// Log may be nil.
	Log *slog.Logger
}

// Attachment is one cluster on one hub.
type Attachment struct {
	cluster Cluster
	client  *tunnel.Client
}

// New puts the cluster's side of the tunnel together; nothing is dialled yet.
func New(c Cluster, o Options) *Attachment {
	var name atomic.Value // string: what the hub calls the cluster
	name.Store(o.Hello.Name)
	server := &access.Server{
		ServeAPI: c.Serve, ServePod: c.ServePod, Owner: c.Owner, Agree: o.Agree,
		// Made here, and not taken from the hub: any name that it makes would do for its own ends.
		ServerName: func() string { return tunnel.ServerName(name.Load().(string)) },
	}
	if o.Visits {
		server.ServeVisit = c.ServeVisit
	}
	options := server.Options()
	options.Log = o.Log
	onState := func(s tunnel.State) {
		if s.Up {
			name.Store(s.Welcome.Name)
		}
		if o.OnState != nil {
			o.OnState(s)
		}
	}
	return &Attachment{c, &tunnel.Client{Dial: o.Dial, Hello: o.Hello, Options: options, OnState: onState}}
}

// Run keeps the cluster on the hub until ctx is done. It returns a *tunnel.Refusal if the hub has
// refused for good, and what ServeRealNodes failed with.
func (a *Attachment) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer a.cluster.LeadOutside(a.client.Open)()
	nodes := make(chan error, 1)
	go func() {
		defer cancel()
		nodes <- a.cluster.ServeRealNodes(ctx, a.client.Open)
	}()
	err := a.client.Run(ctx)
	cancel()
	if err != nil {
		err = fmt.Errorf("the tunnel to the hub: %w", err)
	}
	return errors.Join(err, <-nodes)
}

// Nudge says that the network may have changed: tunnel.Client's.
func (a *Attachment) Nudge() { a.client.Nudge() }
