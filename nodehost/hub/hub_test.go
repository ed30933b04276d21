package hub

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

const (
	instanceA = "AAAAAAAAAAAAAAAAAAAAAAAA"
	instanceB = "BBBBBBBBBBBBBBBBBBBBBBBB"
)

func fetch(t *testing.T, c *http.Client, url string, header ...string) (string, http.Header, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := c.Do(req)
	if err != nil {
		return "", nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return string(body), res.Header, err
}

func TestClustersByServerName(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.Ports = func(string) (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
	})
	a, b := r.attachCluster("alpha", instanceA), r.attachCluster("beta", instanceB)
	wa, wb := a.welcome(t), b.welcome(t)
	for _, c := range []struct {
		b *backend
		w tunnel.Welcome
	}{{a, wa}, {b, wb}} {
		got, header, err := fetch(t, c.b.client(c.w.Addresses[0], c.w.ServerName), "https://hub/")
		if err != nil || got != "this is "+c.b.name {
			t.Errorf("by server name: %q, %v", got, err)
		}
		if from, _, err := net.SplitHostPort(header.Get("X-Client")); err != nil || from != "127.0.0.1" {
			t.Errorf("the cluster sees the client as %q", header.Get("X-Client"))
		}
		got, _, err = fetch(t, c.b.client(c.w.Addresses[1], ""), "https://127.0.0.1/")
		if err != nil || got != "this is "+c.b.name {
			t.Errorf("by its own port: %q, %v", got, err)
		}
	}
	// Two clusters: without a server name nobody is meant; and nobody gets a stranger's name.
	for _, name := range []string{"127.0.0.1", "gamma." + tunnel.Domain, "alpha." + tunnel.Domain + ".example.org"} {
		if got, _, err := fetch(t, a.client(r.clients, name), "https://hub/"); err == nil {
			t.Errorf("%s led to %q", name, got)
		}
	}
	if got := r.Clusters(); len(got) != 2 || got[0].Name != "alpha" || !got[1].Attached {
		t.Errorf("clusters: %+v", got)
	}
}

func TestOneClusterNeedsNoName(t *testing.T) {
	r := newRig(t, nil)
	a := r.attachCluster("", instanceA)
	a.name = "nameless"
	if w := a.welcome(t); w.Name != "tab" {
		t.Errorf("the hub calls it %q", w.Name)
	}
	if got, _, err := fetch(t, a.client(r.clients, "127.0.0.1"), "https://127.0.0.1/"); err != nil || got != "this is nameless" {
		t.Errorf("%q, %v", got, err)
	}
}

// What passes the hub has neither plaintext nor a key in it; nor has its log, nor the secret.
func TestTheHubSeesNothing(t *testing.T) {
	r := newRig(t, nil)
	a := r.attachCluster("alpha", instanceA)
	w := a.welcome(t)
	marker := "Bearer plain-text-that-nobody-may-see"
	got, _, err := fetch(t, a.client(r.clients, w.ServerName), "https://hub/path-that-nobody-may-see", "Authorization", marker)
	if err != nil || got != "this is alpha" {
		t.Fatalf("%q, %v", got, err)
	}
	traffic := r.traffic.bytes()
	if !bytes.Contains(traffic, []byte(w.ServerName)) {
		t.Fatal("the record lacks even the server name: nothing was recorded")
	}
	for what, b := range map[string][]byte{
		"a header":             []byte("plain-text-that-nobody-may-see"),
		"a path":               []byte("path-that-nobody-may-see"),
		"an answer":            []byte("this is alpha"),
		"the key":              a.key,
		"the key's last bytes": a.key[len(a.key)-24:],
		"the key, PEM":         []byte("PRIVATE KEY"),
		"the key, base64":      []byte(base64.StdEncoding.EncodeToString(a.key)[:40]),
	} {
		if bytes.Contains(traffic, b) {
			t.Errorf("the traffic holds %s", what)
		}
	}
	// A wrong secret that was tried is not logged either.
	wire, err := r.dial(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	tunnel.Dial(t.Context(), wire, tunnel.Hello{Instance: instanceB, Secret: "wrong-secret-of-somebody"}, tunnel.Options{})
	fetch(t, http.DefaultClient, "http://"+r.page+"/hub/v1/clusters", "Authorization", "Bearer wrong-secret-of-somebody")
	log := string(r.log.bytes())
	for _, s := range []string{secret, "wrong-secret-of-somebody", instanceA, "nobody-may-see"} {
		if strings.Contains(log, s) {
			t.Errorf("the log holds %q:\n%s", s, log)
		}
	}
}

func TestForeignPages(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Origins = []string{"https://tabernetes.example"} })
	for _, origin := range []string{
		"https://evil.example", "http://localhost:1", "null", "http://" + r.page + ".evil.example",
		"https://tabernetes.example.evil.example", "file://",
	} {
		if wire, err := r.dial(t.Context(), origin); err == nil {
			wire.Close()
			t.Errorf("a page of %s may attach", origin)
		}
	}
	for _, origin := range []string{"", "http://" + r.page, "https://tabernetes.example"} {
		wire, err := r.dial(t.Context(), origin)
		if err != nil {
			t.Errorf("%q: %v", origin, err)
			continue
		}
		wire.Close()
	}
	// A name of somebody else's that resolves to this machine.
	for _, path := range []string{"/hub/v1/tunnel", "/hub/v1/clusters", "/hub/v1/access"} {
		req, _ := http.NewRequest(http.MethodGet, "http://"+r.page+path, nil)
		req.Host = "rebound.example"
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusForbidden {
			t.Errorf("%s for a foreign host: %s", path, res.Status)
		}
	}
	if got, _, err := fetch(t, http.DefaultClient, "http://"+r.page+"/"); err != nil || got != "the page" {
		t.Errorf("the page: %q, %v", got, err)
	}
}

func TestTheSecret(t *testing.T) {
	r := newRig(t, nil)
	try := func(given string) int {
		req, _ := http.NewRequest(http.MethodGet, "http://"+r.page+"/hub/v1/clusters", nil)
		if given != "" {
			req.Header.Set("Authorization", "Bearer "+given)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	if got := try(secret); got != http.StatusOK {
		t.Errorf("the right secret: %d", got)
	}
	for _, s := range []string{"", secret[:len(secret)-1], secret + "x"} {
		if got := try(s); got != http.StatusUnauthorized {
			t.Errorf("%q: %d", s, got)
		}
	}
	wire, err := r.dial(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = tunnel.Dial(t.Context(), wire, tunnel.Hello{Instance: instanceA, Secret: "guess"}, tunnel.Options{})
	if refusal, ok := errors.AsType[*tunnel.Refusal](err); !ok || !refusal.Final {
		t.Errorf("a tunnel with a wrong secret: %v", err)
	}
	for range failureBurst {
		try("guess")
	}
	if got := try("guess"); got != http.StatusTooManyRequests {
		t.Errorf("guess after guess: %d", got)
	}
	if _, err := New(Options{Secret: "short"}); err == nil {
		t.Error("a short secret is taken")
	}
}

func TestNamesAreKept(t *testing.T) {
	r := newRig(t, nil)
	a := r.attachCluster("alpha", instanceA)
	w := a.welcome(t)
	// Another cluster cannot take the name, be the first attached or away.
	for range 2 {
		wire, err := r.dial(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = tunnel.Dial(t.Context(), wire, tunnel.Hello{Name: "alpha", Instance: instanceB, Secret: secret}, tunnel.Options{})
		if refusal, ok := errors.AsType[*tunnel.Refusal](err); !ok || !strings.Contains(refusal.Reason, "alpha") {
			t.Errorf("a second alpha: %v", err)
		}
		a.stop()
	}
	// The same one comes back while a client waits.
	answer := make(chan error, 1)
	again := r.attachCluster("alpha", instanceA)
	go func() {
		got, _, err := fetch(t, again.client(r.clients, w.ServerName), "https://hub/")
		for errors.Is(err, io.EOF) { // the hub had not noticed yet that the first one is gone
			got, _, err = fetch(t, again.client(r.clients, w.ServerName), "https://hub/")
		}
		if err == nil && got != "this is alpha" {
			err = fmt.Errorf("it says %q", got)
		}
		answer <- err
	}()
	if err := <-answer; err != nil {
		t.Error(err)
	}
}

// A tab that was duplicated has the instance of the first. The newer one has the place, the older one is
// told so for good: they do not take it from each other for ever.
func TestAClusterThatIsOpenedTwice(t *testing.T) {
	r := newRig(t, nil)
	open := func() (states chan tunnel.State, ended chan error) {
		states, ended = make(chan tunnel.State, 64), make(chan error, 1)
		c := &tunnel.Client{
			Dial:    func(ctx context.Context) (net.Conn, error) { return r.dial(ctx, "") },
			Hello:   tunnel.Hello{Name: "alpha", Instance: instanceA, Secret: secret},
			OnState: func(s tunnel.State) { states <- s },
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { ended <- c.Run(ctx) }()
		t.Cleanup(cancel)
		return states, ended
	}
	firsts, first := open()
	if s := <-firsts; !s.Up {
		t.Fatal(s.Err)
	}
	seconds, second := open()
	if s := <-seconds; !s.Up {
		t.Fatal(s.Err)
	}
	select {
	case err := <-first:
		if refused, ok := errors.AsType[*tunnel.Refusal](err); !ok || !refused.Final || !strings.Contains(refused.Reason, "opened once more") {
			t.Errorf("the first one: %v", err)
		}
	case <-time.After(longEnough):
		t.Error("the first one goes on")
	}
	// The second one stays through all of that, and comes back after its wire was lost.
	if len(seconds) != 0 || len(second) != 0 {
		t.Errorf("the second one lost its place: %+v", <-seconds)
	}
	r.Hub.clusters.mu.Lock()
	session := r.Hub.clusters.byName["alpha"].session
	r.Hub.clusters.mu.Unlock()
	_ = session.Close()
	for s := range seconds {
		if s.Up {
			break
		}
	}
	// A page that is opened anew takes the place, as a reload does.
	thirds, _ := open()
	if s := <-thirds; !s.Up {
		t.Error(s.Err)
	}
}

// A tab whose wire died without a sign comes back before the hub has noticed.
func TestANewWireTakesTheOldOnesPlace(t *testing.T) {
	r := newRig(t, nil)
	silent, err := r.dial(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	old, _, err := tunnel.Dial(t.Context(), silent, tunnel.Hello{Name: "alpha", Instance: instanceA, Secret: secret}, tunnel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := r.attachCluster("alpha", instanceA)
	w := a.welcome(t)
	select {
	case <-old.Done():
	case <-time.After(longEnough):
		t.Error("the old tunnel is still there")
	}
	if got, _, err := fetch(t, a.client(r.clients, w.ServerName), "https://hub/"); err != nil || got != "this is alpha" {
		t.Errorf("%q, %v", got, err)
	}
}

// Clients that go in the middle leave nothing behind.
func TestClientsThatVanish(t *testing.T) {
	r := newRig(t, nil)
	a := r.attachCluster("alpha", instanceA)
	w := a.welcome(t)
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://hub/hang", nil)
		res, err := a.client(r.clients, w.ServerName).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		res.Body.Close()
	}
	for deadline := time.Now().Add(longEnough); ; time.Sleep(10 * time.Millisecond) {
		if n := r.Clusters()[0].Streams; n == 0 {
			return
		} else if time.Now().After(deadline) {
			t.Fatalf("%d streams are left", n)
		}
	}
}

// A hub that is stopped does not wait for clients that do not hang up: the rig's end does not
// come otherwise.
func TestClientsThatStay(t *testing.T) {
	var silent, busy net.Conn
	t.Cleanup(func() { silent.Close(); busy.Close() }) // after the rig's
	r := newRig(t, nil)
	a := r.attachCluster("alpha", instanceA)
	w := a.welcome(t)
	var err error
	if silent, err = net.Dial("tcp", r.clients); err != nil {
		t.Fatal(err)
	}
	if busy, err = tls.Dial("tcp", r.clients, &tls.Config{RootCAs: a.ca, ServerName: w.ServerName}); err != nil {
		t.Fatal(err)
	}
}

// When the tunnel goes, clients are told at once, and not by an orderly end.
func TestALostTunnelEndsItsClients(t *testing.T) {
	r := newRig(t, nil)
	a := r.attachCluster("alpha", instanceA)
	w := a.welcome(t)
	conn, err := tls.Dial("tcp", r.clients, &tls.Config{RootCAs: a.ca, ServerName: w.ServerName})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	a.Session().Close()
	conn.SetReadDeadline(time.Now().Add(longEnough))
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the client reads on: %v", err)
	}
}

func TestNoiseOnTheClientsPort(t *testing.T) {
	r := newRig(t, nil)
	a := r.attachCluster("alpha", instanceA)
	w := a.welcome(t)
	for _, noise := range []string{
		"", "GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\xff\xff" + strings.Repeat("x", 70_000),
		"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00", strings.Repeat("\x00", 100),
	} {
		conn, err := net.Dial("tcp", r.clients)
		if err != nil {
			t.Fatal(err)
		}
		conn.Write([]byte(noise))
		conn.(*net.TCPConn).CloseWrite()
		conn.SetReadDeadline(time.Now().Add(longEnough))
		if got, err := io.ReadAll(conn); len(got) > 7 || err != nil && errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%.20q was answered with %.40q, %v", noise, got, err)
		}
		conn.Close()
	}
	if got, _, err := fetch(t, a.client(r.clients, w.ServerName), "https://hub/"); err != nil || got != "this is alpha" {
		t.Errorf("afterwards: %q, %v", got, err)
	}
}

func TestAsk(t *testing.T) {
	r := newRig(t, nil)
	r.attachCluster("alpha", instanceA).welcome(t)
	post := func(body, token string) (int, string) {
		req, _ := http.NewRequest(http.MethodPost, "http://"+r.page+"/hub/v1/access", strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(text)
	}
	if code, text := post(`{"question":{"user":"u"}}`, secret); code != 200 || !strings.Contains(text, `{\"user\":\"u\"}`) || !strings.Contains(text, tunnel.ServerName("alpha")) {
		t.Errorf("%d %s", code, text)
	}
	if code, _ := post(`{"question":{}}`, "wrong"); code != http.StatusUnauthorized {
		t.Errorf("without the secret: %d", code)
	}
	if code, _ := post(`not JSON`, secret); code != http.StatusBadRequest {
		t.Errorf("not JSON: %d", code)
	}
	if code, _ := post(`{"question":"`+strings.Repeat("x", tunnel.MaxMessage)+`"}`, secret); code != http.StatusBadRequest {
		t.Errorf("too long: %d", code)
	}
	// Of several one has to be named, and who may ask is told which there are.
	r.attachCluster("beta", instanceB).welcome(t)
	for body, want := range map[string]string{
		`{"question":{}}`:                   "clusters of several tabs are attached (alpha, beta): say which one, by --cluster NAME",
		`{"cluster":"gamma","question":{}}`: `no cluster is called "gamma"; attached: alpha, beta`,
	} {
		if code, text := post(body, secret); code != http.StatusNotFound || strings.TrimSpace(text) != want {
			t.Errorf("%s: %d %s", body, code, text)
		}
	}
	if code, text := post(`{"question":{}}`, "wrong"); code != http.StatusUnauthorized || strings.Contains(text, "alpha") {
		t.Errorf("without the secret: %d %s", code, text)
	}
}

// A plain GET is told so, and a WebSocket that says nothing is not waited for for ever.
func TestNoTunnel(t *testing.T) {
	r := newRig(t, nil)
	res, err := http.Get("http://" + r.page + "/hub/v1/tunnel")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("a plain GET: %s", res.Status)
	}
	ws, _, err := websocket.Dial(t.Context(), "ws://"+r.page+"/hub/v1/tunnel", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	if err := ws.Write(t.Context(), websocket.MessageText, []byte("hello?")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ws.Read(t.Context()); err == nil {
		t.Error("text is answered")
	}
}

func FuzzServerName(f *testing.F) {
	f.Add([]byte("\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00"))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		client, server := net.Pipe()
		go func() {
			client.Write(raw)
			client.Close()
		}()
		_, again, err := peekServerName(server)
		if err == nil {
			got, _ := io.ReadAll(again)
			if !bytes.HasPrefix(raw, got) {
				t.Errorf("% x became % x", raw, got)
			}
		}
		server.Close()
	})
}
