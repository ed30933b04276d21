package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// results are what is known, kept in the repository so that runs of a few tests add up.
type results struct {
	// Kubernetes is the version of the suite.
	Kubernetes string `json:"kubernetes"`
	// Tests are all of the suite, by name; Targets of each by target.
	Tests map[string]map[string]result `json:"tests"`

	// made are the tests that this run has a result of: all that it may write over.
	made map[string]bool
	// commit is what this run runs against, as commitHere has it; "" for a cluster of which nobody knows.
	commit string
}

// result of one test against one target.
type result struct {
	Passed  bool   `json:"passed"`
	Reason  string `json:"reason,omitempty"` // of a failure
	Seconds int    `json:"seconds"`
	// Commit is what it ran against, as commitHere has it; "" of a result that is older than this field, or of
	// somebody else's cluster.
	Commit string `json:"commit,omitempty"`
}

// loadResults reads what is known; results of another version of Kubernetes are dropped.
func loadResults(file, version string) (*results, error) {
	r := &results{}
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, r)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the results: %w", err)
	}
	if r.Kubernetes != version || r.Tests == nil {
		r = &results{Kubernetes: version, Tests: map[string]map[string]result{}}
	}
	return r, nil
}

// save writes what this run has made for its target, whole or not at all; everything else stays as
// other runs may have written it meanwhile, for the same target, too.
func (r *results) save(file, target string) error {
	unlock, err := lock(filepath.Join(workDir, "lock"))
	if err != nil {
		return err
	}
	defer unlock()
	kept, err := loadResults(file, r.Kubernetes)
	if err != nil {
		return err
	}
	for name, mine := range r.Tests {
		own, made := mine[target], r.made[name]
		clear(mine)
		maps.Copy(mine, kept.Tests[name])
		if made {
			mine[target] = own
		}
	}
	b, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", append(b, '\n'), 0o644); err != nil {
		return fmt.Errorf("save the results: %w", err)
	}
	return os.Rename(file+".new", file)
}

// lock keeps other runs away until the returned function is called.
func lock(file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the results: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("lock the results: %w", err), f.Close())
	}
	return func() { _ = f.Close() }, nil
}

// claim is a directory of this run's own, beside those of runs that go on: NAME, NAME-2 and so on.
// It is free again when the process has ended.
func claim(name string) (dir string, err error) {
	for n := 1; ; n++ {
		dir := filepath.Join(workDir, name)
		if n > 1 {
			dir += fmt.Sprintf("-%d", n)
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return "", err
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
		f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			return "", fmt.Errorf("claim a directory: %w", err)
		}
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == nil:
			claimed = append(claimed, f)
			return dir, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			_ = f.Close()
		default:
			return "", fmt.Errorf("claim a directory: %w", errors.Join(err, f.Close()))
		}
	}
}

// claimed keeps the locks of claim open until the process ends.
var claimed []*os.File

// adopt makes an entry for each test of the suite, and drops what the suite has not got.
func (r *results) adopt(tests []test) {
	known := r.Tests
	r.Tests = map[string]map[string]result{}
	for _, t := range tests {
		if r.Tests[t.name] = known[t.name]; r.Tests[t.name] == nil {
			r.Tests[t.name] = map[string]result{}
		}
	}
}

// pending are the wanted tests that have no result, or one that again asks for again.
func (r *results) pending(tests []test, target, again string, wanted func(test) bool) []test {
	var pending []test
	for _, t := range tests {
		got, ran := r.Tests[t.name][target]
		if wanted(t) && (!ran || again == "all" || again == "failed" && !got.Passed) {
			pending = append(pending, t)
		}
	}
	return pending
}

// merge takes a shard's report in and counts what passed.
func (r *results) merge(target string, shard []test, specs []spec) (passed int) {
	for _, t := range shard {
		got := result{Reason: "the runner ended before this test did; its log says why"}
		for _, s := range specs {
			if s.name() == t.name && s.State != "skipped" {
				got = result{Passed: s.State == "passed", Seconds: int(s.RunTime.Seconds() + 0.5)}
				if !got.Passed {
					got.Reason = reasonOf(s)
				}
			} else if s.name() == t.name && s.Failure.Message != "" {
				got = result{Reason: "it skipped itself: " + oneLine(s.Failure.Message)}
			}
		}
		if got.Passed {
			passed++
		}
		got.Commit = r.commit
		r.Tests[t.name][target] = got
		if r.made == nil {
			r.made = map[string]bool{}
		}
		r.made[t.name] = true
	}
	return passed
}

// tally counts the results of some tests.
func (r *results) tally(tests []test, target string) (ran, failed int) {
	for _, t := range tests {
		if got, ok := r.Tests[t.name][target]; ok {
			ran++
			if !got.Passed {
				failed++
			}
		}
	}
	return ran, failed
}

// reasonOf is a failure in one line: what the test said and where.
func reasonOf(s spec) string {
	place := filepath.Base(s.Failure.Location.FileName)
	return fmt.Sprintf("%s (%s:%d)", oneLine(s.Failure.Message), place, s.Failure.Location.LineNumber)
}

// What differs from run to run says nothing.
var (
	spaces    = regexp.MustCompile(`\s+`)
	generated = regexp.MustCompile(`\b([a-z][a-z-]*)-\d{1,5}\b|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|0x[0-9a-f]+|\b20\d\d-\d\d-\d\d[T ][0-9:.]+Z?\b`)
)

// reasonLength is how much of a failure is kept, in bytes.
const reasonLength = 220

func oneLine(text string) string {
	// Where the suite ran says nothing about the test.
	if here, err := os.Getwd(); err == nil {
		text = strings.ReplaceAll(text, here+"/", "")
	}
	text = strings.TrimSpace(spaces.ReplaceAllString(generated.ReplaceAllString(text, "$1"), " "))
	if len(text) > reasonLength {
		text = strings.ToValidUTF8(text[:reasonLength], "") + "…"
	}
	return text
}
