package balancer

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/record"
)

type harness struct {
	*testing.T
	client *fake.Clientset
	events chan string
}

func start(t *testing.T, pool string, there ...runtime.Object) *harness {
	h := &harness{T: t, client: fake.NewClientset(there...)}
	f := informers.NewSharedInformerFactory(h.client, 0)
	events := record.NewFakeRecorder(1000)
	h.events = events.Events
	b := New(Options{Client: h.client, Informers: f, Events: events, Pool: netip.MustParsePrefix(pool)})
	ctx, cancel := context.WithCancel(t.Context())
	f.Start(ctx.Done())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return h
}

func balanced(name string, change func(*corev1.Service)) *corev1.Service {
	s := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer}}
	if change != nil {
		change(s)
	}
	return s
}

func (h *harness) create(name string, change func(*corev1.Service)) {
	h.Helper()
	if _, err := h.client.CoreV1().Services("default").Create(h.Context(), balanced(name, change), metav1.CreateOptions{}); err != nil {
		h.Fatal(err)
	}
}

func (h *harness) get(name string) *corev1.Service {
	h.Helper()
	s, err := h.client.CoreV1().Services("default").Get(h.Context(), name, metav1.GetOptions{})
	if err != nil {
		h.Fatal(err)
	}
	return s
}

// has waits until the Service's address is ip.
func (h *harness) has(name, ip string) {
	h.Helper()
	got := ""
	for range 2000 {
		got = ""
		for _, i := range h.get(name).Status.LoadBalancer.Ingress {
			got += i.IP
		}
		if got == ip {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	h.Fatalf("Service %s has the address %q, want %q", name, got, ip)
}

func (h *harness) hears(text string) {
	h.Helper()
	for {
		select {
		case e := <-h.events:
			if strings.Contains(e, text) {
				return
			}
		case <-time.After(30 * time.Second):
			h.Fatalf("no event says %q", text)
		}
	}
}

func TestAnAddressForEach(t *testing.T) {
	h := start(t, "10.98.0.0/29")
	h.create("a", nil)
	h.has("a", "10.98.0.1")
	h.create("asks", func(s *corev1.Service) { s.Spec.LoadBalancerIP = "10.98.0.5" })
	h.has("asks", "10.98.0.5")
	class := "somebody.example/else"
	h.create("other", func(s *corev1.Service) { s.Spec.LoadBalancerClass = &class })
	h.create("b", nil)
	h.has("b", "10.98.0.2")
	h.has("other", "")
	// One that becomes another type loses it, and the next one gets it.
	s := h.get("a")
	s.Spec.Type = corev1.ServiceTypeClusterIP
	if _, err := h.client.CoreV1().Services("default").Update(t.Context(), s, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	h.has("a", "")
	h.create("c", nil)
	h.has("c", "10.98.0.1")
}

func TestAnExhaustedPool(t *testing.T) {
	h := start(t, "10.98.0.0/30")
	for i := range 3 {
		h.create(fmt.Sprint("s", i), nil)
		h.has(fmt.Sprint("s", i), fmt.Sprint("10.98.0.", i+1))
	}
	h.create("late", nil)
	h.hears("all 3 addresses of 10.98.0.0/30 are in use")
	h.create("taken", func(s *corev1.Service) { s.Spec.LoadBalancerIP = "10.98.0.2" })
	h.hears("spec.loadBalancerIP 10.98.0.2 is in use")
	h.create("outside", func(s *corev1.Service) { s.Spec.LoadBalancerIP = "10.96.0.1" })
	h.hears("spec.loadBalancerIP 10.96.0.1 is in use or not of the pool")
	h.create("garbage", func(s *corev1.Service) { s.Spec.LoadBalancerIP = "x\ny" })
	h.hears(`spec.loadBalancerIP "x\ny" is no address`)
	if err := h.client.CoreV1().Services("default").Delete(t.Context(), "s0", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	h.has("late", "10.98.0.1")
}

// TestAddressesStay: after a restart each has its own, whoever comes first; of two that say the same
// one is wrong.
func TestAddressesStay(t *testing.T) {
	at := func(ip string) func(*corev1.Service) {
		return func(s *corev1.Service) { s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: ip}} }
	}
	h := start(t, "10.98.0.0/29", balanced("new", nil), balanced("old", at("10.98.0.1")), balanced("cloud", at("192.0.2.7")))
	h.has("old", "10.98.0.1")
	h.hears("Ensured")
	h.hears("Ensured")
	for _, name := range []string{"new", "cloud"} {
		if ip := h.get(name).Status.LoadBalancer.Ingress[0].IP; ip != "10.98.0.2" && ip != "10.98.0.3" {
			t.Errorf("%s has %s", name, ip)
		}
	}
}
