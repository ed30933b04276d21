// Package hostutil answers what the kubelet asks about paths of its host
// (hostutil.HostUtils of k8s.io/kubernetes/pkg/volume/util/hostutil), from
// plain os calls. Upstream has an implementation for Linux that reads /proc and
// one for everything else that returns errors; this one is the same everywhere.
//
// It imports the standard library and the upstream interface. It must never
// change anything on the host.
package hostutil
