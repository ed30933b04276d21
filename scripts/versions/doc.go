// Command versions keeps the module's dependencies at what k8s.io/kubernetes names in its own
// go.mod, and moves all of Kubernetes at once.
//
//	go run ./scripts/versions verify         fails, naming each module that drifted
//	go run ./scripts/versions bump 1.36.4    edits go.mod; go mod tidy and the build come after
//
// One drifting module drags others along: etcd, grpc, x/sys. It may import the standard library
// only.
package main
