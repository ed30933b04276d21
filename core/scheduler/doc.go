// Package scheduler runs upstream's kube-scheduler (cmd/kube-scheduler/app) with the profiles of
// a KubeSchedulerConfiguration, or of the Policy that came before it; without one, with the default
// profile. Pod is a second one, in a pod.
//
// What several schedulers of a process share: metrics and their registry, klog's verbosity and what upstream
// logs without a context, feature gates (read only, from a pod), and the name under which a configuration is
// shown (configz.go). Upstream's integration tests run several beside each other, too.
//
// It may import upstream, core/beside, core/relay, core/trace and its own decision; it must never import other packages of core.
package scheduler
