package etcdshim

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

func newTestClient(t testing.TB) (*Client, *mvcc.Engine) {
	t.Helper()
	e, err := mvcc.Open(mvcc.Options{ProgressInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	c, err := NewClient(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, e
}

// TestAnswersAsEtcd compares what a script gets from us with what etcd 3.6.8
// answered to the same script, line by line: puts, reads at all revisions with
// their options, nested transactions, compactions and watches of the past.
// testdata/record writes the golden files.
func TestAnswersAsEtcd(t *testing.T) {
	files, err := filepath.Glob("testdata/etcd-*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			golden, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var seed uint64
			var steps int
			head, body, _ := strings.Cut(string(golden), "\n")
			if _, err := fmt.Sscanf(head, "seed %d steps %d", &seed, &steps); err != nil {
				t.Fatalf("first line %q: %v", head, err)
			}
			c, _ := newTestClient(t)
			start := time.Now()
			got := strings.Split(record(t, c.Client, seed, steps), "\n")
			t.Logf("%d lines in %v", len(got), time.Since(start))
			for i, want := range strings.Split(body, "\n") {
				if i >= len(got) || got[i] != want {
					t.Fatalf("line %d:\n got %s\netcd %s", i+2, got[min(i, len(got)-1)], want)
				}
			}
		})
	}
}
