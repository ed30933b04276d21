package nodetest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Traces are everything on the machine that a node could leave behind. (/run/mount is what mount(8)
// keeps of mounts, whoever makes them.)
func (h *Host) Traces(t *testing.T) []string {
	t.Helper()
	var all []string
	for what, line := range map[string]string{
		"interface": "ls /sys/class/net >/dev/null; ip -o link | cut -d: -f2",
		"route":     "ip route | sed 's/ linkdown//'", // said of a bridge while it has no pods
		"rule":      "nft list ruleset",
		// Other tests of the same time have mounts, too.
		"mount":    fmt.Sprintf(`awk '$2 !~ "/tab(t|test|real)-[0-9]" || index($2, "%s/") == 1 {print $2}' /proc/mounts`, h.Dir),
		"file":     "find /run -xdev -not -path '/run/mount*'",
		"setting":  "cd /proc/sys && grep . vm/{overcommit_memory,panic_on_oom} kernel/{panic,panic_on_oops} kernel/keys/{root_maxkeys,root_maxbytes}", // what a kubelet sets
		"group":    "find /sys/fs/cgroup -path '*" + h.Cgroup + "*' -type d 2>/dev/null || true",                                                       // those of others come and go
		"own file": "find " + h.Dir + " -maxdepth 1",
	} {
		for _, found := range strings.Split(strings.TrimSpace(h.Must(t, "bash", "-c", line)), "\n") {
			if found != "" {
				all = append(all, what+" "+strings.TrimSpace(found))
			}
		}
	}
	for _, d := range []string{"lib", "log"} {
		all = append(all, h.written(t, d)...)
	}
	for _, pid := range h.Processes() {
		all = append(all, "process "+pid)
	}
	slices.Sort(all)
	return all
}

// written are the files below a directory of /var that this machine has made or removed. What is there
// without it comes and goes with the real machine: packages, others' logs.
func (h *Host) written(t *testing.T, dir string) (found []string) {
	t.Helper()
	upper := filepath.Join(h.Dir, dir) // of the overlay: what was removed is a device file
	err := filepath.WalkDir(upper, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.Join("/var", dir, strings.TrimPrefix(path, upper))
		switch _, err := os.Lstat(name); {
		case e.Type()&fs.ModeCharDevice != 0:
			found = append(found, "removed file "+name)
		case errors.Is(err, fs.ErrNotExist):
			found = append(found, "file "+name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Runs says whether a container of the machine has a process with the text in its command line.
func (h *Host) Runs(text string) bool {
	for pid, line := range Commands() {
		groups, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
		if strings.Contains(line, text) && strings.Contains(string(groups), h.Cgroup+"/") {
			return true
		}
	}
	return false
}

// Processes are those whose command line names the machine's directories.
func (h *Host) Processes() []string {
	var found []string
	for _, line := range Commands() {
		if strings.Contains(line, h.Place.Dir) || strings.Contains(line, h.Place.Run) {
			found = append(found, line)
		}
	}
	return found
}
