package clusterdns

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
)

func service(name string, spec corev1.ServiceSpec) runtime.Object {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: spec}
}

func endpoint(ready bool, address, hostname string) discoveryv1.Endpoint {
	return discoveryv1.Endpoint{Addresses: []string{address}, Hostname: &hostname, Conditions: discoveryv1.EndpointConditions{Ready: &ready}}
}

// names is a cluster's.
func names(t testing.TB) *Resolver {
	port, tcp, udp, web, dns := int32(8080), corev1.ProtocolTCP, corev1.ProtocolUDP, "web", "dns"
	client := fake.NewClientset(
		service("web", corev1.ServiceSpec{ClusterIP: "10.96.0.5", ClusterIPs: []string{"10.96.0.5", "fd00::5"}, Ports: []corev1.ServicePort{
			{Name: "http", Port: 80, Protocol: tcp}, {Name: "dns", Port: 53, Protocol: udp},
		}}),
		service("db", corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone}),
		service("alias", corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "web.default.svc.cluster.local"}),
		service("outside", corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "example.com"}),
		service("ping", corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "pong.default.svc.cluster.local"}),
		service("pong", corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "ping.default.svc.cluster.local"}),
		&discoveryv1.EndpointSlice{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "db-1", Labels: map[string]string{discoveryv1.LabelServiceName: "db"}},
			Endpoints:  []discoveryv1.Endpoint{endpoint(true, "10.244.0.3", "db-1"), endpoint(false, "10.244.0.4", "db-2"), endpoint(true, "10.244.0.2", "")},
			Ports:      []discoveryv1.EndpointPort{{Name: &web, Port: &port, Protocol: &tcp}, {Name: &dns, Port: &port, Protocol: &udp}},
		},
		&discoveryv1.EndpointSlice{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "db-2", Labels: map[string]string{discoveryv1.LabelServiceName: "db"}},
			Endpoints:  []discoveryv1.Endpoint{endpoint(true, "10.244.1.2", "db-3")},
		},
	)
	f := informers.NewSharedInformerFactory(client, 0)
	r := New("cluster.local", f)
	f.Start(t.Context().Done())
	f.WaitForCacheSync(t.Context().Done())
	return r
}

// ask packs a question and gives what is answered, record by record, after the code.
func ask(t testing.TB, r *Resolver, name string, kind dnsmessage.Type, limit int) (string, dnsmessage.Message) {
	t.Helper()
	q := dnsmessage.Message{Header: dnsmessage.Header{ID: 7, RecursionDesired: true}, Questions: []dnsmessage.Question{
		{Name: dnsmessage.MustNewName(name), Type: kind, Class: dnsmessage.ClassINET},
	}}
	packed, err := q.Pack()
	if err != nil {
		t.Fatal(err)
	}
	var m dnsmessage.Message
	if err := m.Unpack(r.Answer(packed, limit)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if m.ID != 7 || !m.Response || len(m.Questions) != 1 || m.Questions[0] != q.Questions[0] {
		t.Errorf("%s: answered %+v", name, m.Header)
	}
	texts := []string{map[dnsmessage.RCode]string{0: "ok", dnsmessage.RCodeNameError: "none"}[m.RCode]}
	for _, a := range m.Answers {
		switch b := a.Body.(type) {
		case *dnsmessage.AResource:
			texts = append(texts, netip.AddrFrom4(b.A).String())
		case *dnsmessage.AAAAResource:
			texts = append(texts, netip.AddrFrom16(b.AAAA).String())
		case *dnsmessage.CNAMEResource:
			texts = append(texts, a.Header.Name.String()+"="+b.CNAME.String())
		case *dnsmessage.PTRResource:
			texts = append(texts, b.PTR.String())
		case *dnsmessage.SRVResource:
			texts = append(texts, b.Target.String()+":"+strings.Repeat("I", int(b.Port/1000)))
		case *dnsmessage.TXTResource:
			texts = append(texts, b.TXT...)
		}
	}
	if len(m.Answers) == 0 && len(m.Authorities) != 1 && !m.Truncated {
		t.Errorf("%s: nothing is answered, without the zone's SOA", name)
	}
	return strings.Join(texts, " "), m
}

func TestNames(t *testing.T) {
	r := names(t)
	const a, aaaa, srv, ptr = dnsmessage.TypeA, dnsmessage.TypeAAAA, dnsmessage.TypeSRV, dnsmessage.TypePTR
	for _, c := range []struct {
		name string
		kind dnsmessage.Type
		want string
	}{
		{"web.default.svc.cluster.local.", a, "ok 10.96.0.5"},
		{"web.default.svc.cluster.local.", aaaa, "ok fd00::5"},
		{"web.default.svc.cluster.local.", dnsmessage.TypeMX, "ok"},
		{"WEB.Default.svc.Cluster.Local.", a, "ok 10.96.0.5"},
		{"db.default.svc.cluster.local.", a, "ok 10.244.0.2 10.244.0.3 10.244.1.2"},
		{"db.default.svc.cluster.local.", aaaa, "ok"},
		{"db-1.db.default.svc.cluster.local.", a, "ok 10.244.0.3"},
		{"db-2.db.default.svc.cluster.local.", a, "none"}, // not ready
		{"10-244-0-2.db.default.svc.cluster.local.", a, "ok 10.244.0.2"},
		{"x.web.default.svc.cluster.local.", a, "none"}, // not headless
		{"alias.default.svc.cluster.local.", a, "ok alias.default.svc.cluster.local.=web.default.svc.cluster.local. 10.96.0.5"},
		{"alias.default.svc.cluster.local.", dnsmessage.TypeCNAME, "ok alias.default.svc.cluster.local.=web.default.svc.cluster.local."},
		{"outside.default.svc.cluster.local.", a, "ok outside.default.svc.cluster.local.=example.com."},
		{"ping.default.svc.cluster.local.", a, "ok"}, // in a circle
		{"_http._tcp.web.default.svc.cluster.local.", srv, "ok web.default.svc.cluster.local.:"},
		{"_http._udp.web.default.svc.cluster.local.", srv, "none"},
		{"_http._tcp.web.default.svc.cluster.local.", a, "ok"},
		{"_tcp.web.default.svc.cluster.local.", srv, "ok"},
		{"http.tcp.web.default.svc.cluster.local.", srv, "none"},
		{"_web._tcp.db.default.svc.cluster.local.", srv, "ok 10-244-0-2.db.default.svc.cluster.local.:IIIIIIII db-1.db.default.svc.cluster.local.:IIIIIIII"},
		{"5.0.96.10.in-addr.arpa.", ptr, "ok web.default.svc.cluster.local."},
		{"3.0.244.10.in-addr.arpa.", ptr, "ok db-1.db.default.svc.cluster.local."},
		{"4.0.244.10.in-addr.arpa.", ptr, "none"},
		{"5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa.", ptr, "ok web.default.svc.cluster.local."},
		{"x.0.96.10.in-addr.arpa.", ptr, "none"},
		{"10-244-7-8.default.pod.cluster.local.", a, "ok 10.244.7.8"},
		{"fd00--8.default.pod.cluster.local.", aaaa, "ok fd00::8"},
		{"x.default.pod.cluster.local.", a, "none"},
		{"dns-version.cluster.local.", dnsmessage.TypeTXT, "ok 1.1.0"},
		{"web.other.svc.cluster.local.", a, "none"},
		{"web.default.cluster.local.", a, "none"},
		{"default.svc.cluster.local.", a, "ok"},
		{"other.svc.cluster.local.", a, "none"},
		{"svc.cluster.local.", a, "ok"},
		{"example.com.", a, "none"},
		{"cluster.local.", a, "ok"},
		{".", a, "none"},
		{"a.b.c.d.e.default.svc.cluster.local.", a, "none"},
	} {
		if got, _ := ask(t, r, c.name, c.kind, 0); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.name, c.kind, got, c.want)
		}
	}
}

func TestWhatIsNoQuestion(t *testing.T) {
	r := names(t)
	name := dnsmessage.MustNewName("web.default.svc.cluster.local.")
	q := dnsmessage.Question{Name: name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}
	for _, c := range []struct {
		m    dnsmessage.Message
		want dnsmessage.RCode
	}{
		{dnsmessage.Message{}, dnsmessage.RCodeFormatError},
		{dnsmessage.Message{Questions: []dnsmessage.Question{q, q}}, dnsmessage.RCodeFormatError},
		{dnsmessage.Message{Header: dnsmessage.Header{OpCode: 5}, Questions: []dnsmessage.Question{q}}, dnsmessage.RCodeNotImplemented},
		{dnsmessage.Message{Questions: []dnsmessage.Question{{Name: name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassCHAOS}}}, dnsmessage.RCodeRefused},
	} {
		packed, err := c.m.Pack()
		if err != nil {
			t.Fatal(err)
		}
		var got dnsmessage.Message
		if err := got.Unpack(r.Answer(packed, 0)); err != nil || got.RCode != c.want {
			t.Errorf("%+v: %v, %v", c.m, got.RCode, err)
		}
	}
	// Two servers that answer each other's answers would never end.
	answer := dnsmessage.Message{Header: dnsmessage.Header{Response: true}, Questions: []dnsmessage.Question{q}}
	packed, _ := answer.Pack()
	for _, m := range [][]byte{nil, []byte("x"), packed} {
		if got := r.Answer(m, 0); got != nil {
			t.Errorf("%q is answered: %q", m, got)
		}
	}
}

// TestLongAnswers are cut for datagrams, and whole by TCP.
func TestLongAnswers(t *testing.T) {
	slice := &discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "many-1", Labels: map[string]string{discoveryv1.LabelServiceName: "many"}}}
	for i := range 200 {
		slice.Endpoints = append(slice.Endpoints, endpoint(true, netip.AddrFrom4([4]byte{10, 244, 9, byte(i)}).String(), ""))
	}
	f := informers.NewSharedInformerFactory(fake.NewClientset(service("many", corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone}), slice), 0)
	r := New("cluster.local", f)
	f.Start(t.Context().Done())
	f.WaitForCacheSync(t.Context().Done())
	if _, m := ask(t, r, "many.default.svc.cluster.local.", dnsmessage.TypeA, 0); !m.Truncated || len(m.Answers) != 0 {
		t.Errorf("%d answers in a datagram, cut: %t", len(m.Answers), m.Truncated)
	}
	if _, m := ask(t, r, "many.default.svc.cluster.local.", dnsmessage.TypeA, maxStream); m.Truncated || len(m.Answers) != 200 {
		t.Errorf("%d answers by TCP, cut: %t", len(m.Answers), m.Truncated)
	}
}

// TestServe: by both ways, and after what is no question.
func TestServe(t *testing.T) {
	r := names(t)
	ctx, cancel := context.WithCancel(t.Context())
	datagrams, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	streams, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- r.Serve(ctx, datagrams, streams) }()
	for network, address := range map[string]string{"udp": datagrams.LocalAddr().String(), "tcp": streams.Addr().String()} {
		garbage, err := net.Dial(network, address)
		if err != nil {
			t.Fatal(err)
		}
		garbage.Write([]byte("\xff\xffgarbage"))
		defer garbage.Close()
		resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		}}
		ips, err := resolver.LookupHost(ctx, "db.default.svc.cluster.local.")
		if err != nil || strings.Join(ips, " ") != "10.244.0.2 10.244.0.3 10.244.1.2" {
			t.Errorf("%s: %v, %v", network, ips, err)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// FuzzAnswer: whatever comes in, what goes out is a message or nothing.
func FuzzAnswer(f *testing.F) {
	r := names(f)
	q := dnsmessage.Message{Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName("alias.default.svc.cluster.local."), Type: dnsmessage.TypeALL, Class: dnsmessage.ClassINET}}}
	packed, _ := q.Pack()
	f.Add(packed)
	f.Add([]byte("\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\xc0\x0c\x00\x01\x00\x01")) // a name that points at itself
	f.Fuzz(func(t *testing.T, message []byte) {
		for _, limit := range []int{0, maxStream} {
			answer := r.Answer(message, limit)
			if answer == nil {
				continue
			}
			var m dnsmessage.Message
			if err := m.Unpack(answer); err != nil || !m.Response {
				t.Errorf("%q is answered by %q: %v", message, answer, err)
			}
			if limit == 0 && len(answer) > maxAnswer {
				t.Errorf("%d bytes in a datagram", len(answer))
			}
		}
	})
}
