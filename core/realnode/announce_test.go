package realnode

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/realnode/wellknown"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// The hub is told which nodes there are, the oldest first, at each change and on each new tunnel.
func TestTheHubIsToldOfNodes(t *testing.T) {
	hubs := make(chan net.Conn, 1)
	a := newAnnouncer(func(h tunnel.Header) (net.Conn, error) {
		if h.Kind != tunnel.KindRoutes {
			t.Errorf("a stream of kind %d was opened", h.Kind)
		}
		near, far := net.Pipe()
		hubs <- far
		return near, nil
	})
	node := func(name, route string, age time.Duration) {
		n := realNode(name, route, "10.244.7.0/24")
		n.CreationTimestamp = metav1.NewTime(time.Now().Add(-age))
		a.update(n)
	}
	node("young", "r1", time.Minute)
	node("old", "r2", time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); a.run(ctx) }()
	defer func() { cancel(); <-ended }()
	read := func(hub net.Conn, want ...string) {
		t.Helper()
		_ = hub.SetReadDeadline(time.Now().Add(longEnough))
		for {
			got, err := tunnel.ReadRoutes(hub)
			if err != nil {
				t.Fatalf("want %v: %v", want, err)
			}
			if slices.Equal(got, want) {
				return
			}
		}
	}
	hub := <-hubs
	read(hub, "r2", "r1")
	node("middle", "r3", 10*time.Minute)
	read(hub, "r2", "r3", "r1")
	left := realNode("old", "r2", "10.244.7.0/24")
	left.Annotations[wellknown.LeftAnnotation] = "now"
	a.update(left)
	read(hub, "r3", "r1")
	a.remove("young")
	read(hub, "r3")
	_ = hub.Close()
	hub = <-hubs
	read(hub, "r3")
	_ = hub.Close()
}
