package main

import (
	"fmt"
	"os"
	"strings"
)

// readList reads the names of tests, one in a line; empty lines and those that begin with "#"
// are remarks. A name that the suite has not got is an error: an upgrade has renamed it.
func readList(file string, tests []test) (map[string]bool, error) {
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the list of tests: %w", err)
	}
	known := map[string]bool{}
	for _, t := range tests {
		known[t.name] = true
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		name := strings.TrimSpace(line)
		if name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		if !known[name] {
			return nil, fmt.Errorf("the suite has no test %q; correct %s", name, file)
		}
		listed[name] = true
	}
	return listed, nil
}
