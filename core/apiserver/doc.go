// Package apiserver assembles upstream's kube-apiserver (cmd/kube-apiserver/app): the chain of
// aggregator, native APIs and CustomResourceDefinitions, with Node and RBAC authorization and
// the default admission plugins, over whatever storage core/store has put in place.
//
// It may import upstream, core/configuration, core/egress, core/initializers, core/inprocess, core/pki, core/relay and
// core/retired; it must never import other components of core: it is told where its files and its listener are.
package apiserver
