package image

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/netns"
	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/program"
)

// bookNet is a pod's network in which the guestbook's Services have addresses.
type bookNet struct {
	program.Network
	hosts map[string]string
}

func (n bookNet) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if at, ok := n.hosts[host]; ok {
		host = at
	}
	return n.Network.Dial(ctx, network, net.JoinHostPort(host, port))
}

// TestAgnhostGuestbook runs a primary, two replicas and a front end in one process: what is written through the front end is
// read from either replica, one that comes later has what was there, and none knows what another one's visitors wrote.
func TestAgnhostGuestbook(t *testing.T) {
	netns.Require(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan string, 8)
	running := 0
	defer func() {
		cancel()
		for range running {
			if said := <-ended; !strings.HasSuffix(said, " 0") {
				t.Error(said)
			}
		}
	}()
	hosts := map[string]string{"agnhost-primary": "10.244.9.1", "agnhost-replica": "10.244.9.2"}
	run := func(ip string, args ...string) program.Network {
		pod := podnet.New(podnet.Options{IPs: []netip.Addr{netip.MustParseAddr(ip)}})
		t.Cleanup(pod.Close)
		p := &program.Process{
			Args: append([]string{"/agnhost", "guestbook"}, args...), Net: bookNet{pod.Sockets(nil), hosts}, Stdout: io.Discard, Stderr: io.Discard,
		}
		running++
		go func() { ended <- fmt.Sprint(ip, " ends with ", agnhostMain(ctx, p)) }()
		return p.Net
	}
	until := func(network program.Network, from, want string) {
		t.Helper()
		var got string
		var err error
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			if got, err = ask(ctx, network, "http://"+from); err == nil && strings.TrimSpace(got) == want {
				return
			}
		}
		t.Fatalf("%s: %s, %v; want %s", from, got, err, want)
	}
	primary := run("10.244.9.1", "--http-port", "6379")
	until(primary, "10.244.9.1:6379/get", `{"data":{}}`)
	run("10.244.9.2", "--replicaof", "agnhost-primary", "--http-port", "6379")
	front := run("10.244.9.3", "--backend-port", "6379")
	until(front, "10.244.9.3/guestbook?cmd=get&key=messages&value=", `{"data":""}`)
	// The replica may not have registered yet.
	until(primary, "10.244.9.1:6379/set?key=messages&value=first", `{"message":"Updated"}`)
	until(front, "10.244.9.2:6379/get?key=messages", `{"data":"first"}`)
	until(front, "10.244.9.3/guestbook?cmd=set&key=messages&value=a%26key%3Dother", `{"message":"Updated"}`)
	until(front, "10.244.9.3/guestbook?cmd=get&key=messages", `{"data":"a\u0026key=other"}`)
	until(front, "10.244.9.3/get", `{"data":{}}`)
	run("10.244.9.4", "--replicaof", "agnhost-primary", "--http-port", "6379")
	until(front, "10.244.9.4:6379/get", `{"data":{"messages":"a\u0026key=other"}}`)

	for path, want := range map[string]string{
		"guestbook?cmd=drop&key=a":    "unsupported cmd: 'drop'",
		"guestbook?cmd=set":           "cannot set with empty key.",
		"set":                         "cannot set with empty key.",
		"register?host=example.com/x": `"example.com/x" is no address`,
		"set?key=a&value=" + strings.Repeat("x", 60<<10): `{"message":"Updated"}`,
	} {
		until(front, "10.244.9.3/"+path, want)
	}
}

// TestGuestbookIsBounded: visitors fill no memory.
func TestGuestbookIsBounded(t *testing.T) {
	g := &agnhostGuestbook{log: log.New(io.Discard, "", 0), store: map[string]string{}}
	var last error
	for i := range 100 {
		_, _, last = g.set(t.Context(), map[string][]string{"key": {fmt.Sprint(i)}, "value": {strings.Repeat("x", 50<<10)}})
	}
	held := 0
	for k, v := range g.store {
		held += len(k) + len(v)
	}
	if held > maxGuestbookStore || last == nil {
		t.Errorf("%d bytes, %v", held, last)
	}
	for i := range 100 {
		_, _, last = g.registered(t.Context(), map[string][]string{"host": {fmt.Sprint("10.0.0.", i)}})
	}
	if len(g.replicas) != maxGuestbookReplicas || last == nil {
		t.Errorf("%d replicas, %v", len(g.replicas), last)
	}
}
