package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/nodehost/lesson"
)

// What docs/lessons.md tells an author to type is typed here, in a folder of its own, and comes to what it
// says; so is what their CI is to run.
func TestLessonsAreWrittenByTheDocument(t *testing.T) {
	raw, err := os.ReadFile("../docs/lessons.md")
	if err != nil {
		t.Fatal(err)
	}
	document, _, _ := strings.Cut(string(raw), "\n## Opened by a reader\n")
	dir := t.TempDir()
	for _, out := range []string{"out", "tabernetes/out"} {
		if err := os.MkdirAll(filepath.Join(dir, out), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside.nodehost, filepath.Join(dir, out, "nodehost")); err != nil {
			t.Fatal(err)
		}
	}
	// Whoever runs it may have no sudo, and needs none to read a text.
	if err := os.WriteFile(filepath.Join(dir, "sudo"), []byte("#!/bin/sh\nexec \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	typed := func(line string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), longEnough)
		defer cancel()
		cmd := exec.CommandContext(ctx, "bash", "-euc", line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		text, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, text)
		}
		return string(text)
	}

	prose := regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(document, "")
	lines := regexp.MustCompile(`(?m)^    (\S.*)$`).FindAllStringSubmatch(prose, -1)
	var all []string
	printed := ""
	for _, line := range lines {
		all = append(all, line[1])
		switch {
		case strings.HasPrefix(line[1], "out/nodehost lesson serve "), strings.HasPrefix(line[1], "go build "):
			// The program is there; serving does not end (nodehost/lesson/try has a test).
		default:
			printed = typed(line[1])
		}
	}
	want := []string{"go build -o out/ ./nodehost", "out/nodehost lesson new first", "out/nodehost lesson check first", "out/nodehost lesson serve first"}
	if got := strings.Join(all, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the document's lines are\n%s", got)
	}
	_, said, _ := strings.Cut(document, "\n```\n")
	said, _, _ = strings.Cut(said, "\n```\n")
	times := regexp.MustCompile(`[0-9]+\.[0-9] s`)
	if err := lesson.Expect(times.ReplaceAllString(said, "… s"), printed); err != nil {
		t.Errorf("%v\nit printed:\n%s", err, printed)
	}

	_, text, _ := strings.Cut(document, "\n```yaml\n")
	text, _, _ = strings.Cut(text, "\n```\n")
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Run string `json:"run"`
			} `json:"steps"`
		} `json:"jobs"`
	}
	if err := yaml.Unmarshal([]byte(text), &workflow); err != nil {
		t.Fatalf("the workflow: %v\n%s", err, text)
	}
	var runs []string
	for _, job := range workflow.Jobs {
		for _, step := range job.Steps {
			if step.Run != "" {
				runs = append(runs, step.Run)
			}
		}
	}
	const built, checked = "go build -C tabernetes -o out/ ./nodehost", "sudo tabernetes/out/nodehost lesson check lessons/*"
	if len(runs) != 2 || runs[0] != built || runs[1] != checked {
		t.Fatalf("the workflow runs %q", runs)
	}
	// The lesson has been run above.
	typed("mkdir lessons && mv first lessons/ && " + strings.Replace(checked, "check", "check --text", 1))
	typed("echo '[a](guide:nosuch)' >> lessons/first/lesson.md")
	cmd := exec.Command("bash", "-c", strings.Replace(checked, "check", "check --text", 1))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err == nil || !regexp.MustCompile(`lessons/first/lesson\.md:\d+: the guide has no chapter "nosuch"`).Match(out) {
		t.Errorf("a link to no chapter: %v\n%s", err, out)
	}
}

// Of several lessons each says what it came to as a whole, and one that fails fails the check.
func TestLessonsAreCheckedSideBySide(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, block := range map[string]string{
		"good": "```shell\necho one\n```\n```output\none\n```\n",
		"bad":  "```shell\necho one\n```\n```output\nanother\n```\n",
	} {
		text := "---\ntitle: The " + name + " one\nnodes: 1\n---\n## A step\n" + block
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, lesson.Name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), longEnough)
	defer cancel()
	cmd := exec.CommandContext(ctx, outside.nodehost, "lesson", "check", "--parallel=2", "good", "bad", "good")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("it passed")
	}
	const good = `The good one: 1 steps; a cluster with 1 nodes in [0-9.]+ s\n +[0-9.]+ s  1\. A step\n`
	if n := len(regexp.MustCompile(good).FindAll(out, -1)); n != 2 {
		t.Errorf("the good one is told of %d times", n)
	}
	for _, want := range []string{`bad/lesson\.md:\d+: `, `(?m)1 of 3 lessons do not do what they say$`} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("nothing like %s", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}
