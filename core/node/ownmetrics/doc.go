// Package ownmetrics keeps apart what the kubelets of one process measure.
//
// Upstream takes it for granted that a process has one kubelet: what it counts is in variables of packages, collectors
// of its state (volume statistics, log sizes) are in the process-wide registry, where the second one panics
// ("duplicate metrics collector registration attempted"), and /metrics serves that registry. There is no seam for
// several, so the two things that a package of upstream's registers itself with are replaced: the variable
// legacyregistry.MustRegister and the registry behind it. A kubelet is known by the goroutines that it has begun (core/goroutine).
//
//	owner.go     which kubelet a goroutine is of
//	apart.go     one metric, with a value for each kubelet and one for the rest of the process
//	register.go  upstream's counters, gauges, histograms and vectors of them are made so when they are registered
//	registry.go  what /metrics of a kubelet, and of the process, has of all that
//
// Apart are metrics whose names begin as those in register.go, those of clients and work queues among them. What counts
// the process as such (go_, process_) each kubelet serves as well, as it is of that process; what the API server, the
// scheduler and the controllers measure no kubelet serves.
//
// Packages are initialized in the order of their paths as soon as what they import is (Go's specification, "Program
// initialization"). This one's path comes before all of k8s.io's, and it imports next to nothing, so that it is there
// before any package registers what is meant here. TestUpstreamsAreApart holds that.
//
// It imports component-base/metrics, prometheus' client and core/goroutine. It must never import what registers metrics.
package ownmetrics
