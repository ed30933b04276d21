package netpolicy

import (
	"errors"
	"net/netip"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core/node/podnet"
)

// The pods: each with its name as label app, on the node 172.30.0.11.
var pods = map[string]string{"default/web": "10.244.0.2", "default/db": "10.244.0.3", "other/web": "10.244.1.2", "prod/api": "10.244.1.3"}

func cluster(t *testing.T, policies ...string) *Policies {
	t.Helper()
	objects := []runtime.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default", Labels: map[string]string{"kubernetes.io/metadata.name": "default"}}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other", Labels: map[string]string{"kubernetes.io/metadata.name": "other"}}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "prod", Labels: map[string]string{"kubernetes.io/metadata.name": "prod", "env": "prod"}}},
		pod("default", "done", "10.244.1.3", corev1.PodSucceeded), // had an address that is another's now
	}
	for key, ip := range pods {
		namespace, name := key[:len(key)-len(key[indexOf(key):])], key[indexOf(key)+1:]
		objects = append(objects, pod(namespace, name, ip, corev1.PodRunning))
	}
	for _, text := range policies {
		var p networkingv1.NetworkPolicy
		if err := yaml.UnmarshalStrict([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		if p.Namespace == "" {
			p.Namespace = "default"
		}
		objects = append(objects, &p)
	}
	p, err := New(fake.NewClientset(objects...))
	if err != nil {
		t.Fatal(err)
	}
	p.Start(t.Context().Done())
	return p
}

func indexOf(key string) int {
	for i, c := range key {
		if c == '/' {
			return i
		}
	}
	return -1
}

func pod(namespace, name, ip string, phase corev1.PodPhase) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Ports: []corev1.ContainerPort{
			{Name: "http", ContainerPort: 8080}, {Name: "dns", ContainerPort: 53, Protocol: corev1.ProtocolUDP},
		}}}},
		Status: corev1.PodStatus{Phase: phase, HostIP: "172.30.0.11", PodIPs: []corev1.PodIP{{IP: ip}}},
	}
}

const (
	denyAll     = `{metadata: {name: deny}, spec: {podSelector: {}, policyTypes: [Ingress, Egress]}}`
	denyIngress = `{metadata: {name: deny-in}, spec: {podSelector: {}}}`
	fromWeb     = `{metadata: {name: web}, spec: {podSelector: {matchLabels: {app: db}}, ingress: [{from: [{podSelector: {matchLabels: {app: web}}}], ports: [{port: 8080}]}]}}`
	fromProd    = `{metadata: {name: prod}, spec: {podSelector: {matchLabels: {app: db}}, ingress: [{from: [{namespaceSelector: {matchLabels: {env: prod}}}]}]}}`
	fromBoth    = `{metadata: {name: both}, spec: {podSelector: {}, ingress: [{from: [{namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}]}]}}`
	named       = `{metadata: {name: named}, spec: {podSelector: {matchLabels: {app: db}}, ingress: [{ports: [{port: http}, {port: dns, protocol: UDP}]}]}}`
	ranged      = `{metadata: {name: range}, spec: {podSelector: {matchLabels: {app: db}}, ingress: [{ports: [{port: 8000, endPort: 8010}]}]}}`
	block       = `{metadata: {name: block}, spec: {podSelector: {}, egress: [{to: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.244.1.0/24]}}]}], policyTypes: [Egress]}}`
	toNames     = `{metadata: {name: dns}, spec: {podSelector: {}, policyTypes: [Egress], egress: [{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: prod}}, podSelector: {matchLabels: {app: api}}}], ports: [{port: 53, protocol: UDP}]}]}}`
	nobody      = `{metadata: {name: nobody}, spec: {podSelector: {matchLabels: {app: nothing}}, policyTypes: [Ingress, Egress]}}`
	garbage     = `{metadata: {name: garbage}, spec: {podSelector: {}, ingress: [{from: [{ipBlock: {cidr: nonsense}}, {podSelector: {matchExpressions: [{key: a, operator: Nonsense}]}}]}]}}`
)

func TestWhoReachesWhom(t *testing.T) {
	for _, c := range []struct {
		name     string
		policies []string
		network  string
		from, to string // a pod or an address; to with a port
		allowed  bool
	}{
		{"without a policy", nil, "tcp", "default/web", "default/db:8080", true},
		{"a policy of nobody", []string{nobody}, "tcp", "default/web", "default/db:8080", true},
		{"nothing in", []string{denyIngress}, "tcp", "other/web", "default/db:8080", false},
		{"nothing in, but out", []string{denyIngress}, "tcp", "default/web", "prod/api:8080", true},
		{"nothing at all", []string{denyAll}, "udp", "default/web", "prod/api:53", false},
		{"nothing of another namespace", []string{denyAll}, "tcp", "other/web", "prod/api:8080", true},
		{"a pod itself", []string{denyAll}, "tcp", "default/db", "default/db:8080", true},
		{"its node", []string{denyAll}, "tcp", "172.30.0.11", "default/db:8080", true},
		{"another node", []string{denyAll}, "tcp", "172.30.0.12", "default/db:8080", false},
		{"from outside", []string{denyAll}, "tcp", "192.0.2.7", "default/db:8080", false},
		{"to outside", []string{denyAll}, "tcp", "default/db", "192.0.2.7:80", false},
		{"a pod by label", []string{denyIngress, fromWeb}, "tcp", "default/web", "default/db:8080", true},
		{"on another port", []string{denyIngress, fromWeb}, "tcp", "default/web", "default/db:8081", false},
		{"by another protocol", []string{denyIngress, fromWeb}, "udp", "default/web", "default/db:8080", false},
		{"that label in another namespace", []string{fromWeb}, "tcp", "other/web", "default/db:8080", false},
		{"a namespace", []string{fromWeb, fromProd}, "tcp", "prod/api", "default/db:9", true},
		{"a namespace without the label", []string{fromProd}, "tcp", "other/web", "default/db:9", false},
		{"both selectors", []string{fromBoth}, "tcp", "other/web", "default/db:9", true},
		{"one of both selectors", []string{fromBoth}, "tcp", "prod/api", "default/db:9", false},
		{"a named port", []string{named}, "tcp", "prod/api", "default/db:8080", true},
		{"a named port's number by another protocol", []string{named}, "udp", "prod/api", "default/db:8080", false},
		{"a named port of UDP", []string{named}, "udp", "prod/api", "default/db:53", true},
		{"a range of ports", []string{ranged}, "tcp", "prod/api", "default/db:8010", true},
		{"past its end", []string{ranged}, "tcp", "prod/api", "default/db:8011", false},
		{"an address block", []string{block}, "tcp", "default/web", "default/db:1", true},
		{"an address block's exception", []string{block}, "tcp", "default/web", "prod/api:1", false},
		{"to name servers", []string{toNames}, "udp", "default/web", "prod/api:53", true},
		{"to name servers by TCP", []string{toNames}, "tcp", "default/web", "prod/api:53", false},
		{"what says nothing allows nobody", []string{garbage}, "tcp", "default/web", "default/db:80", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := cluster(t, c.policies...)
			address := func(text string) string {
				if ip, ok := pods[text]; ok {
					return ip
				}
				return text
			}
			host, port := c.to[:lastColon(c.to)], c.to[lastColon(c.to):]
			from, to := netip.MustParseAddr(address(c.from)), netip.MustParseAddrPort(address(host)+port)
			err := p.Allow(c.network, from, from, to)
			if (err == nil) != c.allowed || err != nil && !errors.Is(err, podnet.ErrDropped) {
				t.Errorf("%s %s → %s: %v", c.network, c.from, c.to, err)
			}
		})
	}
}

func lastColon(text string) int {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == ':' {
			return i
		}
	}
	return len(text)
}

// TestASeenAddressCounts: behind a node port the endpoint's policy is asked about the node.
func TestASeenAddressCounts(t *testing.T) {
	p := cluster(t, fromWeb)
	web, to := netip.MustParseAddr(pods["default/web"]), netip.MustParseAddrPort(pods["default/db"]+":8080")
	if err := p.Allow("tcp", web, netip.MustParseAddr("172.30.0.12"), to); !errors.Is(err, podnet.ErrDropped) {
		t.Errorf("as another node: %v", err)
	}
	if err := p.Allow("tcp", web, netip.MustParseAddr("172.30.0.11"), to); err != nil {
		t.Errorf("as its own node: %v", err)
	}
}

// TestAPodIsHeldFromItsFirstMoment: before its status has its address, and its address's last owner is
// not taken for it.
func TestAPodIsHeldFromItsFirstMoment(t *testing.T) {
	p := cluster(t, denyAll)
	ip, to := netip.MustParseAddr("10.244.0.9"), netip.MustParseAddrPort(pods["prod/api"]+":8080")
	if err := p.Allow("tcp", ip, ip, to); err != nil {
		t.Fatalf("nobody's address: %v", err)
	}
	detach := p.Attach(ip, Pod{Namespace: "default", Name: "new"})
	if err := p.Allow("tcp", ip, ip, to); !errors.Is(err, podnet.ErrDropped) {
		t.Errorf("a new pod: %v", err)
	}
	again := p.Attach(ip, Pod{Namespace: "other", Name: "next"})
	detach() // late
	if err := p.Allow("tcp", ip, ip, to); err != nil {
		t.Errorf("the next one: %v", err)
	}
	again()
	old := netip.MustParseAddr(pods["default/web"])
	defer p.Attach(old, Pod{Namespace: "other", Name: "heir"})()
	if err := p.Allow("tcp", old, old, to); err != nil {
		t.Errorf("who has the address after another: %v", err)
	}
}
