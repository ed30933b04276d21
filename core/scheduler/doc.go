// Package scheduler runs upstream's kube-scheduler (cmd/kube-scheduler/app) with the profiles of
// a KubeSchedulerConfiguration; without one, with the default profile.
//
// It may import upstream, core/trace and its own decision; it must never import other packages of core.
package scheduler
