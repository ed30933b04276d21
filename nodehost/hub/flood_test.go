package hub

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// attacker is another machine's address, which every Linux machine has.
const attacker = "127.0.0.2"

// dialFrom dials as somebody at an address.
func dialFrom(address string) func(context.Context, string, string) (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return d.DialContext
}

// nodeFrom attaches a machine that says it is a node.
func (r *rig) nodeFrom(address, cluster, instance string) (*tunnel.Session, tunnel.Welcome, error) {
	client := &http.Client{Transport: &http.Transport{DialContext: dialFrom(address)}}
	ws, _, err := websocket.Dial(context.Background(), "ws://"+r.page+"/hub/v1/node", &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		return nil, tunnel.Welcome{}, err
	}
	wire := websocket.NetConn(context.Background(), ws, websocket.MessageBinary)
	s, w, err := tunnel.Dial(context.Background(), wire, tunnel.Hello{Name: cluster, Instance: instance}, tunnel.Options{})
	if err == nil {
		r.t.Cleanup(func() { _ = s.Close() })
		go func() { _ = s.Serve(context.Background()) }()
	}
	return s, w, err
}

// knows has a cluster tell the hub of its nodes, and waits until the hub knows them.
func (b *backend) knows(t *testing.T, r *rig, cluster string, routes ...string) {
	t.Helper()
	stream, err := b.Open(tunnel.Header{Kind: tunnel.KindRoutes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stream.Close() })
	if err := tunnel.WriteRoutes(stream, routes); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "the hub knows the nodes", func() bool {
		for _, route := range routes {
			if !r.nodes.knows(cluster, route) {
				return false
			}
		}
		return true
	})
}

// answers has another machine's client ask the cluster, on a connection of its own.
func answers(t *testing.T, b *backend, r *rig, w tunnel.Welcome) {
	t.Helper()
	client := b.client(r.clients, w.ServerName)
	defer client.CloseIdleConnections()
	client.Timeout = longEnough
	if got, _, err := fetch(t, client, "https://hub/"); err != nil || got != "this is "+b.name {
		t.Errorf("a client of another machine: %q, %v", got, err)
	}
}

// Streams of a machine that no cluster knows, clients that say nothing and those that stop in their
// handshake take none of what others need.
func TestFloodsOfStreams(t *testing.T) {
	hello := clientHello(t)
	for name, flood := range map[string]func(*rig) int{
		"streams of machines that are no nodes": func(r *rig) (held int) {
			for i := range 3 {
				s, _, err := r.nodeFrom(attacker, "alpha", fmt.Sprintf("attacker%024d", i))
				if err != nil {
					r.t.Fatal(err)
				}
				for range tunnel.DefaultMaxStreams {
					if _, err := s.Open(tunnel.Header{Kind: tunnel.KindAPI}); err != nil {
						break
					}
					held++
				}
			}
			return held
		},
		"half a handshake":    func(r *rig) int { return r.dials(1200, hello) },
		"nothing":             func(r *rig) int { return r.dials(1200, nil) },
		"a handshake":         func(r *rig) int { return r.dialsTLS(900) },
		"a name nobody has":   func(r *rig) int { return r.dials(1200, clientHelloOf(r.t, "nobody.tabernetes.internal")) },
		"one byte of a hello": func(r *rig) int { return r.dials(1200, hello[:1]) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			a := r.attachCluster("alpha", instanceA)
			w := a.welcome(t)
			node := r.attachNode("alpha", instanceOf("n"))
			route := node.welcome(t).Route
			a.knows(t, r, "alpha", route)
			t.Logf("%d are held", flood(r))
			answers(t, a, r, w)
			if got, err := echoSoon(a, route+" "+allowed); err != nil || got != "hello" {
				t.Errorf("the cluster's dial to its node: %q, %v", got, err)
			}
			client := &http.Client{Timeout: longEnough, Transport: &http.Transport{
				TLSClientConfig: &tls.Config{RootCAs: a.ca, ServerName: "127.0.0.1"},
				DialContext: func(context.Context, string, string) (net.Conn, error) {
					return node.Open(tunnel.Header{Kind: tunnel.KindAPI})
				},
			}}
			defer client.CloseIdleConnections()
			if got, _, err := fetch(t, client, "https://127.0.0.1/"); err != nil || got != "this is alpha" {
				t.Errorf("the node: %q, %v", got, err)
			}
			if n := r.unfinished.Len(); n > unfinishedPerSource+8 {
				t.Errorf("%d handshakes are open", n)
			}
			if n := r.Clusters()[0].Streams; n > clusterStreams {
				t.Errorf("%d streams are open", n)
			}
		})
	}
}

// dials opens connections of the attacker that say first and no more.
func (r *rig) dials(n int, first []byte) int {
	for range n {
		c, err := dialFrom(attacker)(context.Background(), "tcp", r.clients)
		if err != nil {
			r.t.Fatal(err)
		}
		r.t.Cleanup(func() { c.Close() })
		_, _ = c.Write(first)
	}
	return n
}

// dialsTLS opens connections of the attacker that finish their handshake, and says how many stay.
func (r *rig) dialsTLS(n int) (held int) {
	for range n {
		c, err := dialFrom(attacker)(context.Background(), "tcp", r.clients)
		if err != nil {
			r.t.Fatal(err)
		}
		r.t.Cleanup(func() { c.Close() })
		conn := tls.Client(c, &tls.Config{InsecureSkipVerify: true, ServerName: tunnel.ServerName("alpha")}) //nolint:gosec // it does not care
		if conn.Handshake() == nil {
			held++
		}
	}
	return held
}

// Machines that say that they are nodes leave room for those that are, of the same address, too.
func TestFloodsOfNodes(t *testing.T) {
	r := newRig(t, nil)
	a := r.attachCluster("alpha", instanceA)
	w := a.welcome(t)
	early := r.attachNode("alpha", instanceOf("e"))
	route := early.welcome(t).Route
	a.knows(t, r, "alpha", route, routeOf(instanceOf("l")))
	session := early.Session()
	stranger := r.attachNode("alpha", instanceOf("s")) // of 127.0.0.1, not known yet: it joins
	stranger.welcome(t)
	joining := stranger.Session()
	for i := range 2 * helloBurst {
		if _, _, err := r.nodeFrom(attacker, "alpha", fmt.Sprintf("attacker%024d", i)); err != nil {
			if _, refused := errors.AsType[*tunnel.Refusal](err); !refused {
				t.Fatal(err)
			}
		}
	}
	if n := r.nodes.unknown.Len(); n > unknownPerSource+1 {
		t.Errorf("%d machines are attached that no cluster knows", n)
	}
	for name, s := range map[string]*tunnel.Session{"a node": session, "a machine that joins": joining} {
		select {
		case <-s.Done():
			t.Errorf("%s was thrown out", name)
		default:
		}
	}
	// A known one comes back, from the address of the flood.
	if _, late, err := r.nodeFrom(attacker, "alpha", instanceOf("l")); err != nil || late.Route != routeOf(instanceOf("l")) {
		t.Errorf("a node from the same address: %+v, %v", late, err)
	}
	if got, err := echoSoon(a, route+" "+allowed); err != nil || got != "hello" {
		t.Errorf("the cluster's dial to its node: %q, %v", got, err)
	}
	answers(t, a, r, w)
	// Who is known no more is one of the others again.
	stream, err := a.Open(tunnel.Header{Kind: tunnel.KindRoutes})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if err := tunnel.WriteRoutes(stream, nil); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "the node is unknown", func() bool { return !r.nodes.knows("alpha", route) })
}

// Shares: one source gets half, the next half of the rest, and the cluster's own nodes what is kept
// for them.
func TestShares(t *testing.T) {
	var s shares
	take := func(source string, known bool) (n int) {
		for {
			if _, err := s.take(source, known); err != nil {
				return n
			}
			n++
		}
	}
	free := clusterStreams - nodeReserve
	if got := take("a", false); got != free/2 {
		t.Errorf("the first has %d of %d", got, free)
	}
	if got := take("b", false); got != free/4 {
		t.Errorf("the second has %d of %d", got, free)
	}
	for i := range 1000 {
		take(fmt.Sprint(i), false)
	}
	if take("late", false) != 0 || s.used != free {
		t.Errorf("all strangers have %d of %d", s.used, free)
	}
	if got := take("node", true); got != nodeReserve/2 {
		t.Errorf("a node has %d of %d", got, nodeReserve)
	}
	give, err := s.take("node 2", true)
	if err != nil {
		t.Fatal(err)
	}
	before := s.used
	give()
	give()
	if s.used != before-1 || s.bySource["node 2"] != 0 {
		t.Errorf("%d are used after one of %d was given back", s.used, before)
	}
}

// A page elsewhere can make a browser ask without the secret: that locks nobody out, and does not
// fill the log.
func TestRequestsThatAreRefused(t *testing.T) {
	r := newRig(t, nil)
	long := strings.Repeat("x", 8<<10)
	for i := range 2000 {
		path, host := "/hub/v1/clusters", r.page
		if i%2 == 0 {
			path, host = "/hub/"+long, long
		}
		req, err := http.NewRequest(http.MethodGet, "http://"+r.page+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	// A hello that cannot be true is not repeated in the log.
	_, _, err := r.nodeFrom("127.0.0.1", "<script>"+long[:3000], instanceOf("n"))
	if err == nil {
		t.Error("a node with such a name is taken")
	}
	log := string(r.log.bytes())
	if len(log) > 100<<10 || strings.Contains(log, "<script>") || strings.Contains(log, long[:1000]) {
		t.Errorf("the log has %d bytes: %.1000s", len(log), log)
	}
	req, err := http.NewRequest(http.MethodGet, "http://"+r.page+"/hub/v1/clusters", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+secret)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("the owner is answered %s", res.Status)
	}
}

// Many requests on one connection cost their sender nothing: beyond a rate the connection ends, and
// whoever shows the secret is answered still.
func TestRequestsWithoutEnd(t *testing.T) {
	r := newRig(t, nil)
	mine := r.limits.of("127.0.0.1:1").requests
	mine.SetLimit(0)
	mine.SetBurst(3)
	conn, err := net.Dial("tcp", r.page)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(longEnough))
	go func() {
		for range 1000 {
			if _, err := fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", r.page); err != nil {
				return
			}
		}
	}()
	got, _ := io.ReadAll(conn) // its end may be a reset
	if n := strings.Count(string(got), "200 OK"); n > 3 {
		t.Errorf("%d requests were answered", n)
	}
	if got, _, err := fetch(t, http.DefaultClient, "http://"+r.page+"/hub/v1/clusters", "Authorization", "Bearer "+secret); err != nil || strings.Contains(got, "too many") {
		t.Errorf("the owner: %q, %v", got, err)
	}
	res, err := http.Get("http://" + r.page + "/")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("somebody else of that address is answered %s", res.Status)
	}
}
