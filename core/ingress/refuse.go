package ingress

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
)

// maxRefused is how many backends of an Ingress an event names.
const maxRefused = 5

// refuse says by an event, once for each change, that nobody serves an Ingress, or which of its backends: the API allows
// both.
func (c *Controller) refuse(key string) {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return // no Ingress has such a key
	}
	ing, err := c.ingresses.Ingresses(namespace).Get(name)
	if err != nil {
		delete(c.refused, key)
		return
	}
	reason, text := c.why(ing)
	if text == c.refused[key] {
		return
	}
	c.refused[key] = text
	if text == "" {
		delete(c.refused, key)
		return
	}
	c.opts.Events.Event(ing, corev1.EventTypeWarning, reason, text)
}

// why is an event's reason and text; "" for an Ingress of which all is served, or which is another controller's.
func (c *Controller) why(ing *networkingv1.Ingress) (reason, text string) {
	if c.ours(ing) {
		if text = strings.Join(c.unserved(ing), "; "); text != "" {
			text += ". Requests that it would get are answered 503"
		}
		return "BackendNotServed", text
	}
	if ing.DeletionTimestamp != nil {
		return "", ""
	}
	named := className(ing)
	if named == "" {
		return "NoIngressClass", "It has no class, and there was no default IngressClass when it was made: nobody serves it. Name one of `kubectl get ingressclass`"
	}
	if _, err := c.classes.Get(named); apierrors.IsNotFound(err) {
		return "NoIngressClass", fmt.Sprintf("There is no IngressClass %q: nobody serves it. Name one of `kubectl get ingressclass`", named)
	}
	return "", ""
}

// unserved has a sentence for each such backend.
func (c *Controller) unserved(ing *networkingv1.Ingress) (list []string) {
	for _, b := range backendsOf(ing) {
		said := ""
		switch {
		case b.Resource != nil:
			said = fmt.Sprintf("A backend that is a resource (%s %q) is not served here: name a Service", b.Resource.Kind, b.Resource.Name)
		case b.Service != nil:
			s, err := c.services.Services(ing.Namespace).Get(b.Service.Name)
			if err == nil && s.Spec.Type == corev1.ServiceTypeExternalName {
				// It would lead who may write Ingresses of one namespace into any other.
				said = fmt.Sprintf("The Service %q has the type ExternalName and is not served here: name a Service with endpoints", s.Name)
			}
		}
		if said != "" && !slices.Contains(list, said) && len(list) < maxRefused {
			list = append(list, said)
		}
	}
	return list
}

func backendsOf(ing *networkingv1.Ingress) (list []*networkingv1.IngressBackend) {
	if ing.Spec.DefaultBackend != nil {
		list = append(list, ing.Spec.DefaultBackend)
	}
	for i := range ing.Spec.Rules {
		if http := ing.Spec.Rules[i].HTTP; http != nil {
			for j := range http.Paths {
				list = append(list, &http.Paths[j].Backend)
			}
		}
	}
	return list
}

// ofService looks again at the Ingresses that name a Service of type ExternalName.
func (c *Controller) ofService(look func(any)) func(any) {
	return func(o any) {
		s, ok := o.(*corev1.Service)
		if !ok || s.Spec.Type != corev1.ServiceTypeExternalName {
			return
		}
		list, _ := c.ingresses.Ingresses(s.Namespace).List(labels.Everything()) // of a cache: it cannot fail
		for _, ing := range list {
			if slices.ContainsFunc(backendsOf(ing), func(b *networkingv1.IngressBackend) bool { return b.Service != nil && b.Service.Name == s.Name }) {
				look(ing)
			}
		}
	}
}
