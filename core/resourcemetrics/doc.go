// Package resourcemetrics serves metrics.k8s.io/v1beta1, which `kubectl top` and the
// HorizontalPodAutoscaler ask for: what sigs.k8s.io/metrics-server does, inside of the API server's process.
//
//	read.go     what one kubelet says in /metrics/resource
//	points.go   the last two times of that, and the usage between them
//	collect.go  asks every node, each 15 s
//	serve.go    the API group, for the server that serves the native ones
//	history.go  the last of what each image's containers have used
//
// As metrics-server, it knows of a container no more than its node says. Its history, of half an hour or so, is for
// estimates (InitialResources), and not served.
// It may import k8s.io/metrics, k8s.io/apiserver, client-go and github.com/distribution/reference. It must never believe a node about a pod
// that is not bound to it.
package resourcemetrics
