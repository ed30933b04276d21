// Command conformance runs Kubernetes' own conformance suite (k8s.io/kubernetes/test/e2e of the
// version in go.mod, unchanged) against a cluster of ours, through the hub, and keeps the count.
//
//	suite.go    builds the runner and kubectl, lists the tests
//	target.go   starts a cluster: the native core, or a tab, or one of real nodes (real.go)
//	run.go      runs what has no result yet, in shards, several at a time
//	results.go  docs/conformance.json: one result per test and target, merged run by run
//	commit.go   which commit a result is of
//	report.go   docs/conformance.md, generated from it
//
// It may import the standard library only. It must never change a test, skip one without a
// reason in reasons.go, or keep a result of another version.
package main
