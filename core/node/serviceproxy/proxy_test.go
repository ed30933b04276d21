package serviceproxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/tabernetes/tabernetes/core/trace"
)

// harness is a proxy that follows a fake API; what it dials is recorded.
type harness struct {
	*testing.T
	client *fake.Clientset
	proxy  *Proxy
	trace  *trace.Bus

	mu     sync.Mutex
	dialed []string
}

func start(t *testing.T) *harness {
	h := &harness{T: t, client: fake.NewClientset(), trace: trace.New()}
	f := informers.NewSharedInformerFactory(h.client, 0)
	h.proxy = New(Options{Node: "here", IP: netip.MustParseAddr("127.0.0.1"), Informers: f, Dial: h.dial, Trace: h.trace})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.proxy.Run(ctx) }()
	// Run asks for its informers before they are started: those that nobody wants would not be.
	f.Core().V1().Services().Informer()
	f.Discovery().V1().EndpointSlices().Informer()
	f.Start(ctx.Done())
	f.WaitForCacheSync(ctx.Done())
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		f.Shutdown()
	})
	return h
}

func (h *harness) dial(_ context.Context, _ netip.Addr, _, address string) (net.Conn, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dialed = append(h.dialed, address)
	here, there := net.Pipe()
	go func() { io.WriteString(there, address); there.Close() }()
	return here, nil
}

// to dials from a pod and says where that led.
func (h *harness) to(from, network, address string) (string, error) {
	c, err := h.proxy.Dial(h.Context(), netip.MustParseAddr(from), network, address)
	if err != nil {
		return "", err
	}
	defer c.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.dialed[len(h.dialed)-1], nil
}

// eventually waits for what the proxy learns a moment later.
func (h *harness) eventually(what string, holds func() bool) {
	h.Helper()
	for range 1000 {
		if holds() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	h.Fatalf("it never came to this: %s", what)
}

func (h *harness) service(change func(*corev1.ServiceSpec)) {
	h.Helper()
	s := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeClusterIP, ClusterIP: "10.96.0.5", ClusterIPs: []string{"10.96.0.5"},
			IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol},
			Ports:      []corev1.ServicePort{{Port: 80, Protocol: corev1.ProtocolTCP}},
		},
	}
	if change != nil {
		change(&s.Spec)
	}
	if _, err := h.client.CoreV1().Services("default").Create(h.Context(), s, metav1.CreateOptions{}); err != nil {
		h.Fatal(err)
	}
}

// endpoints makes one on each node, in that order: 10.244.0.1:8080 and so on.
func (h *harness) endpoints(nodes ...string) {
	h.Helper()
	port, protocol := int32(8080), corev1.ProtocolTCP
	h.endpointsWith([]discoveryv1.EndpointPort{{Port: &port, Protocol: &protocol, Name: new(string)}}, nodes...)
}

// endpointsWith makes such with other ports.
func (h *harness) endpointsWith(ports []discoveryv1.EndpointPort, nodes ...string) {
	h.Helper()
	ready := true
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Namespace: "default", Name: "web-1", Labels: map[string]string{discoveryv1.LabelServiceName: "web"}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       ports,
	}
	for i, node := range nodes {
		address := netip.AddrFrom4([4]byte{10, 244, 0, byte(i + 1)}).String()
		slice.Endpoints = append(slice.Endpoints, discoveryv1.Endpoint{
			Addresses: []string{address}, NodeName: &node, Conditions: discoveryv1.EndpointConditions{Ready: &ready},
		})
	}
	api := h.client.DiscoveryV1().EndpointSlices("default")
	_, err := api.Update(h.Context(), slice, metav1.UpdateOptions{})
	if err != nil {
		_, err = api.Create(h.Context(), slice, metav1.CreateOptions{})
	}
	if err != nil {
		h.Fatal(err)
	}
}

const service, client = "10.96.0.5:80", "10.244.9.9"

func TestEveryEndpointServes(t *testing.T) {
	h := start(t)
	h.service(nil)
	h.endpoints("here", "there")
	seen := map[string]bool{}
	h.eventually("both endpoints are chosen", func() bool {
		if to, err := h.to(client, "tcp", service); err == nil {
			seen[to] = true
		}
		return seen["10.244.0.1:8080"] && seen["10.244.0.2:8080"]
	})
}

func TestWhatIsNoServiceIsDialledAsItIs(t *testing.T) {
	h := start(t)
	h.service(nil)
	h.endpoints("here")
	h.eventually("the Service is known", func() bool {
		to, err := h.to(client, "tcp", service)
		return err == nil && to == "10.244.0.1:8080"
	})
	for _, c := range []struct{ network, address string }{
		{"tcp", "10.244.3.4:80"}, {"tcp", "10.96.0.5:81"}, {"udp", service},
	} {
		if to, err := h.to(client, c.network, c.address); err != nil || to != c.address {
			t.Errorf("%s %s led to %s, %v", c.network, c.address, to, err)
		}
	}
}

func TestWithoutEndpointsItRefuses(t *testing.T) {
	h := start(t)
	h.service(nil)
	h.eventually("the Service refuses", func() bool {
		_, err := h.to(client, "tcp", service)
		return errors.Is(err, syscall.ECONNREFUSED)
	})
	h.endpoints("there")
	h.eventually("an endpoint serves", func() bool {
		_, err := h.to(client, "tcp", service)
		return err == nil
	})
	h.endpoints()
	h.eventually("it refuses again", func() bool {
		_, err := h.to(client, "tcp", service)
		return errors.Is(err, syscall.ECONNREFUSED)
	})
}

func TestLocalTrafficStaysOnTheNode(t *testing.T) {
	h := start(t)
	h.service(func(s *corev1.ServiceSpec) {
		local := corev1.ServiceInternalTrafficPolicyLocal
		s.InternalTrafficPolicy = &local
	})
	h.endpoints("there", "here", "there")
	// An address that is no Service's yet leads to itself.
	h.eventually("an endpoint serves", func() bool {
		to, err := h.to(client, "tcp", service)
		return err == nil && to != service
	})
	for range 50 {
		if to, err := h.to(client, "tcp", service); err != nil || to != "10.244.0.2:8080" {
			t.Fatalf("led to %s, %v", to, err)
		}
	}
}

func TestAClientKeepsItsEndpoint(t *testing.T) {
	h := start(t)
	h.service(func(s *corev1.ServiceSpec) {
		seconds := int32(10)
		s.SessionAffinity = corev1.ServiceAffinityClientIP
		s.SessionAffinityConfig = &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: &seconds}}
	})
	h.endpoints("a", "b", "c", "d")
	h.eventually("an endpoint serves", func() bool {
		_, err := h.to(client, "tcp", service)
		return err == nil
	})
	first, _ := h.to(client, "tcp", service)
	for range 50 {
		if to, err := h.to(client, "tcp", service); err != nil || to != first {
			t.Fatalf("led to %s, then to %s, %v", first, to, err)
		}
	}
}

func TestSessionsEnd(t *testing.T) {
	h := start(t)
	h.service(func(s *corev1.ServiceSpec) {
		seconds := int32(10)
		s.SessionAffinity = corev1.ServiceAffinityClientIP
		s.SessionAffinityConfig = &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: &seconds}}
	})
	h.endpoints("a", "b")
	var f *frontend
	h.eventually("both endpoints are known", func() bool {
		f = h.proxy.table.Load().addresses[address{"tcp", netip.MustParseAddrPort(service)}]
		return f != nil && len(f.endpoints) == 2
	})
	first := func(e []string) string { return slices.Min(e) }
	last := func(e []string) string { return slices.Max(e) }
	var a affinity
	now, from := time.Now(), netip.MustParseAddr(client)
	for _, step := range []struct {
		after time.Duration
		want  string
	}{
		{0, first(f.endpoints)}, {9 * time.Second, first(f.endpoints)}, {18 * time.Second, first(f.endpoints)}, {29 * time.Second, last(f.endpoints)},
	} {
		pick := last
		if step.after == 0 {
			pick = first
		}
		if got := a.choose(f, f.endpoints, from, now.Add(step.after), pick); got != step.want {
			t.Errorf("after %s: %s, want %s", step.after, got, step.want)
		}
	}
}

func TestNodePorts(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	h := start(t)
	h.service(func(s *corev1.ServiceSpec) {
		s.Type = corev1.ServiceTypeNodePort
		s.Ports[0].NodePort = int32(port)
	})
	h.endpoints("there")
	h.eventually("the port leads to the endpoint", func() bool {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return false
		}
		defer c.Close()
		said, _ := io.ReadAll(c)
		return string(said) == "10.244.0.1:8080"
	})
	if err := h.client.CoreV1().Services("default").Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	h.eventually("the port is closed", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
}

// TestChangesAreTraced: a step says when the node's pods can reach a Service, and each endpoint.
func TestChangesAreTraced(t *testing.T) {
	h := start(t)
	steps := h.trace.View(true)
	defer steps.Close()
	next := func(kind *trace.Kind) trace.Step {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for {
			batch, err := steps.Next(ctx, 1)
			if err != nil {
				t.Fatal(err)
			}
			if s := batch.Steps[0]; s.Kind == kind {
				return s
			}
		}
	}
	h.service(nil)
	added := next(serviceKind)
	if got := string(added.JSON(true)); !strings.Contains(got, `"service":"default/web"`) || !strings.Contains(got, `"address":"10.96.0.5:80","endpoints":[]`) {
		t.Error(got)
	}
	h.endpoints("here", "there")
	s := next(endpointsKind)
	if got := string(s.JSON(true)); !strings.Contains(got, `"endpoints":["10.244.0.1:8080","10.244.0.2:8080"]`) || s.Node != "here" || s.Object.Name != "web-1" {
		t.Error(got)
	}
}
