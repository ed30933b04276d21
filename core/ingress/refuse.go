package ingress

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
)

// maxRefused is how many backends of an Ingress an event names.
const maxRefused = 5

// refuse says by an event, once for each change, which backends of an Ingress the API allows and nobody serves here.
func (c *Controller) refuse(key string) {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return // no Ingress has such a key
	}
	ing, err := c.ingresses.Ingresses(namespace).Get(name)
	if err != nil || !c.ours(ing) {
		delete(c.refused, key)
		return
	}
	text := strings.Join(c.unserved(ing), "; ")
	if text == c.refused[key] {
		return
	}
	c.refused[key] = text
	if text == "" {
		delete(c.refused, key)
		return
	}
	c.opts.Events.Eventf(ing, corev1.EventTypeWarning, "BackendNotServed", "%s. Requests that it would get are answered 503", text)
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
