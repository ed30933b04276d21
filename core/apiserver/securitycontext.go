package apiserver

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/warning"
	api "k8s.io/kubernetes/pkg/apis/core"
)

// securityContextPlugin is an admission plugin that refuses nothing and changes nothing.
const securityContextPlugin = "InTabSecurityContext"

// warnOfSecurityContexts has the server warn of what a securityContext asks of a kernel, as long as there are nodes in
// the tab, whose programs have none: docs/nodes.md, In-tab nodes. Users, groups, allowPrivilegeEscalation and read-only
// roots hold there, and are not warned of.
func warnOfSecurityContexts(o *genericoptions.AdmissionOptions, inTab func() bool) {
	o.Plugins.Register(securityContextPlugin, func(io.Reader) (admission.Interface, error) {
		return &securityWarnings{Handler: admission.NewHandler(admission.Create, admission.Update), inTab: inTab}, nil
	})
	o.RecommendedPluginOrder = withWarner(o.RecommendedPluginOrder, securityContextPlugin)
}

type securityWarnings struct {
	*admission.Handler
	inTab func() bool
}

var _ admission.ValidationInterface = (*securityWarnings)(nil)

// Validate implements admission.ValidationInterface; the error is always nil.
func (w *securityWarnings) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetSubresource() != "" {
		return nil
	}
	fields := askedOfKernel(a.GetObject())
	// Who has been told once is not told at each label.
	if len(fields) == 0 || slices.Equal(fields, askedOfKernel(a.GetOldObject())) || !w.inTab() {
		return nil
	}
	warning.AddWarning(ctx, "", fmt.Sprintf("securityContext: %s: accepted, and without effect on nodes in the tab, where programs ask no kernel", strings.Join(fields, ", ")))
	return nil
}

// askedOfKernel are the fields of a pod's, its containers' or a template's security contexts that nobody in the tab acts
// upon, sorted. What asks for less than a pod has anyway (Unconfined, privileged: false) is none of them.
func askedOfKernel(o runtime.Object) []string {
	spec := podsOf(o)
	if spec == nil {
		return nil
	}
	var fields []string
	note := func(field string, there bool) {
		if there {
			fields = append(fields, field)
		}
	}
	profiles := func(seccomp *api.SeccompProfile, appArmor *api.AppArmorProfile, selinux *api.SELinuxOptions) {
		note("seccompProfile", seccomp != nil && seccomp.Type != api.SeccompProfileTypeUnconfined)
		note("appArmorProfile", appArmor != nil && appArmor.Type != api.AppArmorProfileTypeUnconfined)
		note("seLinuxOptions", selinux != nil)
	}
	if c := spec.SecurityContext; c != nil {
		profiles(c.SeccompProfile, c.AppArmorProfile, c.SELinuxOptions)
	}
	for _, container := range slices.Concat(spec.InitContainers, spec.Containers) {
		c := container.SecurityContext
		if c == nil {
			continue
		}
		profiles(c.SeccompProfile, c.AppArmorProfile, c.SELinuxOptions)
		note("privileged", c.Privileged != nil && *c.Privileged)
		note("capabilities", c.Capabilities != nil && len(c.Capabilities.Add)+len(c.Capabilities.Drop) > 0)
		note("procMount", c.ProcMount != nil && *c.ProcMount != api.DefaultProcMount)
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}
