package podtrace

import (
	"context"
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	_ "k8s.io/kubernetes/pkg/kubelet/lifecycle" // has the variable below, by the overlay
)

//go:linkname lifecycleHook k8s.io/kubernetes/pkg/kubelet/lifecycle.hook
var lifecycleHook func(ctx context.Context, pod *corev1.Pod, container *corev1.Container, handler *corev1.LifecycleHandler) (ended func(error))

func init() { lifecycleHook = hooked }
