package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The test's own binary is the program.
func TestMain(m *testing.M) {
	if os.Getenv("TOOLEXEC") != "" {
		main()
	}
	os.Exit(m.Run())
}

func toolexec(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "TOOLEXEC=1")
	b, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(b), cmd.ProcessState.ExitCode()
}

func program(t *testing.T, name, script string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestOnlyTheLinkerIsAnother(t *testing.T) {
	ours := program(t, "link", `echo "link version go1.26 ours $*"; exit 3`)
	theirs := program(t, "link", "echo theirs")
	compile := program(t, "compile", `echo "compile $*"; exit 2`)
	if out, code := toolexec(t, ours, compile, "-V=full"); out != "compile -V=full\n" || code != 2 {
		t.Errorf("%q, %d", out, code)
	}
	if out, code := toolexec(t, ours, theirs, "-o", "a b"); out != "link version go1.26 ours -o a b\n" || code != 3 {
		t.Errorf("%q, %d", out, code)
	}
}

func TestAnotherLinkerHasAnotherVersion(t *testing.T) {
	theirs := program(t, "link", "echo theirs")
	version := func(script string) string {
		out, code := toolexec(t, program(t, "ours", script), theirs, "-V=full")
		if !strings.HasPrefix(out, "link version go1.26 tabernetes:") || code != 0 || strings.Count(out, "\n") != 1 {
			t.Errorf("%q, %d", out, code)
		}
		return out
	}
	const same = "echo link version go1.26"
	if a, b := version(same), version(same); a != b {
		t.Errorf("%q, then %q", a, b)
	}
	if a, b := version(same), version(same+" # edited"); a == b {
		t.Errorf("two linkers say %q", a)
	}
}

func TestWhatCannotBeRunIsAnError(t *testing.T) {
	for _, args := range [][]string{{}, {"link"}, {"/nowhere/link", "/nowhere/compile"}, {"/nowhere/link", "link", "-V=full"}} {
		if out, code := toolexec(t, args...); code != 1 || !strings.HasPrefix(out, "toolexec: ") {
			t.Errorf("%q: %q, %d", args, out, code)
		}
	}
}
