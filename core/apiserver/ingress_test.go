package apiserver

import (
	"context"
	"fmt"
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubernetes/pkg/apis/networking"
)

// TestIngressesAreWarnedOf: what an Ingress says and nobody reads, once for each such word, and never refused.
func TestIngressesAreWarnedOf(t *testing.T) {
	const ours = "tabernetes.internal/ingress-controller"
	class := func(name, controller string) *networkingv1.IngressClass {
		return &networkingv1.IngressClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: networkingv1.IngressClassSpec{Controller: controller}}
	}
	f := informers.NewSharedInformerFactory(fake.NewClientset(class("tabernetes", ours), class("traefik", "traefik.io/ingress-controller")), 0)
	inTab := true
	plugin := &ingressWarnings{Handler: admission.NewHandler(admission.Create, admission.Update), inTab: func() bool { return inTab }, controller: ours}
	of := func(class string, annotations ...string) *networking.Ingress {
		ing := &networking.Ingress{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{}}}
		if class != "" {
			ing.Spec.IngressClassName = &class
		}
		for _, a := range annotations {
			name, value, _ := strings.Cut(a, "=")
			ing.Annotations[name] = value
		}
		return ing
	}
	said := func(now, before *networking.Ingress, subresource string) string {
		t.Helper()
		var w warnings
		a := admission.NewAttributesRecord(now, nil, schema.GroupVersionKind{}, "ns", "x", schema.GroupVersionResource{}, subresource, admission.Create, nil, false, nil)
		if before != nil {
			a = admission.NewAttributesRecord(now, before, schema.GroupVersionKind{}, "ns", "x", schema.GroupVersionResource{}, subresource, admission.Update, nil, false, nil)
		}
		if err := plugin.Validate(warning.WithWarningRecorder(context.Background(), &w), a, nil); err != nil {
			t.Error(err)
		}
		return strings.Join(w, "|")
	}
	if said(of("nginx"), nil, "") != "" {
		t.Error("warned of classes that it does not know yet")
	}
	plugin.SetExternalKubeInformerFactory(f)
	f.Start(t.Context().Done())
	f.WaitForCacheSync(t.Context().Done())

	many := []string{}
	for i := range 8 {
		many = append(many, fmt.Sprintf("nginx.ingress.kubernetes.io/a%d=x", i))
	}
	for _, c := range []struct {
		ing  *networking.Ingress
		want string
	}{
		{of("tabernetes"), ""},
		{of("tabernetes", "nginx.ingress.kubernetes.io/ssl-redirect=false", "example.com/x=y", "cert-manager.io/issuer=z"), ""},
		{of("traefik", "traefik.ingress.kubernetes.io/router.tls=true"), ""},
		{of("", "kubernetes.io/ingress.class=tabernetes"), ""},
		{of("nginx"), "there is no IngressClass \"nginx\": nobody serves this Ingress; leave its class out, or name one of `kubectl get ingressclass`; `minikube addons enable ingress` makes it"},
		{of("public"), "there is no IngressClass \"public\": nobody serves this Ingress; leave its class out, or name one of `kubectl get ingressclass`"},
		{of("", "kubernetes.io/ingress.class=nginx"), "there is no IngressClass \"nginx\": nobody serves this Ingress; leave its class out, or name one of `kubectl get ingressclass`; `minikube addons enable ingress` makes it"},
		{of(""), "it has no class, and there is no default IngressClass: nobody serves this Ingress; name one of `kubectl get ingressclass`"},
		{of("tabernetes", "nginx.ingress.kubernetes.io/rewrite-target=/", "haproxy.org/path-rewrite=/"), "the Ingress controller of the tab does not read haproxy.org/path-rewrite, nginx.ingress.kubernetes.io/rewrite-target"},
		{of("tabernetes", many...), "the Ingress controller of the tab does not read nginx.ingress.kubernetes.io/a0, nginx.ingress.kubernetes.io/a1, nginx.ingress.kubernetes.io/a2, nginx.ingress.kubernetes.io/a3, nginx.ingress.kubernetes.io/a4, and 3 more"},
	} {
		if got := said(c.ing, nil, ""); got != c.want {
			t.Errorf("%v:\n got %q\nwant %q", c.ing.Annotations, got, c.want)
		}
		if got := said(c.ing, c.ing, ""); got != "" {
			t.Errorf("told again: %q", got)
		}
	}
	if said(of("nginx"), of("tabernetes"), "") == "" || said(of("nginx"), of("tabernetes"), "status") != "" {
		t.Error("changes")
	}
	inTab = false
	if said(of("nginx"), nil, "") != "" {
		t.Error("warned in a cluster of real nodes only")
	}
}
