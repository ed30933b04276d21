package ingress

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// said waits for the next event.
func (h *harness) said(text string) {
	h.Helper()
	select {
	case e := <-h.events.Events:
		if !strings.Contains(e, text) {
			h.Errorf("the event is %q, want %q", e, text)
		}
	case <-h.Context().Done():
		h.Errorf("no event says %q", text)
	}
}

// secret is a Secret with a certificate.
func secret(t *testing.T, name string) *corev1.Secret {
	made, err := fakeCertificate()
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(made.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	var certPEM, keyPEM bytes.Buffer
	_ = pem.Encode(&certPEM, &pem.Block{Type: "CERTIFICATE", Bytes: made.Certificate[0]})
	_ = pem.Encode(&keyPEM, &pem.Block{Type: "PRIVATE KEY", Bytes: key})
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Data:       map[string][]byte{corev1.TLSCertKey: certPEM.Bytes(), corev1.TLSPrivateKeyKey: keyPEM.Bytes()},
	}
}

// asking is a context that says when somebody asks for its end, as a request does before it waits.
type asking struct {
	context.Context
	asked chan struct{}
	once  sync.Once
}

func (a *asking) Done() <-chan struct{} {
	a.once.Do(func() { close(a.asked) })
	return a.Context.Done()
}

// TestARequestWaitsForTheFirstEndpoint: a rollout is through before the EndpointSlice controller, which may have laid
// the Service aside for a second, tells of it.
func TestARequestWaitsForTheFirstEndpoint(t *testing.T) {
	h := start(t, ingress("web", rule("web.example.com", "P/ web")), service("web", corev1.ServicePort{Name: "http", Port: 80}), slice("web", "http", 8080, true))
	h.says("web.example.com", "/", 503, "") // when its time is over
	ctx := &asking{Context: t.Context(), asked: make(chan struct{})}
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://web.example.com/", nil)
	answer := httptest.NewRecorder()
	answered := make(chan struct{})
	go func() { defer close(answered); h.handler().ServeHTTP(answer, req) }()
	select {
	case <-ctx.asked:
	case <-answered:
	}
	if _, err := h.client.DiscoveryV1().EndpointSlices("default").Update(t.Context(), slice("web", "http", 8080, true, "10.244.1.2"), metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	<-answered
	if answer.Code != 200 || !strings.HasPrefix(answer.Body.String(), "10.244.1.2 ") {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

// TestEndpointsThatEnd serve as long as there is no other.
func TestEndpointsThatEnd(t *testing.T) {
	yes := true
	ending := slice("web", "http", 8080, false, "10.244.1.2")
	ending.Endpoints[0].Conditions.Serving, ending.Endpoints[0].Conditions.Terminating = &yes, &yes
	h := start(t, ingress("web", rule("web.example.com", "P/ web")), service("web", corev1.ServicePort{Name: "http", Port: 80}), ending)
	h.says("web.example.com", "/", 200, "10.244.1.2")
	if _, err := h.client.DiscoveryV1().EndpointSlices("default").Create(t.Context(), slice("web", "http", 8080, true, "10.244.1.3"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	h.says("web.example.com", "/", 200, "10.244.1.3")
	for range 20 {
		if _, body := h.get("web.example.com", "/"); !strings.HasPrefix(body, "10.244.1.3") {
			t.Fatalf("led to one that ends: %s", body)
		}
	}
}

// TestExternalNamesAreRefused, and it is said.
func TestExternalNamesAreRefused(t *testing.T) {
	named := service("out", corev1.ServicePort{Name: "http", Port: 80})
	named.Spec.Type, named.Spec.ExternalName = corev1.ServiceTypeExternalName, "web.other.svc.cluster.local"
	h := start(t, ingress("out", rule("out.example.com", "P/ out", "P/again out")), named, slice("out", "http", 8080, true, "10.244.1.2"))
	h.said(`BackendNotServed The Service "out" has the type ExternalName and is not served here: name a Service with endpoints. Requests`)
	h.says("out.example.com", "/", 503, "")
	// One that becomes so later is found, too.
	ctx := t.Context()
	if _, err := h.client.NetworkingV1().Ingresses("default").Create(ctx, ingress("later", rule("later.example.com", "P/ later")), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	later := named.DeepCopy()
	later.Name = "later"
	if _, err := h.client.CoreV1().Services("default").Create(ctx, later, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	h.said(`The Service "later" has the type ExternalName`)
}

// TestAClassThatIsNotThere is said, until it is; the annotation that was before the field counts as well.
func TestAClassThatIsNotThere(t *testing.T) {
	nginx, older, none, others := ingress("new", rule("new.example.com", "P/ web")), ingress("older", rule("older.example.com", "P/ web")), ingress("none"), ingress("others")
	class, traefik := "nginx", "traefik"
	nginx.Spec.IngressClassName = &class
	older.Spec.IngressClassName, older.Annotations = nil, map[string]string{"kubernetes.io/ingress.class": "tabernetes"}
	none.Spec.IngressClassName = nil
	others.Spec.IngressClassName = &traefik
	h := start(t, nginx, older, others, service("web", corev1.ServicePort{Name: "http", Port: 80}), slice("web", "http", 8080, true, "10.244.1.2"),
		&networkingv1.IngressClass{ObjectMeta: metav1.ObjectMeta{Name: "traefik"}, Spec: networkingv1.IngressClassSpec{Controller: "traefik.io/ingress-controller"}})
	h.said("Warning NoIngressClass There is no IngressClass \"nginx\": nobody serves it. Name one of `kubectl get ingressclass`")
	h.says("older.example.com", "/", 200, "10.244.1.2")
	h.says("new.example.com", "/", 404, "")
	ctx := t.Context()
	if _, err := h.client.NetworkingV1().Ingresses("default").Create(ctx, none, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	h.said("Warning NoIngressClass It has no class")
	made := &networkingv1.IngressClass{ObjectMeta: metav1.ObjectMeta{Name: "nginx"}, Spec: networkingv1.IngressClassSpec{Controller: ControllerName}}
	if _, err := h.client.NetworkingV1().IngressClasses().Create(ctx, made, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	h.says("new.example.com", "/", 200, "10.244.1.2")
	if len(h.events.Events) > 0 {
		t.Errorf("and said besides: %s", <-h.events.Events)
	}
}

// TestRedirects: HTTP leads to HTTPS where an Ingress names a certificate that is there, unless it says otherwise.
func TestRedirects(t *testing.T) {
	tlsOf := func(name, secret string, hosts ...string) *networkingv1.Ingress {
		ing := ingress(name)
		for _, host := range hosts {
			ing.Spec.Rules = append(ing.Spec.Rules, rule(host, "P/ web"))
		}
		ing.Spec.TLS = []networkingv1.IngressTLS{{Hosts: hosts, SecretName: secret}}
		return ing
	}
	plain := tlsOf("plain", "good", "plain.example.com")
	plain.Annotations = map[string]string{plainAnnotation: "false"}
	h := start(t, tlsOf("a", "good", "a.example.com", "*.wild.example.com"), tlsOf("b", "gone", "b.example.com"), plain, secret(t, "good"),
		service("web", corev1.ServicePort{Name: "http", Port: 80}), slice("web", "http", 8080, true, "10.244.1.2"))
	h.says("plain.example.com", "/", 200, "") // all of them are known
	for host, want := range map[string]string{
		"a.example.com": "https://a.example.com//b%2Fc?d=%0A", "a.example.com:8080": "https://a.example.com//b%2Fc?d=%0A", "x.wild.example.com": "https://x.wild.example.com//b%2Fc?d=%0A",
		"b.example.com": "", "plain.example.com": "",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+h.plain+"//b%2Fc?d=%0A", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		code := http.StatusOK
		if want != "" {
			code = http.StatusPermanentRedirect
		}
		if got := resp.Header.Get("Location"); got != want || resp.StatusCode != code {
			t.Errorf("%s: %d %q, want %q", host, resp.StatusCode, got, want)
		}
	}
}

// TestHTTP2 is spoken with who asks for it, and only so many requests at once on one connection.
func TestHTTP2(t *testing.T) {
	h := start(t, ingress("web", rule("web.example.com", "P/ web")),
		service("web", corev1.ServicePort{Name: "http", Port: 80}), slice("web", "http", 8080, true, "10.244.1.2"))
	h.says("web.example.com", "/", 200, "")
	for _, h2 := range []bool{true, false} {
		transport := &http.Transport{ForceAttemptHTTP2: h2, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // a certificate that proves nothing
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+h.secured+"/x", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "web.example.com"
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		transport.CloseIdleConnections()
		if want := map[bool]int{true: 2, false: 1}[h2]; resp.ProtoMajor != want || string(body) != "10.244.1.2 GET web.example.com /x for=127.0.0.1 proto=https" {
			t.Errorf("%s: %s", resp.Proto, body)
		}
	}
	// The server's own word for it: SETTINGS_MAX_CONCURRENT_STREAMS, 3.
	conn, err := tls.Dial("tcp", h.secured, &tls.Config{NextProtos: []string{"h2"}, InsecureSkipVerify: true}) //nolint:gosec // as above
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"); err != nil {
		t.Fatal(err)
	}
	frame := make([]byte, 9)
	if _, err := io.ReadFull(conn, frame); err != nil {
		t.Fatal(err)
	}
	settings := make([]byte, int(frame[0])<<16|int(frame[1])<<8|int(frame[2]))
	if _, err := io.ReadFull(conn, settings); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(settings, []byte{0, 3, 0, 0, 0, maxStreams}) {
		t.Errorf("the settings are % x", settings)
	}
}
