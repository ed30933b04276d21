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
	{"[sig-node]", "needs containers that are real: in-tab containers run programs, not pictures"},
	{"[sig-network]", "needs Services, DNS and the images that probe them: nothing routes to a Service in the tab yet"},
	{"[sig-storage]", "needs the test images' file tools in containers (mounttest), which are no programs of the tab yet"},
}

// notRunReason is why a test is not run by default, or empty.
func notRunReason(name string) string {
	for _, a := range areas {
		if strings.HasPrefix(name, a.prefix) {
			return a.notRun
		}
	}
	return "belongs to no area that is known"
}
