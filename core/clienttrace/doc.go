// Package clienttrace tells a trace.Bus what client-go does for controllers: which event an informer
// handed on, which item of a work queue was added because of it, what was done about the item, what was read
// of informers' caches for that, and which pods were created together.
// What a handler or a worker does is marked as caused by it (trace.Mark).
//
// Upstream has no seam for that: in the tab the hooks are lines of the overlay, natively there are
// none, and causes are found by objects.
//
// It may import k8s.io/{apimachinery,client-go}, in the tab
// k8s.io/kubernetes/pkg/controller with replicaset and tainteviction for their hooks, core/goroutine and core/trace.
package clienttrace
