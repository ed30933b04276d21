package cluster_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// TestVisit: the page's browser view reaches what a client outside of the cluster with routes into it would, is seen
// as one, and hears why where such a client would hear nothing.
func TestVisit(t *testing.T) {
	t.Cleanup(func() {
		run(t, "kubectl delete namespace visited --wait=false")
	})
	run(t, "kubectl create namespace visited")
	run(t, "kubectl -n visited create deployment web --image=registry.k8s.io/e2e-test-images/agnhost:2.53 --replicas=2 -- /agnhost netexec --http-port=8080")
	run(t, "kubectl -n visited rollout status deployment web --timeout=120s")
	run(t, "kubectl -n visited expose deployment web --port=80 --target-port=8080 --type=NodePort")
	run(t, "kubectl -n visited create service clusterip nobody --tcp=80:80")
	run(t, "kubectl -n visited create ingress web --rule=web.example/*=web:80")
	of := func(path, of string) string { return run(t, "kubectl -n visited get "+of+" -o jsonpath='{"+path+"}'") }
	pods := strings.Fields(of(".items[*].status.podIP", "pods"))
	clusterIP := of(".spec.clusterIP", "service web") + ":80"
	nodePort := "172.30.0.11:" + of(".spec.ports[0].nodePort", "service web")

	ask := func(address, host string) (body string, endpoint netip.AddrPort, err error) {
		t.Helper()
		conn, endpoint, err := running.Visit(t.Context(), netip.MustParseAddrPort(address))
		if err != nil {
			return "", endpoint, err
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET /clientip HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", host)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return "", endpoint, err
		}
		text, err := io.ReadAll(resp.Body)
		return fmt.Sprintf("%d %s", resp.StatusCode, text), endpoint, err
	}
	eventually.True(t, "the Service leads to its pod", func() bool {
		_, _, err := ask(clusterIP, "web")
		return err == nil
	})
	hearing, deaf := context.WithCancel(t.Context())
	heard := make(chan map[netip.Addr]int, 100)
	go func() {
		_ = running.Answered(hearing, func(counts map[netip.Addr]int) error { heard <- counts; return nil })
		close(heard)
	}()
	// The first call is heard of when somebody listens: it is asked until then.
	eventually.True(t, "it is heard who answers", func() bool {
		_, endpoint, err := ask(clusterIP, "web")
		select {
		case counts := <-heard:
			return err == nil && len(counts) > 0 && endpoint.IsValid()
		default:
			return false
		}
	})
	deaf()
	for range heard {
	}
	for _, c := range []struct{ name, address, client string }{
		{"a Service", clusterIP, "10.98.0.1"},
		{"a pod", pods[0] + ":8080", "10.98.0.1"},
		{"a node port, which is masqueraded", nodePort, "172.30.0.11"},
	} {
		body, endpoint, err := ask(c.address, "web")
		if err != nil || !strings.HasPrefix(body, "200 "+c.client+":") {
			t.Errorf("%s at %s: %q, %v; want a client %s", c.name, c.address, body, err, c.client)
		}
		if ip := endpoint.Addr().String(); ip != pods[0] && ip != pods[1] || endpoint.Port() != 8080 {
			t.Errorf("%s: %s answered, which is none of %v", c.name, endpoint, pods)
		}
	}
	eventually.True(t, "the Ingress answers", func() bool {
		body, _, err := ask("10.97.0.254:80", "web.example")
		return err == nil && strings.HasPrefix(body, "200 ")
	})
	if _, _, err := ask(of(".spec.clusterIP", "service nobody")+":80", "nobody"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a Service without endpoints: %v", err)
	}
	if _, _, err := ask("127.0.0.1:6443", "x"); err == nil || !strings.Contains(err.Error(), "no address of the cluster") {
		t.Errorf("the process' own loopback: %v", err)
	}

	// As a hub leads a browser there.
	browse := func(target string) string {
		t.Helper()
		ours, theirs := net.Pipe()
		go running.ServeVisit(t.Context(), target, theirs)
		defer ours.Close()
		fmt.Fprintf(ours, "GET /clientip HTTP/1.1\r\nHost: web.visited.localhost\r\nConnection: close\r\n\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(ours), nil)
		if err != nil {
			return err.Error()
		}
		text, _ := io.ReadAll(resp.Body)
		if again := resp.Header.Get("Refresh") != ""; again != (resp.StatusCode != http.StatusOK) {
			t.Errorf("%s: %s, and a page that shows it is asked for anew: %v", target, resp.Status, again)
		}
		return fmt.Sprintf("%d %s", resp.StatusCode, text)
	}
	for target, want := range map[string]string{
		"web.visited:0": "200 10.98.0.1:", "web.visited:80": "200 10.98.0.1:",
		"web.visited:81": "502 Tabernetes: Service web has no TCP port 81", "gone.visited:0": "502 Tabernetes: there is no Service gone in namespace visited",
		"nobody.visited:0": "502 Tabernetes: ", "127.0.0.1:6443": "502 Tabernetes: ", "web.visited.evil:80": "502 Tabernetes: ", "x": "502 Tabernetes: ",
	} {
		if got := browse(target); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}

	// Where only a node's own endpoints may serve, another node is asked, as a load balancer does.
	run(t, "kubectl -n visited scale deployment web --replicas=1")
	run(t, `kubectl -n visited patch service web -p '{"spec":{"internalTrafficPolicy":"Local"}}'`)
	for range 12 {
		if _, _, err := ask(clusterIP, "web"); errors.Is(err, podnet.ErrDropped) {
			t.Fatalf("a Service whose endpoint is on one node: %v", err)
		}
	}

	run(t, "kubectl apply -f - <<'E'\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: closed, namespace: visited}\nspec: {podSelector: {}, policyTypes: [Ingress]}\nE")
	eventually.True(t, "a pod that lets nobody in is silent", func() bool {
		_, _, err := ask(clusterIP, "web")
		return errors.Is(err, podnet.ErrDropped) && strings.Contains(err.Error(), "NetworkPolicy")
	})
}

// The apiserver reaches a load balancer's address, as on a machine with kube-proxy.
func TestTheAPIServerReachesABalancersAddress(t *testing.T) {
	t.Cleanup(func() { run(t, "kubectl delete namespace balanced --wait=false") })
	run(t, "kubectl create namespace balanced")
	run(t, "kubectl -n balanced run web --image=nginx --labels=app=web && kubectl -n balanced wait --for=condition=Ready pod/web --timeout=120s")
	run(t, "kubectl -n balanced expose pod web --port=80 --type=LoadBalancer && kubectl -n balanced wait service/web --for=jsonpath='{.status.loadBalancer.ingress}' --timeout=60s")
	address := run(t, "kubectl -n balanced get service web -o jsonpath={.status.loadBalancer.ingress[0].ip}") + ":80"
	eventually.True(t, "the apiserver reaches "+address, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		conn, err := cluster.ServersDialer(running)(ctx, "tcp", address)
		if err != nil {
			return false
		}
		_ = conn.Close()
		return true
	})
}

// The apiserver reaches a Service that only a node with an endpoint of its own may serve, whichever node it asks first.
func TestTheAPIServerAsksTheNextNode(t *testing.T) {
	t.Cleanup(func() { run(t, "kubectl delete namespace local --wait=false") })
	run(t, "kubectl create namespace local")
	run(t, `kubectl -n local run web --image=registry.k8s.io/e2e-test-images/agnhost:2.53 --labels=app=web --overrides='{"spec":{"nodeName":"node-2"}}' -- netexec --http-port=8080`)
	run(t, "kubectl -n local wait --for=condition=Ready pod/web --timeout=120s")
	run(t, `kubectl -n local expose pod web --port=80 --target-port=8080 --overrides='{"spec":{"internalTrafficPolicy":"Local"}}'`)
	address := run(t, "kubectl -n local get service web -o jsonpath={.spec.clusterIP}") + ":80"
	// Nodes are asked in an order of chance, and each hears of the Service by itself.
	eventually.True(t, "the Service is reached by every node", func() bool {
		for range 20 {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // who is dropped waits for two minutes
			conn, err := cluster.DialService(running, ctx, "tcp", address)
			cancel()
			if err != nil {
				return false
			}
			_ = conn.Close()
		}
		return true
	})
}
