package main

import (
	"bytes"
	"context"
	"fmt"
)

// maxRetried is how many tests are run a second time: where more fail, it is not the machine that was too busy.
const maxRetried = 5

// retried is a test that was run a second time, and why.
type retried struct {
	test   test
	reason string // of its first run's failure
}

// again runs what failed once more, one after the other, against the same cluster.
func (s *suite) again(ctx context.Context, o options, name, kubeconfig string, results *results, ran []test) ([]retried, error) {
	var list []retried
	var tests []test
	for _, t := range ran {
		if got, ok := results.Tests[t.name][o.target]; ok && !got.Passed {
			list, tests = append(list, retried{t, got.Reason}), append(tests, t)
		}
	}
	if len(list) == 0 || len(list) > maxRetried || ctx.Err() != nil {
		return nil, nil
	}
	say("%d failed and are run once more", len(list))
	o.workers, o.shard = 1, 1
	return list, s.run(ctx, o, name+"-again", kubeconfig, results, tests)
}

// notes has a line of each test that failed for good, and of each that passed in its second run only.
func notes(results *results, target string, ran []test, again []retried) []byte {
	var b bytes.Buffer
	for _, t := range ran {
		if got, ok := results.Tests[t.name][target]; ok && !got.Passed {
			fmt.Fprintf(&b, "failed: conformance, %s: %s: %s\n", target, t.name, got.Reason)
		}
	}
	for _, r := range again {
		if results.Tests[r.test.name][target].Passed {
			fmt.Fprintf(&b, "second run: conformance, %s: %s: %s\n", target, r.test.name, r.reason)
		}
	}
	return b.Bytes()
}
