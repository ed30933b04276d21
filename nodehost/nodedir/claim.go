package nodedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/wholefile"
)

// ErrForeign says that a directory has somebody else's files.
var ErrForeign = errors.New("it has files that are not a node's")

// ErrElsewhere says that a node's run directory is another one than was named.
var ErrElsewhere = errors.New("the node that is here has another run directory")

// markerName is of the file that says whose a directory is.
const markerName = ".nodehost"

const marker = "This directory is a node's. `nodehost leave` removes what nodehost has put here, and nothing else.\n"

// Names of what a node has in its two directories; what is not here is somebody else's. Those with a
// slash are directories, whatever is in them.
var (
	dirNames = []string{"ca.crt", "bootstrap-kubelet.conf", "kubelet.conf", "bin/", "cni/", "containerd/", "kubelet/", "log/", "volumes/"}
	runNames = []string{"containerd.sock", "containerd.sock.ttrpc", "images.sock", "runtime.sock", "crio.sock", "containerd/"}
)

// Owners are the directories in which the machine's owner keeps files for the node, before it joins and
// after it has left: registries' mirrors and seccomp profiles.
func (p Place) Owners() []string {
	return []string{filepath.Join(p.Kubelet(), "seccomp"), p.Registries()}
}

// Known are the files and directories that a node puts into its place, but for those that are needed to
// the end: state, lock and markers.
func (p Place) Known() []string {
	var all []string
	for _, d := range []struct {
		dir   string
		names []string
	}{{p.Run, runNames}, {p.Dir, dirNames}} {
		for _, name := range d.names {
			path := filepath.Join(d.dir, name)
			all = append(all, path)
			if !strings.HasSuffix(name, "/") {
				all = append(all, path+wholefile.Suffix)
			}
		}
	}
	return all
}

// Last are the files that tell whose the directories are, in the order in which they have to go.
func (p Place) Last() []string {
	state := p.StateFile()
	return []string{state + wholefile.Suffix, filepath.Join(p.Dir, markerName), state, p.lockFile(), filepath.Join(p.Run, markerName)}
}

// IsMarked says whether a nodehost has said that the directory is a node's.
func (p Place) IsMarked() bool { return isMarked(p.Dir) }

func isMarked(dir string) bool {
	st, err := os.Lstat(filepath.Join(dir, markerName))
	return err == nil && st.Mode().IsRegular()
}

// Check says whether the directories are a node's, or could be: what is empty or not there is nobody's.
// The error is ErrForeign if they are not, and ErrElsewhere if the node there has another run directory.
// Nothing is changed.
func (p Place) Check() error {
	s, err := p.Load()
	if err == nil && s.runDir() != "" && Real(s.runDir()) != Real(p.Run) {
		return fmt.Errorf("--run-dir %s: %w, %s", p.Run, ErrElsewhere, s.runDir())
	}
	// One of an earlier version has a state without a marker.
	if err := check(p.Dir, err == nil, "--dir", dirNames); err != nil {
		return err
	}
	// Before there were markers there was a lock; who was killed in between left half of one.
	_, err = os.Lstat(p.lockFile())
	ours := false
	if err == nil {
		foreign, err := strangers(p.Run, append([]string{"lock", markerName + wholefile.Suffix}, runNames...))
		ours = err == nil && len(foreign) == 0
	}
	return check(p.Run, ours, "--run-dir", nil)
}

// runDir is the run directory that a state tells of, or nothing. Earlier versions kept the socket of
// their containerd only, which is in it.
func (s *State) runDir() string {
	if s.RunDir != "" || !s.Own {
		return s.RunDir
	}
	if socket, ok := strings.CutPrefix(s.Endpoint, "unix://"); ok {
		return filepath.Dir(socket)
	}
	return ""
}

// Real is a path without links, as far as it exists.
func Real(path string) string {
	path = filepath.Clean(path)
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(Real(dir), filepath.Base(path))
	}
	return path
}

// beforehand is what its owner may have put into a directory before the machine joins.
var beforehand = map[string][]string{"kubelet/": {"seccomp/"}}

func check(dir string, ours bool, flag string, disks []string) error {
	if ours || isMarked(dir) {
		return nil
	}
	foreign, err := strangers(dir, nil)
	if err != nil {
		return fmt.Errorf("look at %s: %w", dir, err)
	}
	foreign = slices.DeleteFunc(foreign, func(name string) bool { // a disk may be mounted for one of them
		below, err := strangers(filepath.Join(dir, name), beforehand[name+"/"])
		return slices.Contains(disks, name+"/") && err == nil && len(below) == 0 || disks != nil && name == "registries"
	})
	if len(foreign) == 0 {
		return nil
	}
	return fmt.Errorf("%s %s: %w: %s", flag, dir, ErrForeign, List(foreign))
}

// strangers are the names in a directory that are not among those known, nor what every new disk has.
func strangers(dir string, known []string) (found []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		if name != "lost+found" && !slices.Contains(known, name) && (!e.IsDir() || !slices.Contains(known, name+"/")) {
			found = append(found, name)
		}
	}
	return found, nil
}

// List names a few of many, quoted.
func List(names []string) string {
	const few = 4
	var text []string
	for _, name := range names[:min(few, len(names))] {
		text = append(text, fmt.Sprintf("%q", name))
	}
	if more := len(names) - few; more > 0 {
		text = append(text, fmt.Sprintf("%d more", more))
	}
	return strings.Join(text, ", ")
}

// Claim makes the directory and marks it as a node's, with the state that tells of which, and of its run
// directory. Whatever comes later can be taken off again.
func (p Place) Claim(s *State) error {
	if err := p.Check(); err != nil {
		return err
	}
	s.RunDir = p.Run
	if err := p.Save(s); err != nil {
		return err
	}
	return mark(p.Dir)
}

func mark(dir string) error {
	if isMarked(dir) {
		return nil
	}
	if err := wholefile.Write(filepath.Join(dir, markerName), []byte(marker), 0o644); err != nil {
		return fmt.Errorf("mark %s as a node's: %w", dir, err)
	}
	return nil
}
