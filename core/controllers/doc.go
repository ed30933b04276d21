// Package controllers runs upstream's kube-controller-manager (cmd/kube-controller-manager/app)
// with all default controllers that need no cloud, node IPAM included.
//
// It may import upstream only; it must never import other packages of core.
package controllers
