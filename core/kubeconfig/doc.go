// Package kubeconfig writes kubeconfig files for the components, so that upstream's commands
// are configured the way they always are.
//
// It may import client-go and core/pki; it must never import a component.
package kubeconfig
