package uplink

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/tabernetes/tabernetes/core/nodedial"
	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/hubtls"
)

// Options of a Link.
type Options struct {
	// Hub is the hub's URL, http or https.
	Hub string
	// CertHash is the pin of the hub's certificate (nodehost/hubtls); empty trusts what the system trusts.
	CertHash string
	// Cluster is its name at the hub; empty is the only one.
	Cluster string
	// Instance is the node's secret towards the hub, from which its route is made: at least 22 letters
	// and digits. The same after every start.
	Instance string
	// Allow gives the address to dial for one that the cluster asks for ("host:port"), or refuses.
	Allow func(address string) (dial string, err error)
	// Steps tells the cluster what the node does, on a connection that it closes. Nil tells nothing.
	Steps func(ctx context.Context, to net.Conn)
	// Identity is the node's, by which the cluster knows whom it dials. The zero value takes no dials.
	Identity nodedial.Identity
	// OnState is told of every change; it must not block. May be nil.
	OnState func(tunnel.State)
	// OnAnswer is told of each connection of Forward whether anybody answered on it: the hub may be
	// there while the cluster is not. May be nil.
	OnAnswer func(bool)
	Log      *slog.Logger
}

// Link is a node's tunnel to its hub.
type Link struct {
	client   *tunnel.Client
	onAnswer func(bool)
	hold     time.Duration
	log      *slog.Logger

	mu      sync.Mutex
	state   tunnel.State
	changed chan struct{} // closed, and made anew, at every change of state
}

// New checks the options.
func New(o Options) (*Link, error) {
	u, err := url.Parse(o.Hub)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the hub's address %q is not an http or https URL", o.Hub)
	}
	target := "ws" + strings.TrimPrefix(u.Scheme, "http") + "://" + u.Host + "/hub/v1/node"
	client, err := hubtls.HTTP(o.Hub, o.CertHash)
	if err != nil {
		return nil, err
	}
	l := &Link{changed: make(chan struct{}), onAnswer: o.OnAnswer, hold: holdTime, log: o.Log}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	l.log = tunnel.Sparing(l.log)
	if l.onAnswer == nil {
		l.onAnswer = func(bool) {}
	}
	l.client = &tunnel.Client{
		Dial: func(ctx context.Context) (net.Conn, error) {
			ws, _, err := websocket.Dial(ctx, target, &websocket.DialOptions{HTTPClient: client})
			if err != nil {
				return nil, err
			}
			return websocket.NetConn(context.Background(), ws, websocket.MessageBinary), nil
		},
		Hello: tunnel.Hello{Name: o.Cluster, Instance: o.Instance},
		Options: tunnel.Options{
			Log:       o.Log,
			Authorise: authorise,
			Handle:    o.serve,
		},
		OnState: func(s tunnel.State) {
			l.mu.Lock()
			l.state = s
			close(l.changed)
			l.changed = make(chan struct{})
			l.mu.Unlock()
			if o.OnState != nil {
				o.OnState(s)
			}
		},
	}
	return l, nil
}

// authorise takes dials that prove in what follows that they are the cluster's. The hub opens the
// stream, so that an address in the header would be the hub's word.
func authorise(h tunnel.Header) error {
	if h.Kind != tunnel.KindDial {
		return fmt.Errorf("a node takes no streams of kind %d", h.Kind)
	}
	if h.Target != nodedial.Target {
		return errors.New("this node is dialled by its cluster only, which proves that it is; if the cluster is older than the node, update the hub and reload the page")
	}
	return nil
}

// serve joins a stream of the cluster to the address that it asks for, if that is allowed.
func (o *Options) serve(ctx context.Context, _ tunnel.Header, stream net.Conn) {
	defer stream.Close()
	if o.Identity.Certificate == nil || o.Identity.CA == nil {
		return // a node that leaves
	}
	from, to, err := nodedial.Accept(ctx, stream, o.Identity, func(dialling context.Context, address string) (net.Conn, error) {
		if address == nodedial.Steps && o.Steps != nil {
			near, far := net.Pipe()
			go o.Steps(ctx, far)
			return near, nil
		}
		allowed, err := o.Allow(address)
		if err != nil {
			return nil, err
		}
		return new(net.Dialer).DialContext(dialling, "tcp", allowed)
	})
	if err != nil {
		o.Log.Info("a dial through the hub is not served", "error", err)
		return
	}
	_ = tunnel.Splice(from, to)
}

// Run keeps the tunnel up until ctx is done, or the hub has refused for good.
func (l *Link) Run(ctx context.Context) error { return l.client.Run(ctx) }

// Up waits for a tunnel and returns the hub's welcome; if ctx ends first, why there is none.
func (l *Link) Up(ctx context.Context) (tunnel.Welcome, error) {
	for {
		l.mu.Lock()
		state, changed := l.state, l.changed
		l.mu.Unlock()
		if state.Up {
			return state.Welcome, nil
		}
		if _, refused := errors.AsType[*tunnel.Refusal](state.Err); refused {
			return tunnel.Welcome{}, state.Err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return tunnel.Welcome{}, errors.Join(state.Err, context.Cause(ctx))
		}
	}
}

// Dial opens a connection to the cluster's apiserver; it fails while there is no tunnel.
func (l *Link) Dial() (net.Conn, error) {
	return l.client.Open(tunnel.Header{Kind: tunnel.KindAPI})
}
