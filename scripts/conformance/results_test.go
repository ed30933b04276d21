package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	one = "[sig-cli] Kubectl one [Conformance]"
	two = "[sig-storage] Volumes two [Conformance]"
)

func suiteOf(names ...string) (tests []test) {
	for _, n := range names {
		tests = append(tests, test{name: n})
	}
	return tests
}

func ran(name, state, message string) spec {
	s := spec{LeafNodeText: name, State: state}
	s.Failure.Message = message
	s.Failure.Location.FileName, s.Failure.Location.LineNumber = "/x/y/kubectl.go", 7
	return s
}

func TestResultsAddUp(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(workDir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "results.json")
	native, err := loadResults(file, "v1")
	if err != nil {
		t.Fatal(err)
	}
	tab, _ := loadResults(file, "v1")
	for _, r := range []*results{native, tab} {
		r.adopt(suiteOf(one, two))
	}
	native.commit = "abc1234+"
	// Two runs at a time, each of its own target.
	if ok := native.merge("native", suiteOf(one), []spec{ran(one, "passed", "")}); ok != 1 {
		t.Errorf("%d passed", ok)
	}
	tab.merge("tab", suiteOf(one), []spec{ran(one, "failed", "pod  web-12345 \n at 2026-11-20T12:00:00Z | gone")})
	if err := native.save(file, "native"); err != nil {
		t.Fatal(err)
	}
	if err := tab.save(file, "tab"); err != nil {
		t.Fatal(err)
	}
	r, err := loadResults(file, "v1")
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Tests[one]["native"]; got.Commit != "abc1234+" || r.Tests[one]["tab"].Commit != "" {
		t.Errorf("which commit they are of: %+v", r.Tests[one])
	}
	if !r.Tests[one]["native"].Passed || r.Tests[one]["tab"].Reason != "pod web at | gone (kubectl.go:7)" {
		t.Errorf("%+v", r.Tests[one])
	}
	every := func(test) bool { return true }
	for again, want := range map[string]int{"": 1, "failed": 2, "all": 2} {
		if got := r.pending(suiteOf(one, two), "tab", again, every); len(got) != want {
			t.Errorf("again %q: %v", again, got)
		}
	}
	// A test that the runner did not come to has failed, with that reason.
	r.merge("tab", suiteOf(two), nil)
	if got := r.Tests[two]["tab"]; got.Passed || !strings.Contains(got.Reason, "ended before") {
		t.Errorf("%+v", got)
	}
	// Two runs at a time of one target: each writes over what it has made, and nothing else.
	left, _ := loadResults(file, "v1")
	right, _ := loadResults(file, "v1")
	for _, r := range []*results{left, right} {
		r.adopt(suiteOf(one, two))
	}
	left.merge("tab", suiteOf(one), []spec{ran(one, "passed", "")})
	right.merge("tab", suiteOf(two), []spec{ran(two, "passed", "")})
	for _, r := range []*results{left, right, left} {
		if err := r.save(file, "tab"); err != nil {
			t.Fatal(err)
		}
	}
	if both, _ := loadResults(file, "v1"); !both.Tests[one]["tab"].Passed || !both.Tests[two]["tab"].Passed {
		t.Errorf("of two runs at a time: %+v", both.Tests)
	}
	// They have directories of their own.
	first, err := claim("cluster-tab")
	if err != nil {
		t.Fatal(err)
	}
	if second, err := claim("cluster-tab"); err != nil || second == first {
		t.Errorf("%s twice, %v", second, err)
	}
	// Another version begins anew.
	if r, _ := loadResults(file, "v2"); len(r.Tests) != 0 {
		t.Errorf("results of another version: %v", r.Tests)
	}
}

func TestTheReportNamesEveryTest(t *testing.T) {
	r := &results{Kubernetes: "v1", Tests: map[string]map[string]result{
		one: {"native": {Passed: true, Seconds: 3}, "tab": {Reason: "a | b"}},
		two: {real: {Passed: true, Seconds: 9}},
	}}
	file := filepath.Join(t.TempDir(), "r.md")
	if err := writeReport(file, r); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| [sig-cli] | 1 | 1 | 0 | 0 | 1 | 0 | 0 |", "| **all** | **2** | **1** | **0** | **0** | **1** | **1** | **0** |",
		"| Kubectl one | passed, 3 s | **failed**: a \\| b | not run: it is no matter of the node",
		"| Volumes two | not run yet", " | passed, 9 s |", "not to be edited",
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("the report lacks %q:\n%s", want, b)
		}
	}
}

func TestTheReportSaysOfWhichCommit(t *testing.T) {
	r := &results{Kubernetes: "v1", Tests: map[string]map[string]result{
		one: {"native": {Passed: true}, "tab": {Passed: true}},
		two: {"native": {Passed: true}},
	}}
	report := func() string {
		t.Helper()
		file := filepath.Join(t.TempDir(), "r.md")
		if err := writeReport(file, r); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if got := report(); strings.Contains(got, "by the commit") {
		t.Errorf("results without a commit:\n%s", got)
	}
	for i := range maxCommits + 3 {
		r.Tests[fmt.Sprint(i)] = map[string]result{"native": {Commit: fmt.Sprintf("c%d", i)}}
	}
	r.Tests["twice"] = map[string]result{"native": {Commit: "c1"}, "tab": {Commit: "c1+"}}
	want := "native, in-tab nodes: 2 at c1, 1 at c0, 1 at c2, 1 at c3, 1 at c4, 3 at 3 others, 2 at one that was not kept; " +
		"tab, in-tab nodes: 1 at c1+, 1 at one that was not kept.\n"
	if got := report(); !strings.Contains(got, want) {
		t.Errorf("the report lacks %q:\n%s", want, got)
	}
}

// A commit that something was changed on top of is marked; what a run writes itself is no change.
func TestTheCommitHere(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(args ...string) {
		t.Helper()
		if _, err := git(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	write := func(file, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := commitHere(t.Context()); err == nil {
		t.Errorf("of no repository: %q", got)
	}
	write("code", "1")
	write(resultsFile, "1")
	run("init", "-q")
	run("add", ".")
	run("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "first")
	hash, err := git(t.Context(), "rev-parse", "--short", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	write(resultsFile, "2")
	write("unknown", "1")
	if got, err := commitHere(t.Context()); err != nil || got != hash {
		t.Errorf("%q, %v; it is %q", got, err, hash)
	}
	write("code", "2")
	if got, err := commitHere(t.Context()); err != nil || got != hash+changedMark {
		t.Errorf("%q, %v; something was changed on top of %q", got, err, hash)
	}
}

func TestList(t *testing.T) {
	file := filepath.Join(t.TempDir(), "list")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("# why\n\n" + two + "\n")
	if got, err := readList(file, suiteOf(one, two)); err != nil || len(got) != 1 || !got[two] {
		t.Errorf("%v, %v", got, err)
	}
	write(one + " renamed\n")
	if _, err := readList(file, suiteOf(one, two)); err == nil {
		t.Error("a name that the suite has not got is no error")
	}
}

// The part that runs in `make test` has something of each area, each name once.
func TestTheFixedPartCoversEveryArea(t *testing.T) {
	b, err := os.ReadFile("focus.txt")
	if err != nil {
		t.Fatal(err)
	}
	counts, seen := map[string]int{}, map[string]bool{}
	for line := range strings.Lines(string(b)) {
		name := strings.TrimSpace(line)
		if seen[name] {
			t.Errorf("twice: %s", name)
		}
		seen[name] = true
		prefix, _, _ := strings.Cut(name, " ")
		counts[prefix]++
	}
	for _, a := range areas {
		if counts[a.prefix] == 0 {
			t.Errorf("focus.txt has no test of %s", a.prefix)
		}
	}
}

func TestNotes(t *testing.T) {
	r := &results{Tests: map[string]map[string]result{
		"good":  {"tab": {Passed: true}},
		"flaky": {"tab": {Passed: true}},
		"bad":   {"tab": {Reason: "twice"}},
		"other": {"native": {Reason: "elsewhere"}},
	}}
	ran := []test{{name: "good"}, {name: "flaky"}, {name: "bad"}, {name: "other"}}
	got := string(notes(r, "tab", ran, []retried{{ran[1], "once"}, {ran[2], "once"}}))
	want := "failed: conformance, tab: bad: twice\nsecond run: conformance, tab: flaky: once\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
