package controller

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// claimed is a hook of core/clienttrace, nil unless it sets it: it is told of each object that a
// controller has adopted, or has released as its labels match no longer.
var claimed func(controller, object metav1.Object, adopted bool)

func claims(controller, object metav1.Object, adopted bool) {
	if claimed != nil {
		claimed(controller, object, adopted)
	}
}
