package wholefile

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

const (
	pathVar = "TABERNETES_WHOLEFILE" // of the file that a process writes, which
	stepVar = "TABERNETES_KILLED_AT" // is killed after this step
)

var (
	steps    = []string{"made", "written", "on disk", "renamed"}
	old, now = []byte("what was there before, and is longer than what comes"), bytes.Repeat([]byte("new"), 5)
)

func TestMain(m *testing.M) {
	if path := os.Getenv(pathVar); path != "" {
		after = func(step string) {
			if step == os.Getenv(stepVar) {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
		if err := Write(path, now, 0o600); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// killed writes path in a process that ends after a step.
func killed(t *testing.T, path, step string) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), pathVar+"="+path, stepVar+"="+step)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("it was not killed at %q: %v: %s", step, err, out)
	}
}

func TestAKillAfterEachStep(t *testing.T) {
	for _, step := range steps {
		t.Run(step, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, old, 0o600); err != nil {
				t.Fatal(err)
			}
			killed(t, path, step)
			want := old
			if step == "renamed" {
				want = now
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
				t.Errorf("after the kill it is %q, %v, want %q", got, err, want)
			}
			if err := Write(path, now, 0o600); err != nil {
				t.Fatalf("the next one: %v", err)
			}
			left, _ := os.ReadDir(filepath.Dir(path))
			if got, _ := os.ReadFile(path); !bytes.Equal(got, now) || len(left) != 1 {
				t.Errorf("the next one wrote %q, and there is %v", got, left)
			}
		})
	}
}

// A file is on the disk before it has its name, and its name is before Write returns: the kernel is
// asked in that order.
func TestTheOrderOfSyncs(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is missing: scripts/setup installs it")
	}
	path := filepath.Join(t.TempDir(), "file")
	cmd := exec.Command(strace, "-f", "-y", "-e", "trace=/fsync,/rename", "/proc/self/exe")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Args[len(cmd.Args)-1] = exe
	cmd.Env = append(os.Environ(), pathVar+"="+path)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Skipf("strace may not trace here: %v: %s", err, out)
	}
	var calls []string
	for line := range strings.Lines(string(out)) {
		switch {
		case strings.Contains(line, "fsync(") && strings.Contains(line, path+Suffix+">"):
			calls = append(calls, "file")
		case strings.Contains(line, "rename") && strings.Contains(line, path):
			calls = append(calls, "rename")
		case strings.Contains(line, "fsync(") && strings.Contains(line, filepath.Dir(path)+">"):
			calls = append(calls, "directory")
		}
	}
	if want := []string{"file", "rename", "directory"}; !slices.Equal(calls, want) {
		t.Errorf("asked for %v, want %v:\n%s", calls, want, out)
	}
}

func TestPermissions(t *testing.T) {
	before := syscall.Umask(0o077)
	defer syscall.Umask(before)
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	// Nothing that somebody has put at the name beside is written through.
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), path+Suffix); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, now, 0o644); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Lstat(path); err != nil || st.Mode() != 0o644 {
		t.Errorf("it is %v, %v", st.Mode(), err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "elsewhere")); err == nil {
		t.Error("a link was followed")
	}
	if err := Write(filepath.Join(dir, "nowhere", "file"), now, 0o600); err == nil {
		t.Error("no directory, and no error")
	}
}
