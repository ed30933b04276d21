// Package kubeconfig asks a cluster's owner for access and merges what comes of it into the
// user's kubeconfig. The key is made here and goes nowhere else.
//
// It may import client-go and core/access; it must never send a private key.
package kubeconfig
