package apiserver

import (
	"context"
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/warning"
	api "k8s.io/kubernetes/pkg/apis/core"
)

// sctpPlugin is an admission plugin that refuses nothing and changes nothing.
const sctpPlugin = "InTabSCTP"

// sctpText is what people are told who use SCTP where a part of the nodes carries none.
const sctpText = "SCTP is accepted, and nodes in the tab carry none of it; use TCP or UDP"

// warnOfSCTP has the server warn of SCTP as long as carriesNone says that there are nodes without it. Upstream
// accepts it, whatever the network below does, and so does this server.
func warnOfSCTP(o *genericoptions.AdmissionOptions, carriesNone func() bool) {
	o.Plugins.Register(sctpPlugin, func(io.Reader) (admission.Interface, error) {
		return &sctp{Handler: admission.NewHandler(admission.Create, admission.Update), carriesNone: carriesNone}, nil
	})
	o.RecommendedPluginOrder = withWarner(o.RecommendedPluginOrder, sctpPlugin)
}

// withWarner is a copy of an order of plugins with one that only warns: the order is a variable of upstream's, which
// all servers of the process share. It stands before the last, which ResourceQuota is to be: who is refused need not
// be warned.
func withWarner(order []string, name string) []string {
	return slices.Insert(slices.Clone(order), len(order)-1, name)
}

type sctp struct {
	*admission.Handler
	carriesNone func() bool
}

var _ admission.ValidationInterface = (*sctp)(nil)

// Validate implements admission.ValidationInterface; the error is always nil.
func (s *sctp) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	// Who has been told once is not told at each status and label.
	if a.GetSubresource() == "" && usesSCTP(a.GetObject()) && !usesSCTP(a.GetOldObject()) && s.carriesNone() {
		warning.AddWarning(ctx, "", sctpText)
	}
	return nil
}

// usesSCTP says whether a Service, a pod or a workload's template names a port of SCTP.
func usesSCTP(o runtime.Object) bool {
	if s, ok := o.(*api.Service); ok {
		return slices.ContainsFunc(s.Spec.Ports, func(p api.ServicePort) bool { return p.Protocol == api.ProtocolSCTP })
	}
	spec := podsOf(o)
	return spec != nil && slices.ContainsFunc(slices.Concat(spec.InitContainers, spec.Containers), func(c api.Container) bool {
		return slices.ContainsFunc(c.Ports, func(p api.ContainerPort) bool { return p.Protocol == api.ProtocolSCTP })
	})
}
