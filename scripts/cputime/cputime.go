// Package cputime tells a benchmark what its operations take of the processors: on a machine that does other things
// as well, two runs can be compared by nothing else.
//
// It is for tests, and may import the standard library.
package cputime

import "testing"

// Report begins to count, and returns what adds cpu-ns/op to b: nanoseconds of user and system time of the whole
// process, for each iteration. Where the system does not tell, it is 0.
func Report(b *testing.B) (end func()) {
	before := used()
	return func() { b.ReportMetric(float64(used()-before)/float64(b.N), "cpu-ns/op") }
}
