package join

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/cgroup"
	"github.com/tabernetes/tabernetes/nodehost/nodedir"
)

// What a test that was killed has left behind is told by its names, which have its process' number.
const (
	dirPrefix   = "tabt-"
	groupPrefix = "tabtest-"
)

// removeStale removes what tests left that are gone.
func removeStale(t *testing.T) {
	t.Helper()
	groups, _ := filepath.Glob("/sys/fs/cgroup/" + groupPrefix + "*")
	v1, _ := filepath.Glob("/sys/fs/cgroup/*/" + groupPrefix + "*")
	for _, path := range append(groups, v1...) {
		if !isGone(filepath.Base(path), groupPrefix) {
			continue
		}
		g, err := cgroup.New("/" + filepath.Base(path))
		if err == nil {
			err = g.Remove()
		}
		if err != nil {
			t.Logf("an earlier test left %s: %v", path, err)
		}
	}
	dirs, _ := filepath.Glob("/tmp/" + dirPrefix + "*")
	for _, dir := range dirs {
		if isGone(filepath.Base(dir), dirPrefix) {
			restore(t, dir)
			unmount(dir)
			_ = os.RemoveAll(dir)
		}
	}
}

// restore puts settings back that a node in a test's directory has changed: they are the one thing
// that no namespace keeps apart.
func restore(t *testing.T, dir string) {
	t.Helper()
	s, err := (nodedir.Place{Dir: filepath.Join(dir, "node")}).Load()
	if err != nil {
		return // it has left, or never was
	}
	if err := s.RestoreSysctls(); err != nil {
		t.Errorf("the machine's settings: %v", err)
	}
}

// isGone says whether a name is that of a process that is no more.
func isGone(name, prefix string) bool {
	number, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), "-")
	pid, err := strconv.Atoi(number)
	return err == nil && syscall.Kill(pid, 0) == syscall.ESRCH
}
