package typed

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// Case is a row of a table: steps that follow each other. The table says what its fields mean.
type Case struct {
	Name string `json:"name"`
	// LongInPage keeps a case out of the page's tests, but for the long lane: it is long, and nothing in it differs in a browser.
	LongInPage bool `json:"longInPage"`
	// RealNodes is whether the case is for real nodes, too: their images can be built, and nothing in it is the tab's.
	RealNodes bool   `json:"realNodes"`
	Steps     []Step `json:"steps"`
}

// Step is one line and its answer.
type Step struct {
	Run        string   `json:"run"`
	Code       any      `json:"code"`
	Stdout     *string  `json:"stdout"`
	Match      []string `json:"match"`
	Absent     []string `json:"absent"`
	Stderr     []string `json:"stderr"`
	Eventually bool     `json:"eventually"`
}

// Shell runs a line and returns its exit code.
type Shell func(ctx context.Context, line string, stdout, stderr io.Writer) int

// Load reads a table, in which each of names is replaced by the one after it, as by strings.NewReplacer: a cluster may
// call its nodes otherwise. The error names the file, or the field that there is not.
func Load(path string, names ...string) ([]Case, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read a table of lines: %w", err)
	}
	var cases []Case
	if err := yaml.UnmarshalStrict([]byte(strings.NewReplacer(names...).Replace(string(raw))), &cases); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return cases, nil
}

// Patience is how long a step marked `eventually` is repeated. A node is NotReady 40 to 55 s after it fell silent; a busy
// machine takes its time on top of that.
const Patience = 2 * time.Minute

// interval is what passes between the first two attempts, and half as long again each time, up to intervalMax.
const interval, intervalMax = 100 * time.Millisecond, time.Second

// Execute runs the steps in a shell; the error is that of the first that fails, with what was printed.
func (c Case) Execute(ctx context.Context, shell Shell) error {
	for _, s := range c.Steps {
		if err := s.Execute(ctx, shell); err != nil {
			return err
		}
	}
	return nil
}

// Execute runs the step, again and again if it is marked so.
func (s Step) Execute(ctx context.Context, shell Shell) error {
	deadline := time.Now().Add(Patience)
	for pause := interval; ; pause = min(pause*3/2, intervalMax) {
		err := s.once(ctx, shell)
		if err == nil {
			return nil
		}
		if !s.Eventually || time.Now().After(deadline) {
			return fmt.Errorf("$ %s\n%w", strings.TrimSpace(s.Run), err)
		}
		time.Sleep(pause)
	}
}

func (s Step) once(ctx context.Context, shell Shell) error {
	var stdout, stderr bytes.Buffer
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	code := shell(ctx, s.Run, &stdout, &stderr)
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
