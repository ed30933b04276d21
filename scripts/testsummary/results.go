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
	failed  []failure           // tests that failed and did not pass later
	again   []string            // tests that failed and passed later, with what the failure said last
	reasons []string            // why tests were skipped, in order of appearance
	skipped map[string][]string // by reason
}

// failure is a test that failed for good, and what it said of that.
type failure struct {
	test string
	said []string // as printed, the last maxSaid lines
}

// maxSaid lines are enough to know what to look for; the whole is further up in the output.
const maxSaid = 20

// said is a line that a test printed by t.Log and its like, or that events.mjs wrote in that form; more of the same
// message follows, indented further.
var (
	said = regexp.MustCompile(`^\s+[\w.-]+\.(?:go|ts|mjs):\d+: (.*)$`)
	more = regexp.MustCompile(`^ {8,}\S`)
)

func (r *results) read(events io.Reader, stage string) error {
	if r.skipped == nil {
		r.skipped = map[string][]string{}
	}
	last := map[string]string{} // what each test said last
	whole := map[string][]string{}
	failed := map[string]string{}
	var order []string
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
			delete(whole, name)
		case "output":
			line := strings.TrimRight(e.Output, "\n")
			m := said.FindStringSubmatch(line)
			if m != nil {
				last[name] = m[1]
			}
			if m != nil || more.MatchString(line) {
				whole[name] = append(whole[name], line)
			}
		case "skip":
			reason := last[name]
			if reason == "" {
				reason = unsaid(name)
			}
			if _, known := r.skipped[reason]; !known {
				r.reasons = append(r.reasons, reason)
			}
			r.skipped[reason] = append(r.skipped[reason], name)
		case "fail":
			if _, known := failed[name]; !known {
				order = append(order, name)
			}
			failed[name] = last[name]
		case "pass":
			if why, ok := failed[name]; ok {
				r.again = append(r.again, stage+": "+name+": "+why)
				delete(failed, name)
			}
		}
	}
	for _, name := range order {
		if _, still := failed[name]; still {
			lines := whole[name]
			r.failed = append(r.failed, failure{stage + ": " + name, lines[max(0, len(lines)-maxSaid):]})
		}
	}
	return lines.Err()
}

// limited are tests of upstream's storage that its watch cache skips without a word; a comment there says why.
var limited = regexp.MustCompile(`/List/test_List_with_limit_at_resource_version_0(_match=NotOlderThan)?$`)

// unsaid is why a test was skipped that does not say so.
func unsaid(test string) string {
	if limited.MatchString(test) {
		return "upstream's watch cache ignores a limit at resource version 0 (kubernetes/kubernetes#108003)"
	}
	return "no reason given"
}
