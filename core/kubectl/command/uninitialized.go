package command

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"k8s.io/client-go/transport"
)

// includeUninitialized is a flag that kubectl had until 1.13: these commands asked for objects whose initializers have
// not all acted. Servers that have none of that drop the parameter.
const includeUninitialized = "include-uninitialized"

var hadIncludeUninitialized = []string{"annotate", "apply", "delete", "describe", "edit", "get", "label", "patch", "set", "wait"}

// retiredFlag is said where upstream would not know the flag.
const retiredFlag = "Flag --include-uninitialized left kubectl in 1.14: here it asks for what waits for initializers, too.\n"

// uninitialized takes the flag out of args, if it is there for one of those commands; any other line is upstream's as it
// is. What it says is the flag's value.
func uninitialized(args []string) (rest []string, include, found bool) {
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	if !slices.ContainsFunc(args[:end], func(a string) bool { return slices.Contains(hadIncludeUninitialized, a) }) {
		return args, false, false
	}
	for i, a := range args {
		name, value, valued := strings.Cut(a, "=")
		if i >= end || name != "--"+includeUninitialized {
			rest = append(rest, a)
			continue
		}
		if found, include = true, true; valued {
			b, err := strconv.ParseBool(value)
			if err != nil {
				return args, false, false // upstream says that it is no flag
			}
			include = b
		}
	}
	return rest, include, found
}

// including has a command's requests ask for them.
func including(include bool) transport.WrapperFunc {
	return func(next http.RoundTripper) http.RoundTripper {
		if !include {
			return next
		}
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			r = r.Clone(r.Context())
			q := r.URL.Query()
			q.Set("includeUninitialized", "true")
			r.URL.RawQuery = q.Encode()
			return next.RoundTrip(r)
		})
	}
}
