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
