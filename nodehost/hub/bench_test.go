package hub

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

// bodySize is what one request of BenchmarkThroughput moves, in bytes.
const bodySize = 64 << 20

// BenchmarkThroughput moves a body from a cluster to a client, TLS at both ends, all of it in
// this one process.
func BenchmarkThroughput(b *testing.B) {
	r := newRig(b, nil)
	a := r.attachCluster("alpha", instanceA)
	w := a.welcome(b)
	client := a.client(r.clients, w.ServerName)
	client.Transport.(*http.Transport).ForceAttemptHTTP2 = false
	b.SetBytes(bodySize)
	for b.Loop() {
		res, err := client.Get(fmt.Sprintf("https://hub/bytes/%d", bodySize))
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if err != nil || n != bodySize {
			b.Fatalf("%d bytes, %v", n, err)
		}
	}
}

// BenchmarkRoundTrip is one small request on a connection that is open.
func BenchmarkRoundTrip(b *testing.B) {
	r := newRig(b, nil)
	a := r.attachCluster("alpha", instanceA)
	w := a.welcome(b)
	client := a.client(r.clients, w.ServerName)
	for b.Loop() {
		res, err := client.Get("https://hub/")
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
}

// idleStreams is how many connections BenchmarkIdleStream holds.
const idleStreams = 500

// BenchmarkIdleStream measures what a connection that waits costs: the hub's and the cluster's
// side of it, and the client's socket, which are all in this process.
func BenchmarkIdleStream(b *testing.B) {
	hello := clientHello(b)
	for b.Loop() {
		r := newRig(b, nil)
		held := make(chan net.Conn, idleStreams)
		client := &tunnel.Client{
			Dial:  func(ctx context.Context) (net.Conn, error) { return r.dial(ctx, "") },
			Hello: tunnel.Hello{Name: "alpha", Instance: instanceA, Secret: secret},
			Options: tunnel.Options{
				Authorise: func(tunnel.Header) error { return nil },
				Handle: func(ctx context.Context, _ tunnel.Header, c net.Conn) {
					io.ReadFull(c, make([]byte, len(hello)))
					held <- c
				},
			},
		}
		ctx, cancel := context.WithCancel(context.Background())
		go client.Run(ctx)
		for len(r.Clusters()) == 0 || !r.Clusters()[0].Attached {
			time.Sleep(time.Millisecond)
		}
		before := memory()
		var conns, streams []net.Conn
		for range idleStreams {
			conn, err := net.Dial("tcp", r.clients)
			if err != nil {
				b.Fatal(err)
			}
			conn.Write(hello)
			conns, streams = append(conns, conn), append(streams, <-held)
		}
		b.ReportMetric(float64(memory()-before)/idleStreams, "B/stream")
		for i := range conns {
			conns[i].Close()
			streams[i].Close()
		}
		cancel()
	}
}

// memory is what heap and stacks take after a collection, in bytes.
func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// clientHello is the first message of a TLS client that wants alpha.
func clientHello(b testing.TB) []byte { return clientHelloOf(b, tunnel.ServerName("alpha")) }

func clientHelloOf(b testing.TB, name string) []byte {
	client, server := net.Pipe()
	go tls.Client(client, &tls.Config{ServerName: name}).Handshake()
	buf := make([]byte, maxClientHello)
	n, err := server.Read(buf)
	if err != nil {
		b.Fatal(err)
	}
	client.Close()
	return buf[:n]
}
