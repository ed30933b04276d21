// Package kubeconfig asks a cluster's owner for access and merges what comes of it into the
// user's kubeconfig. The key is made here and goes nowhere else.
//
// The hub is not believed: see core/access. It may import client-go, core/access, nodehost/hub's types and
// nodehost/hubtls; it must never send a private key.
package kubeconfig
