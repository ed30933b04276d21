package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"syscall"
	"time"

	"github.com/tabernetes/tabernetes/core/group"
	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/controlplane"
	"github.com/tabernetes/tabernetes/nodehost/crowd"
	"github.com/tabernetes/tabernetes/nodehost/hub"
	"github.com/tabernetes/tabernetes/nodehost/outside"
	"github.com/tabernetes/tabernetes/nodehost/pairing"
	"github.com/tabernetes/tabernetes/nodehost/site"
)

// Options of `nodehost serve`; the fields are its flags.
type Options struct {
	State           pairing.State
	Listen, Clients string
	// ClusterPorts is "FIRST-LAST", "0" for free ones, or empty for none.
	ClusterPorts string
	// TLS is what the page and the hub are served with; TLSCert and TLSKey are files of the user's own.
	TLS             TLSMode
	TLSCert, TLSKey string
	Site            []string
	Hosts           []string
	Origins         []string
	// Outside are the addresses (HOST:PORT) to which clusters' API servers are led, of webhooks and issuers that are
	// not in the cluster; none by default.
	Outside []string

	// ControlPlane is empty or "native".
	ControlPlane string
	Name         string
	Nodes        int
	// RefuseImages has images that its in-tab nodes do not have fail to pull.
	RefuseImages bool
	// DataDir is where the native cluster is kept, and goes on from. Empty: it is gone when it ends.
	DataDir string
	// ConfigDir has the native cluster's configuration (core/configuration), which SIGHUP has it read again.
	ConfigDir string
	// StoreSync says when what is written is on disk.
	StoreSync string
	// Etcd has the native cluster use a real etcd.
	Etcd       controlplane.Etcd
	Kubeconfig string
	Grant      bool
	// Program is this program's file, to be run again for the control plane.
	Program string

	// ShowSecret prints the pairing secret, as a part of the page's address. Where standard output is kept
	// (a journal, a CI system), others may read it.
	ShowSecret bool
	// Out gets what programs and people wait for: the page's address, and one line "ready".
	Out io.Writer
	Log *slog.Logger
}

// shutdownPatience is how long requests of the page may take to end.
const shutdownPatience = 2 * time.Second

// Run serves until ctx is done.
func Run(ctx context.Context, o Options) error {
	if o.ControlPlane != "" && o.ControlPlane != "native" {
		return fmt.Errorf("--control-plane is %q; only \"native\" is known", o.ControlPlane)
	}
	if o.ControlPlane == "" && (o.DataDir != "" || len(o.Etcd.Servers) > 0) {
		return errors.New("--data-dir and --etcd-servers are for the native cluster: add --control-plane=native")
	}
	if o.DataDir == "" && len(o.Etcd.Servers) > 0 {
		return errors.New("--etcd-servers keeps the objects of the cluster; its keys have to be kept as well: add --data-dir")
	}
	addresses, err := outside.Resolve(ctx, o.Outside, func(ctx context.Context, host string) ([]netip.Addr, error) {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	})
	if err != nil {
		return fmt.Errorf("--outside: %w", err)
	}
	secret, err := o.State.Make()
	if err != nil {
		return err
	}
	page, err := o.listen("--listen", o.Listen)
	if err != nil {
		return err
	}
	defer page.Close()
	cert, err := o.certificate(page.Addr())
	if err != nil {
		return err
	}
	clients, err := o.listen("--clients", o.Clients)
	if err != nil {
		return err
	}
	defer clients.Close()
	ports, err := parsePorts(o.ClusterPorts)
	if err != nil {
		return err
	}
	h, err := hub.New(hub.Options{
		Secret: secret, Hosts: o.Hosts, Origins: o.Origins, CertHash: pin(cert),
		Site: site.New(o.Site), ClientListener: clients, Ports: ports.open(host(o.Clients)), Log: o.Log,
		Visits: cert == nil && page.Addr().(*net.TCPAddr).IP.IsLoopback(), Outside: addresses,
	})
	if err != nil {
		return err
	}
	h.AllowAddress(page.Addr())
	socket, err := listenSocket(o.State.Socket())
	if err != nil {
		return err
	}
	defer socket.Close()

	url := scheme(cert) + pageHost(page.Addr())
	if err := o.State.Announce(pairing.Address{Page: url, PID: os.Getpid(), CertHash: pin(cert)}); err != nil {
		return err
	}
	defer o.State.Withdraw()
	fmt.Fprintf(o.Out, "%sclients https://%s\n", o.pageLines(url, secret), clients.Addr())

	if hash := pin(cert); hash != "" {
		fmt.Fprintf(o.Out, "hash    %s\n", hash)
	}
	page = bounded(page) // what TLS says is bounded, too
	if cert != nil {
		page = tls.NewListener(page, cert.Config())
	}

	ctx, g := group.New(ctx)
	defer g.End(nil)
	start := g.Go
	start("page", func() error {
		return serveHTTP(ctx, &http.Server{
			Handler: h, ConnContext: crowd.ConnContext,
			ErrorLog: slog.NewLogLogger(tunnel.Sparing(o.Log).Handler(), slog.LevelDebug),
		}, page)
	})
	start("socket", func() error {
		return serveHTTP(ctx, &http.Server{Handler: h, ConnContext: hub.Socket}, socket)
	})
	start("hub", func() error { return h.Run(ctx) })
	if o.ControlPlane == "native" {
		start("control plane", func() error { return o.runControlPlane(ctx) })
	} else {
		fmt.Fprintln(o.Out, "ready")
	}
	<-ctx.Done()
	return g.Wait()
}

// pageLines say where the page is.
func (o *Options) pageLines(url, secret string) string {
	if o.ShowSecret {
		return fmt.Sprintf("page    %s/#hub=%s\n", url, secret)
	}
	return fmt.Sprintf("page    %s/\nsecret  in %s: put it behind the page's address as #hub=SECRET, or start with --print-secret\n", url, o.State.SecretFile())
}

// How many connections to the page and the hub there may be that have shown neither the pairing secret
// nor that a cluster knows them, of one source and of all, and how long one may take nothing.
const (
	strangersPerSource = 256
	maxStrangers       = 2048
	writePatience      = time.Minute
)

func bounded(ln net.Listener) net.Listener {
	return &crowd.Listener{
		Listener: ln, Patience: writePatience,
		Crowd: &crowd.Crowd{PerSource: strangersPerSource, All: maxStrangers},
	}
}

// bounds are what one connection may take before it has said what it wants. There are no others: tunnels
// and questions to owners last.
type bounds struct {
	header, idle time.Duration // for a request's header, and between two requests
	bytes        int           // of a header
}

var everyServers = bounds{header: 10 * time.Second, idle: 2 * time.Minute, bytes: 64 << 10}

func (b bounds) set(s *http.Server) {
	s.ReadHeaderTimeout, s.IdleTimeout, s.MaxHeaderBytes = b.header, b.idle, b.bytes
}

// serveHTTP serves until ctx is done.
func serveHTTP(ctx context.Context, s *http.Server, ln net.Listener) error {
	everyServers.set(s)
	done := make(chan error, 1)
	go func() { done <- s.Serve(ln) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.Background(), shutdownPatience)
	defer cancel()
	if err := s.Shutdown(stopping); err != nil {
		_ = s.Close()
	}
	return nil
}

func (o *Options) listen(flag, address string) (net.Listener, error) {
	ln, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s: %s is taken; choose another address", flag, address)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	if !ln.Addr().(*net.TCPAddr).IP.IsLoopback() {
		o.Log.Warn("this address can be reached from other machines", "flag", flag, "address", ln.Addr())
	}
	return ln, nil
}

// listenSocket takes over a socket that an earlier run left behind, and no other's.
func listenSocket(path string) (net.Listener, error) {
	if conn, err := net.Dial("unix", path); err == nil {
		_ = conn.Close()
		return nil, fmt.Errorf("a hub is running already (%s); stop it, or give this one another --state", path)
	}
	_ = os.Remove(path)
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen on the hub's socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("listen on the hub's socket: %w", err), ln.Close())
	}
	return ln, nil
}

func host(address string) string {
	h, _, err := net.SplitHostPort(address)
	if err != nil {
		return "127.0.0.1"
	}
	return h
}

// pageHost is how a browser on this machine names the address.
func pageHost(addr net.Addr) string {
	a := addr.(*net.TCPAddr)
	if a.IP.IsLoopback() || a.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", a.Port)
	}
	return a.String()
}
