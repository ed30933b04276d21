package initializers

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistrationv1alpha1 "k8s.io/api/admissionregistration/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
)

// InitializerConfiguration says which initializers there are for which resources: as it was in
// admissionregistration.k8s.io/v1alpha1 until 1.13.
type InitializerConfiguration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// Initializers are asked in this order; those of several configurations in the order of the configurations' names.
	Initializers []Initializer `json:"initializers,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
}

// Initializer is one of them.
type Initializer struct {
	// Name is that in the pending list: a domain of at least three parts.
	Name string `json:"name"`
	// Rules say for which resources; one that matches is enough. None may name a subresource.
	Rules []admissionregistrationv1.Rule `json:"rules,omitempty"`
}

// InitializerConfigurationList is a list of them.
type InitializerConfigurationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []InitializerConfiguration `json:"items"`
}

var (
	groupVersion = admissionregistrationv1alpha1.SchemeGroupVersion
	resource     = admissionregistration.Resource("initializerconfigurations")
)

// Before any server runs: upstream's scheme is one for the process, and cannot be added to beside its readers. One
// type is both the version that is served and the one inside, as there is one version only.
func init() {
	for _, gv := range []schema.GroupVersion{groupVersion, admissionregistration.SchemeGroupVersion} {
		legacyscheme.Scheme.AddKnownTypes(gv, &InitializerConfiguration{}, &InitializerConfigurationList{})
	}
}

// DeepCopyObject implements runtime.Object.
func (c *InitializerConfiguration) DeepCopyObject() runtime.Object { return c.DeepCopy() }

// DeepCopy shares nothing with c.
func (c *InitializerConfiguration) DeepCopy() *InitializerConfiguration {
	if c == nil {
		return nil
	}
	out := &InitializerConfiguration{TypeMeta: c.TypeMeta, ObjectMeta: *c.ObjectMeta.DeepCopy()}
	for _, i := range c.Initializers {
		copied := Initializer{Name: i.Name}
		for _, r := range i.Rules {
			copied.Rules = append(copied.Rules, *r.DeepCopy())
		}
		out.Initializers = append(out.Initializers, copied)
	}
	return out
}

// DeepCopyObject implements runtime.Object.
func (l *InitializerConfigurationList) DeepCopyObject() runtime.Object {
	if l == nil {
		return nil
	}
	out := &InitializerConfigurationList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopy())
	}
	return out
}
