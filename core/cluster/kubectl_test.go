package cluster_test

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/typed"
)

// The table of kubectl lines is shared with the browser's tests (scripts/e2e).
const tablePath = "testdata/kubectl.yaml"

// inSession runs lines in a session of a terminal.
func inSession(s *kubectl.Session) typed.Shell {
	return func(ctx context.Context, line string, stdout, stderr io.Writer) int {
		return s.Run(ctx, line, kubectl.Streams{Stdout: stdout, Stderr: stderr})
	}
}

// TestKubectlTable types each line of the table into the terminal's shell.
func TestKubectlTable(t *testing.T) { typeTable(t, tablePath) }

// TestTutorials types what public tutorials have one type, unchanged, and holds what it prints against what
// their pages say.
func TestTutorials(t *testing.T) {
	paths, err := filepath.Glob("testdata/tutorials/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d tutorials, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) { typeTable(t, path) })
	}
}

func typeTable(t *testing.T, path string) {
	cases, err := typed.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			if err := c.Execute(t.Context(), inSession(term.Session("test"))); err != nil {
				t.Fatal(err)
			}
		})
	}
}
