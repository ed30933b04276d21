package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const events = `go: downloading something
{"Action":"run","Package":"m/a","Test":"TestTwice"}
{"Action":"output","Package":"m/a","Test":"TestTwice","Output":"    a_test.go:12: 25 of 617 requests were lost\n"}
{"Action":"fail","Package":"m/a","Test":"TestTwice"}
{"Action":"fail","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestRoot"}
{"Action":"output","Package":"m/a","Test":"TestRoot","Output":"    a_test.go:3: interfaces need root\n"}
{"Action":"skip","Package":"m/a","Test":"TestRoot"}
{"Action":"run","Package":"m/a","Test":"TestOnce"}
{"Action":"pass","Package":"m/a","Test":"TestOnce"}
{"Action":"run","Package":"m/a","Test":"TestTwice"}
{"Action":"pass","Package":"m/a","Test":"TestTwice"}
{"Action":"run","Package":"m/b","Test":"TestNever"}
{"Action":"output","Package":"m/b","Test":"TestNever","Output":"    b_test.go:7: there is\n"}
{"Action":"output","Package":"m/b","Test":"TestNever","Output":"        nothing\n"}
{"Action":"output","Package":"m/b","Test":"TestNever","Output":"I1124 a line of a log\n"}
{"Action":"fail","Package":"m/b","Test":"TestNever"}
{"Action":"run","Package":"m/b","Test":"TestSilent"}
{"Action":"skip","Package":"m/b","Test":"TestSilent"}
{"Action":"skip","Package":"m/core/store","Test":"TestCacherLists/List/test_List_with_limit_at_resource_version_0"}
`

func TestSummary(t *testing.T) {
	var r results
	if err := r.read(strings.NewReader(events), "Go"); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if lacking := print(&out, &r); lacking != 1 {
		t.Errorf("%d tests lacked rights, want 1", lacking)
	}
	const want = `failed: Go: b.TestNever
    b_test.go:7: there is
        nothing
second run: Go: a.TestTwice: 25 of 617 requests were lost
skipped: a.TestRoot: interfaces need root
skipped: b.TestSilent: no reason given
skipped: store.TestCacherLists/List/test_List_with_limit_at_resource_version_0: upstream's watch cache ignores a limit at resource version 0 (kubernetes/kubernetes#108003)
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// What is not Go's is written by events.mjs; node runs it here as scripts/test has it.
func TestEventsOfOthers(t *testing.T) {
	module, err := filepath.Abs("events.mjs")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	const script = `
const { eventsOf } = await import(process.argv[1]);
const told = eventsOf("page--in-Chromium");
told.failed("scripts/e2e/a.test.mjs", "a view, slowly", "it stayed 3\nof 4");
told.failed("scripts/e2e/b.test.mjs", "a view", "it is\n\n  not there");
told.skipped("scripts/e2e/c.test.mjs", "kubectl reaches the tab", "kubectl is not installed");
told.passed("scripts/e2e/a.test.mjs", "a view, slowly");
`
	node := exec.Command("node", "--input-type=module", "-e", script, module)
	node.Dir = dir
	if said, err := node.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var r results
	if err := read(&r, filepath.Join(dir, "out", "test", "events", "page--in-Chromium.json")); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	print(&out, &r)
	const want = `failed: page--in-Chromium: b.test.mjs.a view
    b.test.mjs:1: it is
          not there
second run: page--in-Chromium: a.test.mjs.a view, slowly: it stayed 3
skipped: c.test.mjs.kubectl reaches the tab: kubectl is not installed
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestWhatLacksRights(t *testing.T) {
	for reason, want := range map[string]bool{
		"interfaces need root":                             true,
		"control groups are made by root":                  true,
		"no namespace for mounts here: not permitted":      true,
		"root is needed to give files away":                true,
		"giving files to somebody takes root natively":     true,
		"strace may not trace here: exit status 1: ptrace": true,
		"kubectl is not installed":                         false,
		"scripts/bench-node runs it":                       false,
	} {
		if got := rights.MatchString(reason); got != want {
			t.Errorf("%s: %v, want %v", reason, got, want)
		}
	}
}
