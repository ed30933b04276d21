package cluster_test

import (
	"flag"
	"os"
	"testing"

	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/core/trace/places"
)

var update = flag.Bool("update", false, "write what a test compares with")

// TestPlaces: the line of upstream that each tap names is there, in the modules of go.mod, and
// core/trace/places.txt says where.
func TestPlaces(t *testing.T) {
	want, err := places.Table(trace.Kinds())
	if err != nil {
		t.Fatal(err)
	}
	const file = "../trace/places.txt"
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s does not say what is in the sources: run go test ./core/cluster -run TestPlaces -update\ngot\n%swant\n%s", file, got, want)
	}
}
