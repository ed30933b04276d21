package cluster_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core/kubectl"
)

// The table of kubectl lines is shared with the browser's tests (scripts/e2e).
const tablePath = "testdata/kubectl.yaml"

type tableCase struct {
	Name string `json:"name"`
	// LongInPage keeps a case that waits for most of a minute out of the page's tests, but for the long lane.
	LongInPage bool        `json:"longInPage"`
	Steps      []tableStep `json:"steps"`
}

type tableStep struct {
	Run        string   `json:"run"`
	Code       any      `json:"code"`
	Stdout     *string  `json:"stdout"`
	Match      []string `json:"match"`
	Absent     []string `json:"absent"`
	Stderr     []string `json:"stderr"`
	Eventually bool     `json:"eventually"`
}

// How often and how long a step marked `eventually` is repeated. A node is NotReady 40 to 55 s after it fell silent; a
// busy machine takes its time on top of that.
const (
	stepInterval    = 100 * time.Millisecond // and half as long again each time,
	stepIntervalMax = time.Second
	stepPatience    = 2 * time.Minute
)

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
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []tableCase
	if err := yaml.UnmarshalStrict(raw, &cases); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			for _, s := range c.Steps {
				if err := s.execute(t.Context(), term.Session("test")); err != nil {
					t.Fatalf("$ %s\n%v", strings.TrimSpace(s.Run), err)
				}
			}
		})
	}
}

// execute runs the step in a shell, again and again if it is marked so.
func (s tableStep) execute(ctx context.Context, shell *kubectl.Session) error {
	deadline := time.Now().Add(stepPatience)
	for pause := stepInterval; ; pause = min(pause*3/2, stepIntervalMax) {
		err := s.once(ctx, shell)
		if err == nil || !s.Eventually || time.Now().After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}

func (s tableStep) once(ctx context.Context, shell *kubectl.Session) error {
	var stdout, stderr bytes.Buffer
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	code := shell.Run(ctx, s.Run, kubectl.Streams{Stdout: &stdout, Stderr: &stderr})
	var wrong []string
	want := 0
	if n, ok := s.Code.(float64); ok {
		want = int(n)
	}
	if s.Code != "any" && code != want {
		wrong = append(wrong, fmt.Sprintf("exit code %d, want %d", code, want))
	}
	if s.Stdout != nil && stdout.String() != *s.Stdout {
		wrong = append(wrong, fmt.Sprintf("stdout is not exactly %q", *s.Stdout))
	}
	for _, m := range []struct {
		in    *bytes.Buffer
		name  string
		exprs []string
		want  bool
	}{{&stdout, "stdout", s.Match, true}, {&stdout, "stdout", s.Absent, false}, {&stderr, "stderr", s.Stderr, true}} {
		for _, e := range m.exprs {
			if regexp.MustCompile("(?m)"+e).Match(m.in.Bytes()) != m.want {
				wrong = append(wrong, fmt.Sprintf("%s against %q: want match %v", m.name, e, m.want))
			}
		}
	}
	if wrong == nil {
		return nil
	}
	return fmt.Errorf("%s\nexit code %d\nstdout:\n%s\nstderr:\n%s", strings.Join(wrong, "\n"), code, stdout.String(), stderr.String())
}
