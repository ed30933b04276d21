package hub

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

const (
	secret     = "a pairing secret of the test"
	longEnough = 30 * time.Second // for what must come, on a busy machine
)

// rig is a hub on loopback, with everything that it logs and that passes it on record.
type rig struct {
	*Hub
	t       testing.TB
	page    string // "127.0.0.1:port"
	clients string
	log     *record
	traffic *record
	stop    func()
}

// record is a concurrent bytes.Buffer.
type record struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(p)
}

func (r *record) bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.b.Bytes())
}

// tapped is a listener whose connections are recorded in both directions.
type tapped struct {
	net.Listener
	into *record
}

// tap records what passes in tests; benchmarks would drown in it.
func tap(t testing.TB, ln net.Listener, into *record) net.Listener {
	if _, bench := t.(*testing.B); bench {
		return ln
	}
	return tapped{ln, into}
}

func (l tapped) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return tappedConn{c, l.into}, err
}

type tappedConn struct {
	net.Conn
	into *record
}

func (c tappedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.into.Write(p[:n])
	return n, err
}

func (c tappedConn) Write(p []byte) (int, error) {
	c.into.Write(p)
	return c.Conn.Write(p)
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

func newRig(t testing.TB, change func(*Options)) *rig {
	t.Helper()
	r := &rig{t: t, log: &record{}, traffic: &record{}}
	return startRig(t, r, listen(t), listen(t), change)
}

// startRig starts a hub on two listeners; r has the records.
func startRig(t testing.TB, r *rig, clients, page net.Listener, change func(*Options)) *rig {
	t.Helper()
	o := Options{
		Secret: secret, ClientListener: tap(t, clients, r.traffic),
		Log:  slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Site: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("the page")) }),
	}
	if change != nil {
		change(&o)
	}
	var err error
	if r.Hub, err = New(o); err != nil {
		t.Fatal(err)
	}
	r.page, r.clients = page.Addr().String(), clients.Addr().String()
	r.AllowAddress(page.Addr())
	ctx, cancel := context.WithCancel(context.Background())
	server := &http.Server{Handler: r.Hub}
	go server.Serve(tap(t, page, r.traffic))
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		server.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(r.stop)
	return r
}

// dial makes a WebSocket to the hub, as a page of that origin would; empty is no page.
func (r *rig) dial(ctx context.Context, origin string) (net.Conn, error) {
	header := http.Header{}
	if origin != "" {
		header.Set("Origin", origin)
	}
	ws, _, err := websocket.Dial(ctx, "ws://"+r.page+"/hub/v1/tunnel", &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		return nil, err
	}
	return websocket.NetConn(context.Background(), ws, websocket.MessageBinary), nil
}

// backend is a cluster: a TLS server that answers every request with its name.
type backend struct {
	*tunnel.Client
	name string
	ca   *x509.CertPool
	key  []byte // DER
	up   chan tunnel.Welcome
	stop func()
}

func (r *rig) attachCluster(name, instance string) *backend {
	r.t.Helper()
	b := &backend{name: name, up: make(chan tunnel.Welcome, 64)}
	cert := b.certificate(r.t)
	in := &queue{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/hang" {
			w.(http.Flusher).Flush()
			<-req.Context().Done()
			return
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(req.URL.Path, "/bytes/")); err == nil {
			chunk := make([]byte, 64<<10)
			for ; n > 0; n -= len(chunk) {
				w.Write(chunk[:min(n, len(chunk))])
			}
			return
		}
		w.Header().Set("X-Client", req.RemoteAddr)
		w.Write([]byte("this is " + b.name))
	})}
	go server.Serve(tls.NewListener(in, &tls.Config{Certificates: []tls.Certificate{cert}}))
	b.Client = &tunnel.Client{
		Dial:  func(ctx context.Context) (net.Conn, error) { return r.dial(ctx, "http://"+r.page) },
		Hello: tunnel.Hello{Name: name, Instance: instance, Secret: secret},
		Options: tunnel.Options{
			Authorise: func(tunnel.Header) error { return nil },
			Handle: func(ctx context.Context, h tunnel.Header, conn net.Conn) {
				if h.Kind == tunnel.KindCall {
					tunnel.ServeCall(ctx, conn, func(_ context.Context, q json.RawMessage) (any, error) {
						return map[string]string{"asked": string(q)}, nil
					})
					return
				}
				if h.Kind == tunnel.KindVisit {
					serveVisit(h.Target, conn)
					return
				}
				in.conns <- conn
			},
		},
		OnState: func(s tunnel.State) {
			if s.Up {
				b.up <- s.Welcome
			}
		},
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.Run(ctx)
	}()
	b.stop = sync.OnceFunc(func() {
		cancel()
		<-ended
		server.Close()
	})
	r.t.Cleanup(b.stop)
	return b
}

func (b *backend) welcome(t testing.TB) tunnel.Welcome {
	t.Helper()
	select {
	case w := <-b.up:
		return w
	case <-time.After(longEnough):
		t.Fatalf("%s is not attached", b.name)
		return tunnel.Welcome{}
	}
}

func (b *backend) certificate(t testing.TB) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: b.name},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		DNSNames: []string{"*." + tunnel.Domain}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	if b.key, err = x509.MarshalPKCS8PrivateKey(key); err != nil {
		t.Fatal(err)
	}
	b.ca = x509.NewCertPool()
	b.ca.AddCert(cert)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// client reaches the backend at an address with a server name, HTTP/2 and all.
func (b *backend) client(address, serverName string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		ForceAttemptHTTP2: true,
		TLSClientConfig:   &tls.Config{RootCAs: b.ca, ServerName: serverName},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", address)
		},
	}}
}

// queue is a listener of connections that come otherwise.
type queue struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (q *queue) Accept() (net.Conn, error) {
	select {
	case c := <-q.conns:
		return c, nil
	case <-q.done:
		return nil, net.ErrClosed
	}
}
func (q *queue) Close() error   { q.once.Do(func() { close(q.done) }); return nil }
func (q *queue) Addr() net.Addr { return &net.TCPAddr{} }
