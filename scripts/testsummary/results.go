package main

import (
	"bufio"
	"encoding/json"
	"io"
	"regexp"
	"strings"
)

// event is one line of go test -json (cmd/test2json's TestEvent).
type event struct {
	Action, Package, Test, Output string
}

// results are what the files of events add up to.
type results struct {
	again   []string            // tests that failed and passed later, with what the failure said last
	reasons []string            // why tests were skipped, in order of appearance
	skipped map[string][]string // by reason
}

// said is a line that a test printed by t.Log and its like.
var said = regexp.MustCompile(`^\s+[\w.-]+\.go:\d+: (.*)$`)

func (r *results) read(events io.Reader, stage string) error {
	if r.skipped == nil {
		r.skipped = map[string][]string{}
	}
	last := map[string]string{} // what each test said last
	failed := map[string]string{}
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 16<<20) // a line is one line of output, which may be long
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Test == "" {
			continue // the toolchain's own words, and packages as a whole
		}
		name := e.Package[strings.LastIndex(e.Package, "/")+1:] + "." + e.Test
		switch e.Action {
		case "run":
			delete(last, name)
		case "output":
			if m := said.FindStringSubmatch(strings.TrimRight(e.Output, "\n")); m != nil {
				last[name] = m[1]
			}
		case "skip":
			reason := last[name]
			if reason == "" {
				reason = "no reason given"
			}
			if _, known := r.skipped[reason]; !known {
				r.reasons = append(r.reasons, reason)
			}
			r.skipped[reason] = append(r.skipped[reason], name)
		case "fail":
			failed[name] = last[name]
		case "pass":
			if why, ok := failed[name]; ok {
				r.again = append(r.again, stage+": "+name+": "+why)
				delete(failed, name)
			}
		}
	}
	return lines.Err()
}
