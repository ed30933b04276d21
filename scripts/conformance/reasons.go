package main

import "strings"

// areas are the suite's special interest groups, as its names begin, with why their tests are
// not run by default. They can be run with -focus, and then count.
var areas = []struct{ prefix, notRun string }{
	{"[sig-api-machinery]", ""},
	{"[sig-apps]", ""},
	{"[sig-cli]", ""},
	{"[sig-scheduling]", ""},
	{"[sig-auth]", ""},
	{"[sig-instrumentation]", ""},
	{"[sig-architecture]", ""},
	{"[sig-node]", ""},
	{"[sig-network]", ""},
	{"[sig-storage]", ""},
}

// notRunReason is why a test is not run against a target by default, or empty.
func notRunReason(target, name string) string {
	if target == real || target == realTab {
		return realNotRun(name)
	}
	for _, a := range areas {
		if strings.HasPrefix(name, a.prefix) {
			return a.notRun
		}
	}
	return "belongs to no area that is known"
}
