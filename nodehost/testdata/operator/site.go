package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Site is the operator's own kind: a text that so many servers show.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SiteSpec   `json:"spec"`
	Status            SiteStatus `json:"status,omitempty"`
}

// SiteSpec is what its owner wants.
type SiteSpec struct {
	Replicas int32  `json:"replicas"`
	Text     string `json:"text,omitempty"`
}

// SiteStatus is how many servers are ready, and which operator has seen to it.
type SiteStatus struct {
	Ready int32  `json:"ready"`
	By    string `json:"by,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (s *Site) DeepCopyObject() runtime.Object {
	c := *s
	s.ObjectMeta.DeepCopyInto(&c.ObjectMeta)
	return &c
}

// SiteList is a list of them.
type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Site `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (l *SiteList) DeepCopyObject() runtime.Object {
	c := *l
	l.ListMeta.DeepCopyInto(&c.ListMeta)
	c.Items = nil
	for i := range l.Items {
		c.Items = append(c.Items, *l.Items[i].DeepCopyObject().(*Site))
	}
	return &c
}

func addToScheme(s *runtime.Scheme) {
	version := schema.GroupVersion{Group: "example.tabernetes.dev", Version: "v1"}
	s.AddKnownTypes(version, &Site{}, &SiteList{})
	metav1.AddToGroupVersion(s, version)
}
