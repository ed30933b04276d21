package main

import (
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
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
