package initializers

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/helper/qos"
	"k8s.io/kubernetes/pkg/apis/core/validation"
)

// Admission lets an initializer change a pod's spec, as upstream did until 1.13 (isUpdatingUninitializedPod of
// pkg/registry/core/pod/strategy.go): add a container, a volume. Upstream's strategy fixes the spec of a stored pod. So
// it is shown the spec as it was, the plugins that only look see the one that is wanted, and that is stored once it is
// valid as that of a new pod.
func (f *Feature) Admission(next admission.Interface) admission.Interface {
	return &podAdmission{next}
}

type podAdmission struct{ admission.Interface }

var (
	_ admission.MutationInterface   = (*podAdmission)(nil)
	_ admission.ValidationInterface = (*podAdmission)(nil)
)

// pods are the new and the old one, if it is such a change.
func pods(ctx context.Context, a admission.Attributes) (asking *asked, now, was *api.Pod) {
	if asking = askedOf(ctx); asking == nil || a.GetOperation() != admission.Update || a.GetSubresource() != "" {
		return nil, nil, nil
	}
	now, ok := a.GetObject().(*api.Pod)
	was, both := a.GetOldObject().(*api.Pod)
	if !ok || !both || len(pendingOf(was)) == 0 {
		return nil, nil, nil
	}
	return asking, now, was
}

// Admit implements admission.MutationInterface.
func (p *podAdmission) Admit(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	if next, ok := p.Interface.(admission.MutationInterface); ok {
		if err := next.Admit(ctx, a, o); err != nil {
			return err
		}
	}
	if asking, now, was := pods(ctx, a); asking != nil && !equality.Semantic.DeepEqual(now.Spec, was.Spec) {
		asking.spec = now.Spec.DeepCopy()
		now.Spec = *was.Spec.DeepCopy()
	}
	return nil
}

// Validate implements admission.ValidationInterface. The object is a copy for the plugins.
func (p *podAdmission) Validate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	if asking, now, _ := pods(ctx, a); asking != nil && asking.spec != nil {
		now.Spec = *asking.spec.DeepCopy()
	}
	if next, ok := p.Interface.(admission.ValidationInterface); ok {
		return next.Validate(ctx, a, o)
	}
	return nil
}

// setSpec puts the wanted spec into what is about to be stored.
func (a *asked) setSpec(o runtime.Object) error {
	p, ok := o.(*api.Pod)
	if a.spec == nil || !ok {
		return nil
	}
	if a.spec.NodeName != p.Spec.NodeName {
		return apierrors.NewForbidden(api.Resource("pods"), p.Name, errors.New("an initializer gives it no node"))
	}
	p.Spec = *a.spec.DeepCopy()
	options := podutil.GetValidationOptionsFromPodSpecAndMeta(&p.Spec, nil, &p.ObjectMeta, nil)
	options.ResourceIsPod = true
	if errs := validation.ValidatePodCreate(p, options); len(errs) > 0 {
		return apierrors.NewInvalid(api.Kind("Pod"), p.Name, errs)
	}
	p.Status.QOSClass = qos.ComputePodQOS(p)
	return nil
}
