package nodetest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/cgroup"
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
			unmount(dir)
			_ = os.RemoveAll(dir)
		}
	}
}

// isGone says whether a name is that of a process that is no more.
func isGone(name, prefix string) bool {
	number, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), "-")
	pid, err := strconv.Atoi(number)
	return err == nil && syscall.Kill(pid, 0) == syscall.ESRCH
}
