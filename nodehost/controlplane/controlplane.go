package controlplane

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/coder/websocket"

	"github.com/tabernetes/tabernetes/core/attach"
	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/group"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// Options of a native control plane.
type Options struct {
	// Dir is the data directory (nodehost/datadir): keys, the secret towards the hub, node files, and the
	// store if Store is set.
	Dir string
	// Store has the cluster's own store kept there, StoreSync (SyncPolicies) how.
	Store     bool
	StoreSync string
	// Etcd takes the place of the store if it has servers.
	Etcd Etcd
	// Nodes is how many in-tab nodes start with it.
	Nodes int
	// Socket is the path of the hub's unix socket, Secret the hub's pairing secret.
	Socket, Secret string
	// Name is what the cluster is called at the hub.
	Name string
	// Grant gives access to everyone who has the pairing secret: there is no page to ask.
	Grant bool
	// Kubeconfig is where the owner's kubeconfig is written when the cluster is ready; it leads
	// through the hub. Empty writes none.
	Kubeconfig string
	// Trace is a file that what the cluster does is written to, a line of JSON for each step. Empty
	// writes none, and nothing is traced.
	Trace string
	// ConfigDir is where the cluster's configuration is read (core/configuration): when it starts, and upon ReadAgain.
	// Empty goes on with what was kept in Dir.
	ConfigDir string
	ReadAgain <-chan os.Signal
	// Ready is called when all has started.
	Ready func(tunnel.Welcome)
	Log   *slog.Logger
	// Cluster is what else the cluster is made with.
	Cluster cluster.Options
}

// Run runs the cluster until ctx is done.
func Run(ctx context.Context, o Options) error {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return fmt.Errorf("make the cluster's directory: %w", err)
	}
	co := o.Cluster
	co.Dir, co.Nodes = filepath.Join(o.Dir, "cluster"), o.Nodes
	o.Etcd.configure(&co)
	var err error
	if co.Store, err = o.store(); err != nil {
		return err
	}
	co.AuditLog = filepath.Join(o.Dir, "audit", "audit.log")
	if o.ConfigDir != "" {
		if co.Configuration, err = configuration.Read(o.ConfigDir); err != nil {
			return err
		}
	}
	co.ServerNames = []string{tunnel.AnyServerName}
	co.Boot = func(p cluster.Progress) {
		o.Log.Info("start", "step", string(p.Step), "state", string(p.State), "detail", p.Detail)
	}
	if o.Trace != "" {
		co.Trace = trace.New()
	}
	config, err := co.Complete()
	if err != nil {
		return err
	}
	c, err := config.New()
	if err != nil {
		return err
	}
	if err := o.Etcd.route(c); err != nil {
		return err
	}
	ctx, g := group.New(ctx)
	defer g.End(nil)
	if o.Trace != "" {
		g.Go("the trace's file", func() error { return writeTrace(ctx, co.Trace, o.Trace) })
	}
	g.Go("read the configuration again", func() error { return o.readAgain(ctx, c) })
	up := make(chan tunnel.Welcome, 1)
	a, err := o.attach(c, up)
	if err != nil {
		return err
	}
	g.Go("the cluster's place at the hub", func() error { return a.Run(ctx) })
	g.Go("tell that all has started", func() error { return o.whenReady(ctx, c, up) })
	err = o.explain(c.Run(ctx))
	g.End(err)
	if failed := g.Wait(); err == nil {
		err = failed
	}
	return err
}

// attach has the cluster on the hub; up gets the welcomes.
func (o *Options) attach(c *cluster.Cluster, up chan<- tunnel.Welcome) (*attach.Attachment, error) {
	own, err := instance(o.Dir)
	if err != nil {
		return nil, err
	}
	return attach.New(c, attach.Options{
		Dial:  dialSocket(o.Socket),
		Hello: tunnel.Hello{Name: o.Name, Instance: own, Secret: o.Secret},
		Agree: o.agree, Visits: true, // its hub is at a socket of this machine's
		OnState: func(s tunnel.State) {
			if !s.Up {
				o.Log.Warn("no tunnel to the hub", "error", s.Err)
				return
			}
			select {
			case up <- s.Welcome:
			default:
			}
		},
		Log: o.Log,
	}), nil
}

// agree decides for an owner who is not there to be asked.
func (o *Options) agree(_ context.Context, user, code string) error {
	if !o.Grant {
		return errors.New("this cluster runs without a page and was not started with --grant; its owner's kubeconfig was written when it started")
	}
	o.Log.Info("access is given", "user", user, "code", code)
	return nil
}

// dialSocket makes WebSockets on the hub's unix socket.
func dialSocket(path string) func(context.Context) (net.Conn, error) {
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		},
	}}
	return func(ctx context.Context) (net.Conn, error) {
		ws, _, err := websocket.Dial(ctx, "ws://hub/hub/v1/tunnel", &websocket.DialOptions{HTTPClient: client})
		if err != nil {
			return nil, err
		}
		return websocket.NetConn(context.Background(), ws, websocket.MessageBinary), nil
	}
}

// whenReady writes the owner's kubeconfig and says so.
func (o *Options) whenReady(ctx context.Context, c *cluster.Cluster, up <-chan tunnel.Welcome) error {
	var w tunnel.Welcome
	select {
	case w = <-up:
	case <-ctx.Done():
		return nil
	}
	select {
	case <-c.Ready():
	case <-ctx.Done():
		return nil
	}
	if o.Kubeconfig != "" {
		if err := c.WriteAdmin(o.Kubeconfig, w.Name, "https://"+w.Addresses[0], w.ServerName); err != nil {
			return err
		}
	}
	o.Ready(w)
	return nil
}
