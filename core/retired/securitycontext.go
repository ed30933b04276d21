package retired

import (
	"context"
	"errors"

	"k8s.io/apiserver/pkg/admission"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	api "k8s.io/kubernetes/pkg/apis/core"
)

// SecurityContextDeny refuses pods that choose a user, groups or SELinux options: upstream's until 1.29
// (plugin/pkg/admission/securitycontext/scdeny). PodSecurity is its heir. Other than upstream's it looks at ephemeral
// containers, too: what it refuses would come back in by them.
const SecurityContextDeny = "SecurityContextDeny"

type securityContextDeny struct{ *admission.Handler }

var _ admission.ValidationInterface = securityContextDeny{}

func newSecurityContextDeny() admission.Interface {
	return securityContextDeny{admission.NewHandler(admission.Create, admission.Update)}
}

// Validate implements admission.ValidationInterface.
func (securityContextDeny) Validate(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	pod, ok := a.GetObject().(*api.Pod)
	if !ok || a.GetSubresource() != "" && a.GetSubresource() != "ephemeralcontainers" || a.GetResource().GroupResource() != api.Resource("pods") {
		return nil
	}
	if c := pod.Spec.SecurityContext; c != nil {
		switch {
		case c.SupplementalGroups != nil:
			return denied(a, "pod.Spec.SecurityContext.SupplementalGroups")
		case c.SELinuxOptions != nil:
			return denied(a, "pod.Spec.SecurityContext.SELinuxOptions")
		case c.RunAsUser != nil:
			return denied(a, "pod.Spec.SecurityContext.RunAsUser")
		case c.FSGroup != nil:
			return denied(a, "pod.Spec.SecurityContext.FSGroup")
		}
	}
	var err error
	podutil.VisitContainers(&pod.Spec, podutil.AllContainers, func(c *api.Container, _ podutil.ContainerType) bool {
		switch {
		case c.SecurityContext == nil:
		case c.SecurityContext.SELinuxOptions != nil:
			err = denied(a, "SecurityContext.SELinuxOptions")
		case c.SecurityContext.RunAsUser != nil:
			err = denied(a, "SecurityContext.RunAsUser")
		}
		return err == nil
	})
	return err
}

func denied(a admission.Attributes, field string) error {
	return admission.NewForbidden(a, errors.New(field+" is forbidden"))
}
