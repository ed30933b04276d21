// Package localpath says what the StorageClass local-path is: volumes that are directories of nodes.
//
//	volume.go  what such a volume looks like, on which node it is, and when it is over
//	class.go   the StorageClass
//	policy.go  what nodes may do with volumes, and the policy that holds each to its own
//
// Four parts share it: core/bootstrap makes the class and the rules, core/localpath/provisioner makes and removes a
// node's volumes, core/realnode those of nodes that have gone, and core/cluster has in-tab nodes served.
//
// It may import k8s.io/api, and component-helpers; it must never ask an API server.
package localpath
