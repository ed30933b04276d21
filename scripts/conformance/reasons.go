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
	{"[sig-network]", "not tried yet: Services and names work in the tab, most of the images that probe them are no programs of it"},
	{"[sig-storage]", "needs the test images' file tools in containers (mounttest), which are no programs of the tab yet"},
}

// waiting are tests of the areas that are run, which fail after minutes of waiting for something
// that is known to be missing. The first pattern that a name contains counts.
var waiting = []struct{ part, notRun string }{
	{"AdmissionWebhook", needsWebhook},
	{"CustomResourceConversionWebhook", needsWebhook},
	{"CustomResourceFieldSelectors", needsWebhook},
	{"should serve a basic image on each replica", "needs agnhost's serve-hostname as a program of the tab"},
	{"Aggregator", "needs the sample-apiserver image as a program of the tab"},
	{"Guestbook", "needs agnhost's guestbook as a program of the tab"},
	{"ServiceAccountIssuerDiscovery", "needs agnhost's test-service-account-issuer-discovery as a program of the tab"},
}

const needsWebhook = "needs agnhost's webhook as a program of the tab"

// notRunReason is why a test is not run by default, or empty.
func notRunReason(name string) string {
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
