package clusterdns

import (
	"errors"
	"net"
	"strings"
	"testing"

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

func TestNames(t *testing.T) {
	client := fake.NewClientset(
		service("web", corev1.ServiceSpec{ClusterIP: "10.96.0.5", ClusterIPs: []string{"10.96.0.5", "fd00::5"}}),
		service("db", corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone}),
		service("alias", corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "web.default.svc.cluster.local"}),
		service("outside", corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "example.com"}),
		service("ping", corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "pong.default.svc.cluster.local"}),
		service("pong", corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "ping.default.svc.cluster.local"}),
		&discoveryv1.EndpointSlice{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "db-1", Labels: map[string]string{discoveryv1.LabelServiceName: "db"}},
			Endpoints:  []discoveryv1.Endpoint{endpoint(true, "10.244.0.3", "db-1"), endpoint(false, "10.244.0.4", "db-2"), endpoint(true, "10.244.0.2", "")},
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
	for name, want := range map[string]string{
		"web.default.svc.cluster.local.":              "10.96.0.5 fd00::5",
		"WEB.Default.svc.Cluster.Local.":              "10.96.0.5 fd00::5",
		"db.default.svc.cluster.local.":               "10.244.0.2 10.244.0.3 10.244.1.2",
		"db-1.db.default.svc.cluster.local.":          "10.244.0.3",
		"db-2.db.default.svc.cluster.local.":          "", // not ready
		"10-244-0-2.db.default.svc.cluster.local.":    "10.244.0.2",
		"x.web.default.svc.cluster.local.":            "", // not headless
		"alias.default.svc.cluster.local.":            "10.96.0.5 fd00::5",
		"outside.default.svc.cluster.local.":          "",
		"ping.default.svc.cluster.local.":             "",
		"10-244-7-8.default.pod.cluster.local.":       "10.244.7.8",
		"fd00--8.default.pod.cluster.local.":          "fd00::8",
		"x.default.pod.cluster.local.":                "",
		"web.other.svc.cluster.local.":                "",
		"web.default.cluster.local.":                  "",
		"default.svc.cluster.local.":                  "",
		"example.com.":                                "",
		"cluster.local.":                              "",
		".":                                           "",
		"a.b.c.d.e.default.svc.cluster.local.":        "",
		"web.default.svc.cluster.local.cluster.local": "",
	} {
		got, err := r.LookupHost(t.Context(), name)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", name, got, want)
		}
		var dns *net.DNSError
		if (want == "") != (errors.As(err, &dns) && dns.IsNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
