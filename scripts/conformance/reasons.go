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

// waiting are tests of the areas that are run, which fail after minutes of waiting for something
// that is known to be missing. The first pattern that a name contains counts.
var waiting = []struct{ part, notRun string }{
	{"Guestbook", "agnhost's guestbook keeps what it knows in variables of the package: six of them cannot be in one process"},
	{"ServiceAccountIssuerDiscovery", "agnhost's test-service-account-issuer-discovery reads its token where the process has its files, not a pod"},
}

// notRunReason is why a test is not run against a target by default, or empty.
func notRunReason(target, name string) string {
	if target == real || target == realTab {
		return realNotRun(name)
	}
	for _, w := range waiting {
		if strings.Contains(name, w.part) {
			return w.notRun
		}
	}
	for _, a := range areas {
		if strings.HasPrefix(name, a.prefix) {
			return a.notRun
		}
	}
	return "belongs to no area that is known"
}
