package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/opencontainers/cgroups"
	"github.com/opencontainers/cgroups/manager"
	"golang.org/x/sys/unix"
)

// Kind is what the machine has.
type Kind struct {
	// V2 says that there is the unified hierarchy alone.
	V2 bool
	// Systemd says that systemd is the machine's init and owns the groups: runtime and kubelet have
	// to ask it for theirs.
	Systemd bool
}

// Detect looks at the machine.
func Detect() Kind {
	st, err := os.Lstat("/run/systemd/system")
	return Kind{V2: cgroups.IsCgroup2UnifiedMode(), Systemd: err == nil && st.IsDir()}
}

// Driver is the kubelet's and the runtime's cgroup driver.
func (k Kind) Driver() string {
	if k.Systemd {
		return "systemd"
	}
	return "cgroupfs"
}

// Group is a control group in every hierarchy that there is.
type Group struct{ path string }

// New is the group at a path such as "/tabernetes"; nothing is made yet.
func New(path string) (*Group, error) {
	if clean := filepath.Clean("/" + path); clean == "/" || clean != path {
		return nil, fmt.Errorf("%q is no control group of a node's own; it begins with a slash and has a name", path)
	}
	return &Group{path}, nil
}

func (g *Group) manager() (cgroups.Manager, error) {
	m, err := manager.New(&cgroups.Cgroup{Path: g.path, Resources: &cgroups.Resources{}})
	if err != nil {
		return nil, fmt.Errorf("control group %s: %w", g.path, err)
	}
	return m, nil
}

// Add makes the group and moves a process into it; pid -1 only makes it.
func (g *Group) Add(pid int) error {
	m, err := g.manager()
	if err != nil {
		return err
	}
	if err := m.Apply(pid); err != nil {
		return fmt.Errorf("control group %s: %w", g.path, err)
	}
	return nil
}

// endPatience is how long killed processes may take to go, and to be collected.
const endPatience = 10 * time.Second

// Remove kills every process in the group and below it, and removes the groups. It is no error if
// there are none.
func (g *Group) Remove() error {
	m, err := g.manager()
	if err != nil {
		return err
	}
	for end := time.Now().Add(endPatience); ; time.Sleep(50 * time.Millisecond) {
		left := g.kill(m)
		var errs []error
		for _, dir := range m.GetPaths() {
			if err := removeTree(dir); err != nil {
				errs = append(errs, err)
			}
		}
		if len(errs) == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("control group %s: %d processes do not end: %w", g.path, left, errors.Join(errs...))
		}
	}
}

// kill sends SIGKILL to what is in the group, in whatever hierarchy, but not to this process.
func (g *Group) kill(m cgroups.Manager) (n int) {
	for _, pid := range g.pids(m) {
		if pid != os.Getpid() && unix.Kill(pid, unix.SIGKILL) == nil {
			n++
		}
	}
	return n
}

func (g *Group) pids(m cgroups.Manager) []int {
	var all []int
	for _, dir := range m.GetPaths() {
		if pids, err := cgroups.GetAllPids(dir); err == nil {
			all = append(all, pids...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// removeTree removes a control group and all below it: directories only, from the bottom up.
func removeTree(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := removeTree(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	if err := unix.Rmdir(dir); err != nil && !errors.Is(err, unix.ENOENT) {
		return &os.PathError{Op: "rmdir", Path: dir, Err: err}
	}
	return nil
}
