package ingress

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/record"
)

// to is a backend of the Service and port, which is a number or a name.
func to(service string, port any) networkingv1.IngressBackend {
	b := &networkingv1.IngressServiceBackend{Name: service}
	switch p := port.(type) {
	case int:
		b.Port.Number = int32(p)
	case string:
		b.Port.Name = p
	}
	return networkingv1.IngressBackend{Service: b}
}

// rule is of a host: each path with its type's first letter, "E/exact" or "P/prefix" or "I/whatever", and the Service.
func rule(host string, paths ...string) networkingv1.IngressRule {
	r := networkingv1.IngressRule{Host: host}
	r.HTTP = &networkingv1.HTTPIngressRuleValue{}
	for _, p := range paths {
		path, service, _ := strings.Cut(p, " ")
		kind := map[byte]networkingv1.PathType{
			'E': networkingv1.PathTypeExact, 'P': networkingv1.PathTypePrefix, 'I': networkingv1.PathTypeImplementationSpecific,
		}[path[0]]
		r.HTTP.Paths = append(r.HTTP.Paths, networkingv1.HTTPIngressPath{Path: path[1:], PathType: &kind, Backend: to(service, 80)})
	}
	return r
}

func ingress(name string, rules ...networkingv1.IngressRule) *networkingv1.Ingress {
	class := "tabernetes"
	return &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       networkingv1.IngressSpec{IngressClassName: &class, Rules: rules},
	}
}

// TestRoutes has the API's own examples of paths (Ingress in its documentation), and the order of hosts.
func TestRoutes(t *testing.T) {
	for _, c := range []struct {
		rules []networkingv1.IngressRule
		ask   map[string]string // host and path, and the Service; "" for nothing
	}{
		{[]networkingv1.IngressRule{rule("", "P/ root")}, map[string]string{"any/": "root", "any/a/b": "root"}},
		{[]networkingv1.IngressRule{rule("", "E/foo foo")}, map[string]string{"h/foo": "foo", "h/bar": "", "h/foo/": "", "h/foo/bar": ""}},
		{[]networkingv1.IngressRule{rule("", "E/foo/ foo")}, map[string]string{"h/foo": "", "h/foo/": "foo"}},
		{[]networkingv1.IngressRule{rule("", "P/foo foo")}, map[string]string{"h/foo": "foo", "h/foo/": "foo", "h/foobar": "", "h/Foo": ""}},
		{[]networkingv1.IngressRule{rule("", "P/foo/ foo")}, map[string]string{"h/foo": "foo", "h/foo/": "foo"}},
		{[]networkingv1.IngressRule{rule("", "P/aaa/bb x")}, map[string]string{"h/aaa/bbb": "", "h/aaa/bb/ccc": "x"}},
		{[]networkingv1.IngressRule{rule("", "P/aaa/bbb x")}, map[string]string{"h/aaa/bbbxyz": ""}},
		{[]networkingv1.IngressRule{rule("", "P/ root", "P/aaa a", "P/aaa/bbb b")}, map[string]string{"h/aaa/bbb": "b", "h/aaa/c": "a", "h/ccc": "root"}},
		{[]networkingv1.IngressRule{rule("", "P/foo prefix", "E/foo exact")}, map[string]string{"h/foo": "exact", "h/foo/x": "prefix"}},
		{[]networkingv1.IngressRule{rule("", "I/what any")}, map[string]string{"h/what/else": "any", "h/whatever": ""}},
		{[]networkingv1.IngressRule{rule("foo.example.com", "P/ foo"), rule("*.example.com", "P/ wild"), rule("", "P/ any")}, map[string]string{
			"foo.example.com/": "foo", "FOO.example.com/": "foo", "bar.example.com/": "wild", "a.bar.example.com/": "any", "example.com/": "any", "/": "any",
		}},
		{[]networkingv1.IngressRule{rule("foo.example.com", "P/only foo"), rule("*.example.com", "P/ wild")}, map[string]string{"foo.example.com/other": ""}},
	} {
		r := newRoutes([]*networkingv1.Ingress{ingress("x", c.rules...)})
		for ask, want := range c.ask {
			host, path, _ := strings.Cut(ask, "/")
			got, ok := r.find(host, "/"+path)
			if got.service != want || ok != (want != "") {
				t.Errorf("%v: %s leads to %q, %v; want %q", c.rules, ask, got.service, ok, want)
			}
		}
	}
}

func TestTheOlderOneCounts(t *testing.T) {
	a, b, d := ingress("a", rule("h", "P/ a")), ingress("b", rule("h", "P/ b")), ingress("d")
	a.CreationTimestamp, b.CreationTimestamp = metav1.Unix(20, 0), metav1.Unix(10, 0)
	fallback := to("default", 80)
	d.Spec.DefaultBackend = &fallback
	r := newRoutes([]*networkingv1.Ingress{a, b, d})
	if got, _ := r.find("h", "/"); got.service != "b" {
		t.Errorf("got %q", got.service)
	}
	if got, ok := r.find("other", "/"); got.service != "default" || !ok {
		t.Errorf("got %q", got.service)
	}
}

// FuzzFind: whatever a client asks for and an Ingress says.
func FuzzFind(f *testing.F) {
	f.Add("foo.example.com", "/a/b", "*.example.com", "/a")
	f.Add("..", "", "", "//")
	f.Fuzz(func(t *testing.T, host, path, ruleHost, rulePath string) {
		r := newRoutes([]*networkingv1.Ingress{ingress("x", rule(ruleHost, "P"+strings.ReplaceAll(rulePath, " ", "")+" s"))})
		if got, ok := r.find(host, path); ok && got.service != "s" && !strings.ContainsRune(rulePath, ' ') && rulePath != "" {
			t.Errorf("%+v", got)
		}
	})
}

type harness struct {
	*testing.T
	*Controller
	client         *fake.Clientset
	plain, secured string
	dialled        map[string]func() (net.Conn, error)
	events         *record.FakeRecorder
}

func service(name string, ports ...corev1.ServicePort) *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: corev1.ServiceSpec{Ports: ports}}
}

func slice(service, port string, number int32, ready bool, ips ...string) *discoveryv1.EndpointSlice {
	return &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprint(service, number, ready), Labels: map[string]string{"kubernetes.io/service-name": service}},
		Ports:      []discoveryv1.EndpointPort{{Name: &port, Port: &number}},
		Endpoints:  []discoveryv1.Endpoint{{Addresses: ips, Conditions: discoveryv1.EndpointConditions{Ready: &ready}}},
	}
}

func start(t *testing.T, there ...runtime.Object) *harness {
	there = append(there, &networkingv1.IngressClass{ObjectMeta: metav1.ObjectMeta{Name: "tabernetes"}, Spec: networkingv1.IngressClassSpec{Controller: ControllerName}})
	h := &harness{T: t, client: fake.NewClientset(there...), dialled: map[string]func() (net.Conn, error){}, events: record.NewFakeRecorder(100)}
	f := informers.NewSharedInformerFactory(h.client, 0)
	h.Controller = New(Options{
		Client: h.client, Services: f, Ingresses: f, Address: netip.MustParseAddr("10.97.0.254"), Events: h.events,
		Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			if d := h.dialled[address]; d != nil {
				return d()
			}
			return nil, fmt.Errorf("dial %s: connection refused", address)
		},
	})
	for _, ip := range []string{"10.244.1.2", "10.244.1.3"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s %s %s %s for=%s proto=%s", ip, r.Method, r.Host, r.URL, r.Header.Get("X-Forwarded-For"), r.Header.Get("X-Forwarded-Proto"))
		}))
		t.Cleanup(server.Close)
		h.dialled[ip+":8080"] = func() (net.Conn, error) { return net.Dial("tcp", server.Listener.Addr().String()) }
	}
	ctx, cancel := context.WithCancel(t.Context())
	f.Start(ctx.Done())
	f.WaitForCacheSync(ctx.Done())
	var open []net.Listener
	for range 2 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, l)
	}
	h.plain, h.secured = open[0].Addr().String(), open[1].Addr().String()
	done := make(chan error, 2)
	go func() { done <- h.Controller.Run(ctx) }()
	go func() { done <- h.Serve(ctx, open[0], open[1]) }()
	t.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
	return h
}

func (h *harness) get(host, path string) (int, string) {
	h.Helper()
	req, err := http.NewRequestWithContext(h.Context(), http.MethodGet, "http://"+h.plain+path, nil)
	if err != nil {
		h.Fatal(err)
	}
	req.Host = host
	req.Header.Set("X-Forwarded-For", "6.6.6.6")
	resp, err := http.DefaultTransport.RoundTrip(req) // which follows nobody elsewhere
	if err != nil {
		h.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body)
}

// says waits until the host's path is answered so.
func (h *harness) says(host, path string, code int, text string) {
	h.Helper()
	var got int
	var body string
	for range 1000 {
		if got, body = h.get(host, path); got == code && strings.Contains(body, text) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	h.Errorf("%s%s: %d %q, want %d %q", host, path, got, body, code, text)
}

// TestRequests: a whole way, and each answer that is an Ingress's own.
func TestRequests(t *testing.T) {
	h := start(t,
		service("web", corev1.ServicePort{Name: "http", Port: 80}), slice("web", "http", 8080, true, "10.244.1.2"),
		service("half", corev1.ServicePort{Name: "http", Port: 80}), slice("half", "http", 8080, true, "10.244.1.3"), slice("half", "http", 8080, false, "10.244.1.9"),
		service("empty", corev1.ServicePort{Name: "http", Port: 80}),
		service("dead", corev1.ServicePort{Name: "http", Port: 80}), slice("dead", "http", 9999, true, "10.244.1.7"),
		service("round", corev1.ServicePort{Name: "http", Port: 80}), slice("round", "http", 80, true, "10.97.0.254"),
	)
	named := rule("named.example.com", "P/ web")
	named.HTTP.Paths[0].Backend = to("web", "http")
	wrong := rule("wrong.example.com", "P/ web")
	wrong.HTTP.Paths[0].Backend = to("web", "nope")
	resource := rule("resource.example.com", "P/ web")
	resource.HTTP.Paths[0].Backend = networkingv1.IngressBackend{Resource: &corev1.TypedLocalObjectReference{Kind: "Bucket", Name: "b"}}
	ing := ingress("all", rule("web.example.com", "P/ web", "P/empty empty"), rule("half.example.com", "P/ half"), rule("dead.example.com", "P/ dead"),
		rule("gone.example.com", "P/ nowhere"), rule("round.example.com", "P/ round"), named, wrong, resource)
	ctx := t.Context()
	if _, err := h.client.NetworkingV1().Ingresses("default").Create(ctx, ing, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	h.says("web.example.com", "/a?b=c", 200, "10.244.1.2 GET web.example.com /a?b=c for=127.0.0.1 proto=http")
	h.says("web.example.com:8443", "/", 200, "10.244.1.2")
	h.says("named.example.com", "/", 200, "10.244.1.2")
	h.says("half.example.com", "/", 200, "10.244.1.3")
	h.said(`A backend that is a resource (Bucket "b") is not served here: name a Service. Requests that it would get are answered 503`)
	h.says("web.example.com", "/empty", 503, "503 Service Unavailable")
	h.says("gone.example.com", "/", 503, "")
	h.says("wrong.example.com", "/", 503, "")
	h.says("resource.example.com", "/", 503, "")
	h.says("round.example.com", "/", 503, "")
	h.says("dead.example.com", "/", 502, "502 Bad Gateway")
	h.says("other.example.com", "/", 404, "404 Not Found")

	// The status, which goes when the class does.
	status := func(want string) {
		t.Helper()
		got := ""
		for range 1000 {
			now, err := h.client.NetworkingV1().Ingresses("default").Get(ctx, "all", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got = ""
			for _, i := range now.Status.LoadBalancer.Ingress {
				got += i.IP
			}
			if got == want {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		t.Errorf("its address is %q, want %q", got, want)
	}
	status("10.97.0.254")
	other := "nginx"
	ing.Spec.IngressClassName = &other
	ing.Status.LoadBalancer.Ingress = []networkingv1.IngressLoadBalancerIngress{{IP: "10.97.0.254"}}
	if _, err := h.client.NetworkingV1().Ingresses("default").Update(ctx, ing, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	status("")
	h.says("web.example.com", "/", 404, "")
}

// TestTLS: the Secret of the host, by SNI; one of our own where there is none, or none that is good.
func TestTLS(t *testing.T) {
	good := secret(t, "good")
	shows, _ := pem.Decode(good.Data[corev1.TLSCertKey])
	bad := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "bad"}, Data: map[string][]byte{corev1.TLSCertKey: []byte("x"), corev1.TLSPrivateKeyKey: []byte("y")}}
	ing := ingress("tls", rule("a.example.com", "P/ web"), rule("b.example.com", "P/ web"))
	ing.Spec.TLS = []networkingv1.IngressTLS{
		{Hosts: []string{"a.example.com", "*.wild.example.com"}, SecretName: "good"}, {Hosts: []string{"b.example.com"}, SecretName: "bad"},
	}
	h := start(t, ing, good, bad,
		service("web", corev1.ServicePort{Name: "http", Port: 80}), slice("web", "http", 8080, true, "10.244.1.2"))
	h.says("a.example.com", "/", 308, "308 Permanent Redirect")
	shown := func(name string) []byte {
		conn, err := tls.Dial("tcp", h.secured, &tls.Config{ServerName: name, InsecureSkipVerify: true}) //nolint:gosec // which one is looked at
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", name)
		answer, _ := io.ReadAll(conn)
		if name == "a.example.com" && !strings.Contains(string(answer), "10.244.1.2 GET a.example.com / for=127.0.0.1 proto=https") {
			t.Errorf("by TLS: %s", answer)
		}
		return conn.ConnectionState().PeerCertificates[0].Raw
	}
	for name, is := range map[string]bool{"a.example.com": true, "x.wild.example.com": true, "b.example.com": false, "c.example.com": false} {
		if got := bytes.Equal(shown(name), shows.Bytes); got != is {
			t.Errorf("%s: the Secret's certificate: %v", name, got)
		}
	}
}

// TestHostileClients: headers without end, and connections beyond the most; others are served afterwards.
func TestHostileClients(t *testing.T) {
	h := start(t, ingress("web", rule("web.example.com", "P/ web")),
		service("web", corev1.ServicePort{Name: "http", Port: 80}), slice("web", "http", 8080, true, "10.244.1.2"))
	h.says("web.example.com", "/", 200, "")
	conn, err := net.Dial("tcp", h.plain)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: web.example.com\r\nX: "+strings.Repeat("x", 1<<20))
	}()
	answer, _ := io.ReadAll(conn)
	if !strings.HasPrefix(string(answer), "HTTP/1.1 431 ") {
		t.Errorf("headers of a mebibyte: %.100q", answer)
	}
	_ = conn.Close()
	var held []net.Conn
	for range maxClients + 20 {
		if c, err := net.Dial("tcp", h.plain); err == nil {
			held = append(held, c)
		}
	}
	for _, c := range held {
		_ = c.Close()
	}
	for range 1000 {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+h.plain+"/", nil)
		req.Host = "web.example.com"
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == 200 {
				return
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("nobody is served after the flood")
}
