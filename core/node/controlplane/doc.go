// Package controlplane has the images whose programs are components of a control plane: kube-scheduler,
// Kubernetes' sample-apiserver, etcd, and an initializer (core/initializers) that does the three examples of the
// guide's editions. The first two are upstream's own code.
//
// A component in a pod acts for its pod: it asks the API server as the pod's ServiceAccount, over the pod's
// network, and listens there; its files are the pod's. What upstream would take from the process in place of
// that (files, addresses, variables) is refused by name.
//
// It may import upstream, core/beside, core/initializers, core/inprocess, core/kubeconfig, core/node/image, core/pki,
// core/program, core/scheduler, core/store, core/trace and core/version. It must never be needed by anything but the
// composition root: a cluster runs without it.
package controlplane
