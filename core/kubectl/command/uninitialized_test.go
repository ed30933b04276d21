package command

import (
	"slices"
	"strings"
	"testing"
)

// TestIncludeUninitialized: lines that had the flag, and those that are upstream's as they are.
func TestIncludeUninitialized(t *testing.T) {
	for line, want := range map[string]struct {
		rest           string
		include, found bool
	}{
		"get pods":                                      {"get pods", false, false},
		"get pods --include-uninitialized":              {"get pods", true, true},
		"-n a get pods --include-uninitialized=true x":  {"-n a get pods x", true, true},
		"get pods --include-uninitialized=false":        {"get pods", false, true},
		"get pods --include-uninitialized=perhaps":      {"get pods --include-uninitialized=perhaps", false, false},
		"run x --include-uninitialized":                 {"run x --include-uninitialized", false, false},
		"exec x -- get --include-uninitialized":         {"exec x -- get --include-uninitialized", false, false},
		"get pods --include-uninitialized-or-something": {"get pods --include-uninitialized-or-something", false, false},
	} {
		rest, include, found := uninitialized(strings.Fields(line))
		if !slices.Equal(rest, strings.Fields(want.rest)) || include != want.include || found != want.found {
			t.Errorf("%s: %q, %v, %v", line, rest, include, found)
		}
	}
}
