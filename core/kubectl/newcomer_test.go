package kubectl

import (
	"strings"
	"testing"
)

// TestWhyTopFails: only what kubectl's own words are about.
func TestWhyTopFails(t *testing.T) {
	for stderr, want := range map[string]string{
		"error: Metrics API not available\n":                                                           "metrics.k8s.io is not served",
		"error: metrics not available yet\n":                                                           "every 15 seconds",
		"error: Metrics not available for pod default/web, age: 2s\n":                                  "every 15 seconds",
		"Error from server (NotFound): pods \"wbe\" not found\n":                                       "",
		"Error from server (Forbidden): pods.metrics.k8s.io is forbidden: User \"jane\" cannot list\n": "",
	} {
		if got := hint([]string{"top", "pod", "web"}, stderr); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q, want %q", stderr, got, want)
		}
	}
}

// What is said of a program that is not here has no line beyond the edge of a terminal beside other panes, but one to be typed.
func TestSentencesHaveLinesOfTheirOwn(t *testing.T) {
	for name, answer := range notHere {
		for line := range strings.Lines(oneALine(answer)) {
			if len(line) > 110 || strings.HasSuffix(strings.TrimRight(line, "\n"), " ?") {
				t.Errorf("%s: %q", name, line)
			}
		}
	}
	if got := oneALine("One is v1.36. Is `?` a key? `k get po` is a line."); got != "One is v1.36.\nIs `?` a key?\n`k get po` is a line." {
		t.Errorf("%q", got)
	}
}
