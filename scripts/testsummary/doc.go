// Command testsummary says how a run of tests ended: which tests failed for good and with which words, and what
// does not show in their passing: which passed only in a second run, and which did not run and why.
//
//	go run ./scripts/testsummary out/test/*.json    events of go test -json, one file a stage
//
// Tests in Chromium and under vitest write theirs in the same form (events.mjs).
//
// It exits with 1 if a test was skipped for lack of rights although it runs as root: on such a
// machine every test runs.
//
// It may import the standard library only.
package main
