package main

import "strings"

// The target "real" is two machines with containerd and real containers, which scripts/real-nodes
// makes; the control plane is the native core, or with real-tab the page. No in-tab node takes pods.
const (
	real    = "real"
	realTab = "real-tab"
)

// callsPods are tests of other areas whose programs in containers are called by the API server or by
// each other.
var callsPods = []string{
	"AdmissionWebhook", "CustomResourceConversionWebhook", "CustomResourceFieldSelectors", "Aggregator",
	"should serve a basic image on each replica", "Guestbook", "ServiceAccountIssuerDiscovery",
}

// realNotRun is why a test is not run against real nodes by default, or empty: they are there for
// what needs containers, images and networks that are real.
func realNotRun(name string) string {
	for _, area := range []string{"[sig-node]", "[sig-network]", "[sig-storage]"} {
		if strings.HasPrefix(name, area) {
			return ""
		}
	}
	for _, part := range callsPods {
		if strings.Contains(name, part) {
			return ""
		}
	}
	return "it is no matter of the node: run against the native core and the tab"
}

// realFailures are why tests fail against real nodes, where what they say does not tell.
var realFailures = []struct{ part, why string }{
	{"ImageVolume", "containerd mounts images from 2.1 on; Debian's is 1.6.20, which mounts a path, and the path is empty."},
	{
		"should not write to root filesystem",
		"the test compares the words of busybox' shell; Debian's busybox drops variables whose names are no shell names, " +
			"which four other tests look for, so the image has bash in its place (scripts/images/suite.go). The file was not written.",
	},
}

// explanation is why a test fails against a target, or empty.
func explanation(target, name string) string {
	if target != real && target != realTab {
		return ""
	}
	for _, f := range realFailures {
		if strings.Contains(name, f.part) {
			return f.why
		}
	}
	return ""
}
