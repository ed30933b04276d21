package serviceproxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/proxy/healthcheck"
	proxyutil "k8s.io/kubernetes/pkg/proxy/util"
)

// freePort is one that nobody has.
func freePort(t *testing.T) int32 {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return int32(l.Addr().(*net.TCPAddr).Port)
}

// local makes the Service a balancer's, whose traffic stays on the node.
func local(check int32) func(*corev1.ServiceSpec) {
	return func(s *corev1.ServiceSpec) {
		s.Type, s.ExternalTrafficPolicy, s.HealthCheckNodePort = corev1.ServiceTypeLoadBalancer, corev1.ServiceExternalTrafficPolicyLocal, check
	}
}

// asked is what a health check answers: status, the headers that are its own, body; "" while nobody does.
func asked(t *testing.T, port int32) string {
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/", port), nil)
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	said := fmt.Sprintln(resp.StatusCode)
	for _, h := range []string{"Content-Type", "X-Content-Type-Options", "X-Load-Balancing-Endpoint-Weight"} {
		said += fmt.Sprintln(h, resp.Header[h])
	}
	return said + string(body)
}

// healthy is what upstream's server needs to know of its proxy.
type healthy struct{}

func (healthy) Health() healthcheck.ProxyHealth { return healthcheck.ProxyHealth{Healthy: true} }

// TestHealthChecksAnswerAsKubeProxys: byte for byte, as upstream's own server does beside it.
func TestHealthChecksAnswerAsKubeProxys(t *testing.T) {
	h := start(t)
	ours, theirs := freePort(t), freePort(t)
	name := types.NamespacedName{Namespace: "default", Name: "web"}
	server := healthcheck.NewServiceHealthServer("here", nil, proxyutil.NewNodePortAddresses(corev1.IPv4Protocol, []string{"127.0.0.1/32"}), healthy{}, corev1.IPv4Protocol)
	if err := server.SyncServices(map[types.NamespacedName]uint16{name: uint16(theirs)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.SyncServices(nil) })
	h.service(local(ours))
	for _, c := range []struct {
		nodes []string
		here  int
	}{{nil, 0}, {[]string{"there"}, 0}, {[]string{"here", "there", "here"}, 2}, {[]string{"here"}, 1}, {nil, 0}} {
		h.endpoints(c.nodes...)
		if err := server.SyncEndpoints(map[types.NamespacedName]int{name: c.here}); err != nil {
			t.Fatal(err)
		}
		want := asked(t, theirs)
		if code := map[bool]string{true: "200", false: "503"}[c.here > 0]; !strings.HasPrefix(want, code) {
			t.Fatalf("upstream's own says %q", want)
		}
		got := ""
		h.eventually(fmt.Sprintf("endpoints on %v: %q", c.nodes, want), func() bool { got = asked(t, ours); return got == want })
	}
	if err := h.client.CoreV1().Services("default").Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	h.eventually("it is closed with its Service", func() bool { return asked(t, ours) == "" })
}

// TestAHealthChecksPortChanges, and one that somebody else has does the rest no harm.
func TestAHealthChecksPortChanges(t *testing.T) {
	h := start(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	p := &healthPorts{proxy: h.proxy, open: map[types.NamespacedName]*healthPort{}}
	defer p.close()
	a, b := types.NamespacedName{Namespace: "x", Name: "a"}, types.NamespacedName{Namespace: "x", Name: "b"}
	first, second := freePort(t), freePort(t)
	p.set(t.Context(), map[types.NamespacedName]uint16{a: uint16(first), b: uint16(taken.Addr().(*net.TCPAddr).Port)}, map[types.NamespacedName]int{a: 1})
	if !strings.HasPrefix(asked(t, first), "200") || len(p.open) != 1 {
		t.Errorf("%d are open, one answers %q", len(p.open), asked(t, first))
	}
	p.set(t.Context(), map[types.NamespacedName]uint16{a: uint16(second)}, nil)
	if asked(t, first) != "" || !strings.HasPrefix(asked(t, second), "503") {
		t.Errorf("%q, %q", asked(t, first), asked(t, second))
	}
}

// TestStrangersAskHealthChecks: whoever reaches the node may ask, with what he likes.
func TestStrangersAskHealthChecks(t *testing.T) {
	h := start(t)
	port := freePort(t)
	p := &healthPorts{proxy: h.proxy, open: map[types.NamespacedName]*healthPort{}}
	defer p.close()
	a := types.NamespacedName{Namespace: "x", Name: "a"}
	p.set(t.Context(), map[types.NamespacedName]uint16{a: uint16(port)}, map[types.NamespacedName]int{a: 3})
	at := fmt.Sprintf("127.0.0.1:%d", port)
	conn, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() {
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("x", 1<<20)+"\r\n\r\n")
	}()
	if line, _ := bufio.NewReader(conn).ReadString('\n'); !strings.HasPrefix(line, "HTTP/1.1 431 ") {
		t.Errorf("headers of a mebibyte: %q", line)
	}
	// More than may be open at once: they wait, and who comes after they have gone is answered.
	var held []net.Conn
	for range healthClients + 10 {
		if c, err := net.Dial("tcp", at); err == nil {
			held = append(held, c)
		}
	}
	for _, c := range held {
		_ = c.Close()
	}
	h.eventually("it answers after the flood", func() bool { return strings.HasPrefix(asked(t, port), "200") })
}
