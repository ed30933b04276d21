// Package kubeconfig puts kubeconfigs together, and writes them for the components, so that upstream's
// commands are configured the way they always are. (cluster-info, which has a cluster and no user, is
// core/bootstrap's.)
//
// It may import client-go and core/pki; it must never import a component.
package kubeconfig
