package apiserver

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	networkingv1beta1 "k8s.io/api/networking/v1beta1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/informers"
	networkinglisters "k8s.io/client-go/listers/networking/v1"
	"k8s.io/kubernetes/pkg/apis/networking"
)

// ingressPlugin is an admission plugin that refuses nothing and changes nothing.
const ingressPlugin = "InTabIngress"

// warnOfIngresses has the server warn of what an Ingress says and nobody reads, as long as there are nodes in the tab,
// whose controller serves the classes that name it: a class that is not there, and other controllers' annotations.
func warnOfIngresses(o *genericoptions.AdmissionOptions, inTab func() bool, controller string) {
	o.Plugins.Register(ingressPlugin, func(io.Reader) (admission.Interface, error) {
		return &ingressWarnings{Handler: admission.NewHandler(admission.Create, admission.Update), inTab: inTab, controller: controller}, nil
	})
	o.RecommendedPluginOrder = withWarner(o.RecommendedPluginOrder, ingressPlugin)
}

type ingressWarnings struct {
	*admission.Handler
	inTab      func() bool
	controller string
	classes    networkinglisters.IngressClassLister
	synced     func() bool
}

var (
	_ admission.ValidationInterface                = (*ingressWarnings)(nil)
	_ initializer.WantsExternalKubeInformerFactory = (*ingressWarnings)(nil)
)

// SetExternalKubeInformerFactory implements initializer.WantsExternalKubeInformerFactory.
func (w *ingressWarnings) SetExternalKubeInformerFactory(f informers.SharedInformerFactory) {
	classes := f.Networking().V1().IngressClasses()
	w.classes, w.synced = classes.Lister(), classes.Informer().HasSynced
}

// ValidateInitialization implements admission.InitializationValidator.
func (w *ingressWarnings) ValidateInitialization() error { return nil }

// Validate implements admission.ValidationInterface; the error is always nil. What was set by default counts: it comes
// after all that change objects.
func (w *ingressWarnings) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	now, ok := a.GetObject().(*networking.Ingress)
	if !ok || a.GetSubresource() != "" || w.classes == nil || !w.synced() || !w.inTab() {
		return nil
	}
	before, _ := a.GetOldObject().(*networking.Ingress)
	// Who has been told once is not told at each label.
	if text := w.of(now); text != "" && (before == nil || w.of(before) != text) {
		warning.AddWarning(ctx, "", text)
	}
	return nil
}

// of is what nobody reads of an Ingress; "" if there is nothing.
func (w *ingressWarnings) of(ing *networking.Ingress) string {
	named := ing.Annotations[networkingv1beta1.AnnotationIngressClass] // the API asks controllers to honour it still
	if ing.Spec.IngressClassName != nil {
		named = *ing.Spec.IngressClassName
	}
	if named == "" {
		return "it has no class, and there is no default IngressClass: nobody serves this Ingress; name one of `kubectl get ingressclass`"
	}
	class, err := w.classes.Get(named)
	if err != nil {
		return fmt.Sprintf("there is no IngressClass %q: nobody serves this Ingress; leave its class out, or name one of `kubectl get ingressclass`%s", named, fromAddon(named))
	}
	if class.Spec.Controller != w.controller {
		return "" // somebody's own, who reads what it says
	}
	unread := unreadAnnotations(ing)
	if len(unread) == 0 {
		return ""
	}
	return fmt.Sprintf("the Ingress controller of the tab does not read %s", strings.Join(unread, ", "))
}

// fromAddon is how the class that most manifests name is made, where people look for it.
func fromAddon(class string) string {
	if class == "nginx" {
		return "; `minikube addons enable ingress` makes it"
	}
	return ""
}

// readAnnotation is the one that core/ingress reads.
const readAnnotation = "nginx.ingress.kubernetes.io/ssl-redirect"

// maxUnread is how many annotations a warning names.
const maxUnread = 5

// controllerDomains are the domains of controllers' annotations that do not end in ingress.kubernetes.io.
var controllerDomains = []string{"nginx.org", "nginx.com", "haproxy.org", "haproxy-ingress.github.io", "konghq.com"}

// unreadAnnotations are those by which manifests tell other controllers what to do, sorted.
func unreadAnnotations(ing *networking.Ingress) (names []string) {
	for name := range ing.Annotations {
		domain, _, _ := strings.Cut(name, "/")
		if name != readAnnotation && (domain == "ingress.kubernetes.io" || strings.HasSuffix(domain, ".ingress.kubernetes.io") || slices.Contains(controllerDomains, domain)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if more := len(names) - maxUnread; more > 0 {
		names = append(names[:maxUnread], fmt.Sprintf("and %d more", more))
	}
	return names
}
