package main

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/pairing"
)

// flooded is a hub, and somebody at another address who floods it until ctx is done.
type flooded struct {
	ctx           context.Context
	page, clients string // "host:port"
	dial          func(context.Context, string, string) (net.Conn, error)
}

// TestFloods has kubectl and client-go ask the cluster while somebody at another address floods the hub.
func TestFloods(t *testing.T) {
	if outside.state == "" {
		t.Skip("the hub of TABERNETES_KUBECONFIG is not ours to flood")
	}
	at, err := pairing.State{Dir: outside.state}.Find()
	if err != nil {
		t.Fatal(err)
	}
	page, err := url.Parse(at.Page)
	if err != nil {
		t.Fatal(err)
	}
	config := clientConfig(t)
	before := resident(t, at.PID)
	for name, flood := range map[string]func(*flooded){
		"pings":            (*flooded).pings,
		"streams":          (*flooded).streams,
		"half handshakes":  (*flooded).handshakes,
		"silent clients":   func(f *flooded) { f.hold(f.clients, "") },
		"node slots":       (*flooded).slots,
		"slow readers":     func(f *flooded) { f.hold(f.page, strings.Repeat("GET /x HTTP/1.1\r\nHost: x\r\n\r\n", 2000)) },
		"endless headers":  func(f *flooded) { f.hold(f.page, "GET / HTTP/1.1\r\nX: ") },
		"refused requests": (*flooded).refused,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			f := &flooded{
				ctx: ctx, page: "127.0.0.1:" + page.Port(), clients: strings.TrimPrefix(config.Host, "https://"),
				dial: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}).DialContext,
			}
			var floods sync.WaitGroup
			for range 2 {
				floods.Go(func() {
					for ctx.Err() == nil {
						flood(f)
					}
				})
			}
			defer floods.Wait()
			defer cancel()
			for i := range 10 {
				own := clientConfig(t)
				own.Dial = dialer() // a connection of its own for each
				client, err := kubernetes.NewForConfig(own)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{}); err != nil {
					t.Errorf("question %d: %v", i, err)
				}
			}
			kubectl(t, "kubectl get nodes")
		})
	}
	if now := resident(t, at.PID); now > before+256<<20 {
		t.Errorf("the hub had %d MiB and has %d", before>>20, now>>20)
	}
}

// resident is what a process has in memory, in bytes.
func resident(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("process %d has no memory:\n%s", pid, status)
	}
	kB, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kB << 10
}

// node is a wire on which a machine has said that it is a node; nil if the hub did not listen.
func (f *flooded) node() net.Conn {
	client := &http.Client{Transport: &http.Transport{DialContext: f.dial, DisableKeepAlives: true}}
	ws, _, err := websocket.Dial(f.ctx, "ws://"+f.page+"/hub/v1/node", &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		return nil
	}
	return websocket.NetConn(f.ctx, ws, websocket.MessageBinary)
}

func hello() tunnel.Hello {
	return tunnel.Hello{Version: 1, MinVersion: 1, Instance: fmt.Sprintf("flood%027d", time.Now().UnixNano())}
}

// pings sends yamux' pings and reads no answer.
func (f *flooded) pings() {
	wire := f.node()
	if wire == nil {
		return
	}
	defer wire.Close()
	text, err := json.Marshal(hello())
	if err != nil {
		panic(err)
	}
	if _, err := wire.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)); err != nil {
		return
	}
	var size [4]byte
	if _, err := io.ReadFull(wire, size[:]); err != nil {
		return
	}
	if _, err := io.CopyN(io.Discard, wire, int64(binary.BigEndian.Uint32(size[:]))); err != nil {
		return
	}
	ping := []byte(strings.Repeat("\x00\x02\x00\x01\x00\x00\x00\x00\x00\x00\x00\x07", 4096))
	for {
		if _, err := wire.Write(ping); err != nil {
			return
		}
	}
}

// session is a node's that nobody knows.
func (f *flooded) session() *tunnel.Session {
	wire := f.node()
	if wire == nil {
		return nil
	}
	s, _, err := tunnel.Dial(f.ctx, wire, hello(), tunnel.Options{})
	if err != nil {
		return nil
	}
	go func() { _ = s.Serve(f.ctx) }()
	return s
}

func (f *flooded) streams() {
	s := f.session()
	if s == nil {
		return
	}
	defer s.Close()
	for range tunnel.DefaultMaxStreams {
		if _, err := s.Open(tunnel.Header{Kind: tunnel.KindAPI}); err != nil {
			return
		}
	}
}

func (f *flooded) slots() {
	for range 300 {
		if s := f.session(); s != nil {
			defer s.Close()
		}
	}
}

// handshakes begins TLS and does not go on.
func (f *flooded) handshakes() {
	near, far := net.Pipe()
	defer near.Close()
	first := make(chan []byte, 1)
	go func() {
		b := make([]byte, 16<<10)
		n, _ := far.Read(b)
		first <- b[:n]
		_ = far.Close()
	}()
	_ = tls.Client(near, &tls.Config{ServerName: "127.0.0.1"}).HandshakeContext(f.ctx) // until far is closed
	f.hold(f.clients, string(<-first))
}

// hold opens connections that say so much, and neither read nor end.
func (f *flooded) hold(address, say string) {
	for range 500 {
		c, err := f.dial(f.ctx, "tcp", address)
		if err != nil {
			return
		}
		defer c.Close()
		_ = c.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
		_, _ = io.WriteString(c, say)
	}
}

// refused asks what a page elsewhere makes a browser ask.
func (f *flooded) refused() {
	client := &http.Client{Transport: &http.Transport{DialContext: f.dial}}
	defer client.CloseIdleConnections()
	for range 100 {
		req, err := http.NewRequestWithContext(f.ctx, http.MethodGet, "http://"+f.page+"/hub/"+strings.Repeat("x", 32<<10), nil)
		if err != nil {
			panic(err)
		}
		req.Host = "evil.example"
		if res, err := client.Do(req); err == nil {
			_ = res.Body.Close()
		}
	}
}
