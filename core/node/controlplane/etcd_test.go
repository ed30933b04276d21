package controlplane

import (
	"bytes"
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/programtest"
	"github.com/tabernetes/tabernetes/core/store"
)

// machine dials as the machine does.
type machine struct{ programtest.Loopback }

func (machine) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// TestEtcd: who connects gets a store of its own, which ends with the etcd and is told of it.
func TestEtcd(t *testing.T) {
	at := make(chan string, 1)
	signals := make(chan program.Signal, 1)
	var out bytes.Buffer
	p := &program.Process{
		Args: []string{"etcd", "--listen-client-urls", "http://127.0.0.1:2379", "--advertise-client-urls", "http://127.0.0.1:2379"},
		Net:  machine{programtest.Loopback{At: at}}, Stdout: &out, Stderr: &out, Signals: signals,
	}
	ended := make(chan int, 1)
	go func() { ended <- etcd(t.Context(), p) }()
	s, lost, err := dialStore(t.Context(), p, []string{"http://" + <-at})
	if err != nil {
		t.Fatal(err)
	}
	if s.Status().Keys != 0 {
		t.Errorf("a new etcd holds %+v", s.Status())
	}
	signals <- program.SIGTERM
	<-lost
	if code := <-ended; code != 0 || !strings.Contains(out.String(), "not etcd's server") {
		t.Errorf("%d: %s", code, &out)
	}
}

// TestStrangersStore: what answers in an etcd's place is a pod's own. It names no store of the cluster's.
func TestStrangersStore(t *testing.T) {
	s, err := store.Open(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	defer store.Install(s)()
	for _, says := range []string{greeting + s.Endpoint() + "\n", greeting + "\n", "HTTP/1.1 200 OK\r\n", strings.Repeat("x", 1<<20), ""} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if c, err := ln.Accept(); err == nil {
				_, _ = c.Write([]byte(says))
				c.Close()
			}
		}()
		p := &program.Process{Net: machine{}}
		if got, _, err := greeted(t.Context(), p, "http://"+ln.Addr().String()); err == nil {
			t.Errorf("%.40q is believed: %s", says, got.Endpoint())
		}
		ln.Close()
	}
	for _, server := range []string{s.Endpoint(), "https://127.0.0.1:2379", "unix:///run/etcd"} {
		if _, _, err := greeted(t.Context(), &program.Process{Net: machine{}}, server); err == nil {
			t.Errorf("--etcd-servers=%s is taken", server)
		}
	}
}

// refusing is a network in which nobody answers.
type refusing struct{ program.Network }

func (refusing) Dial(context.Context, string, string) (net.Conn, error) {
	return nil, net.ErrClosed
}

// TestNoEtcd: an API server waits for its etcd as long as upstream's does, and says which it did not find.
func TestNoEtcd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, err := dialStore(t.Context(), &program.Process{Net: refusing{}}, []string{"http://localhost:2379"})
		if err == nil || !strings.Contains(err.Error(), "--etcd-servers") {
			t.Error(err)
		}
	})
}
