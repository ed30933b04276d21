// Package localpath says what the StorageClass local-path is: volumes that are directories of real nodes.
//
//	volume.go  what such a volume looks like, on which node it is, and when it is over
//	class.go   the StorageClass
//	policy.go  what nodes may do with volumes, and the policy that holds each to its own
//
// Four parts share it: core/bootstrap makes the class and the rules, nodehost/volumes makes and removes a
// node's volumes, core/realnode those of nodes that have gone, and the in-tab nodes have none.
//
// It may import k8s.io/api, component-helpers and core/realnode/wellknown; it must never ask an API server.
package localpath
