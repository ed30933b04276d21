// Package clusterdns resolves the names of a cluster for in-tab pods, as the Kubernetes DNS
// specification has them (https://github.com/kubernetes/dns/blob/master/docs/specification.md,
// version 1.1.0): Services, headless Services and their endpoints, external names, pods by address.
// There is no server and no packet: a pod's resolver (podnet) asks a function.
//
// It may import client-go; it must never import other packages of core.
package clusterdns
