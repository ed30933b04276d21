package killercoda

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/nodehost/lesson"
)

func scenario(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func lacks(name string) string {
	if name == "docker" {
		return "there is none"
	}
	return ""
}

type convertCase struct {
	Name     string            `json:"name"`
	Files    map[string]string `json:"files"`
	Lesson   string            `json:"lesson"`
	Refused  []string          `json:"refused"`
	Mistakes []string          `json:"mistakes"`
}

// The page's reader reads the same texts (web/lesson/killercoda).
func TestConvert(t *testing.T) {
	raw, err := os.ReadFile("../../../web/lesson/killercoda/testdata/scenarios.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []convertCase
	if err := yaml.UnmarshalStrict(raw, &all); err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			dir := scenario(t, c.Files)
			converted, err := Convert(dir, lacks)
			same(t, said(err, dir), c.Refused)
			if converted == nil {
				return
			}
			if converted.Text != c.Lesson {
				t.Errorf("it became\n%s", converted.Text)
			}
			if n := strings.Count(converted.Text, "\n"); n != len(converted.lines) {
				t.Errorf("%d lines, of %d it is known where they come from", n, len(converted.lines))
			}
			_, problems := lesson.Parse([]byte(converted.Text))
			var mistakes []place
			for _, problem := range problems {
				file, line := converted.At(problem.Line)
				mistakes = append(mistakes, place{file, line, problem.What})
			}
			same(t, mistakes, c.Mistakes)
		})
	}
}

type place struct {
	file string
	line int
	what string
}

// said are the problems of an error.
func said(err error, dir string) []place {
	many, ok := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
		return nil
	case !ok:
		many = oneError{err}
	}
	var all []place
	for _, one := range many.Unwrap() {
		problem, ok := errors.AsType[lesson.Problem](one)
		if !ok {
			problem = lesson.Problem{What: one.Error()}
		}
		file, _ := filepath.Rel(dir, problem.File)
		all = append(all, place{file, problem.Line, problem.What})
	}
	return all
}

type oneError struct{ error }

func (e oneError) Unwrap() []error { return []error{e.error} }

// same compares problems, file by file and by line, with how they begin. A file without a line is any line of it.
func same(t *testing.T, got []place, want []string) {
	t.Helper()
	slices.SortStableFunc(got, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.what, b.what))
	})
	ok := len(got) == len(want)
	var lines []string
	for i, p := range got {
		lines = append(lines, fmt.Sprintf("%s:%d: %s", p.file, p.line, p.what))
		ok = ok && (strings.HasPrefix(lines[i], want[i]) || strings.HasPrefix(p.file+": "+p.what, want[i]))
	}
	if !ok {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

const one = `{"title": "T", "details": {"steps": [{"title": "S", "text": "a.md"}]}, "backend": {"imageid": "kubernetes-kubeadm-1node"}}`

// A scenario without end is not read to its end.
func TestBounds(t *testing.T) {
	long := strings.Repeat("a\n", lesson.MaxFile/8)
	steps := strings.Repeat(`{"text": "a.md"},`, 9) + `{"text": "a.md"}`
	_, err := Convert(scenario(t, map[string]string{Name: strings.Replace(one, `{"title": "S", "text": "a.md"}`, steps, 1), "a.md": long}), lacks)
	if err == nil || strings.Count(err.Error(), "a scenario has at most 262144 bytes") != 1 {
		t.Error(err)
	}
	steps = strings.Repeat(`{"text": "a.md"},`, 50) + `{"text": "a.md"}`
	_, err = Convert(scenario(t, map[string]string{Name: strings.Replace(one, `{"title": "S", "text": "a.md"}`, steps, 1), "a.md": "a"}), lacks)
	if err == nil || !strings.Contains(err.Error(), "index.json:1: a lesson has at most 50 steps") {
		t.Error(err)
	}
}

func FuzzConvert(f *testing.F) {
	f.Add("# a\n\n```\nls\n```{{exec}}\n`b`{{exec}}\n")
	f.Add("````\n```\n{{\n")
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, Name), []byte(one), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Convert(dir, lacks)
		if err == nil && strings.Count(c.Text, "\n") != len(c.lines) {
			t.Fatalf("%d lines, of %d it is known where they come from", strings.Count(c.Text, "\n"), len(c.lines))
		}
	})
}
