// Package kubectl is the terminal's command line: upstream kubectl (k8s.io/kubectl/pkg/cmd) as
// a program among the small tools of core/shell, in shell sessions that keep their variables
// and working directory.
//
// Upstream's kubectl is written as the only command of its process. Here several run at once,
// in the process of the apiserver itself, so that everything that upstream keeps per process
// is given to each command: its verbosity, its working directory and files, its end.
//
// It may import k8s.io/{kubectl,cli-runtime,client-go,…}, core/kubeconfig, core/program and
// core/shell; it must never import k8s.io/kubernetes, any other part of core, nor set klog's verbosity.
package kubectl
