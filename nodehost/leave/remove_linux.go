package leave

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/moby/sys/mountinfo"

	"github.com/tabernetes/tabernetes/nodehost/kubelet"
	"github.com/tabernetes/tabernetes/nodehost/nodedir"
)

// removal removes what is known to be a node's, one path after the other.
type removal struct {
	mounts []*mountinfo.Info
	log    *slog.Logger
	errs   []error
}

// removeFiles removes the node's files. Its state is among the last: as long as it is there, there is
// something to do.
func removeFiles(p nodedir.Place, s *nodedir.State, log *slog.Logger) error {
	mounts, err := mountPoints()
	if err != nil {
		return err
	}
	r := &removal{mounts: mounts, log: log}
	for _, dir := range s.Made {
		r.made(dir, madeNames[dir])
	}
	for _, path := range p.Known() {
		r.tree(path, p.Owners()...)
	}
	for _, dir := range append(p.Owners(), p.Kubelet()) {
		r.empty(dir, true)
	}
	if err := errors.Join(r.errs...); err != nil {
		return fmt.Errorf("remove the node's files: %w; run nodehost leave again", err)
	}
	for _, path := range p.Last() {
		r.tree(path)
	}
	for _, dir := range []string{p.Run, p.Dir, p.Run} { // one may be in the other
		r.empty(dir, dir == p.Dir)
	}
	return errors.Join(r.errs...)
}

// failed remembers an error, but for that something is not there.
func (r *removal) failed(err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.errs = append(r.errs, err)
	}
}

// left says that something stays.
func (r *removal) left(path, why string) {
	r.log.Warn("this is left where it is", "path", path, "because", why)
}

// tree removes a file, or a directory with what is in it, but for some directories right below. Links
// are removed and not followed; what has a mount in it stays.
func (r *removal) tree(path string, but ...string) {
	if point := r.mountAt(path); point != "" {
		r.left(path, "something is mounted at "+point)
		return
	}
	if !slices.ContainsFunc(but, func(dir string) bool { return filepath.Dir(dir) == path && len(others(dir)) > 0 }) {
		r.failed(os.RemoveAll(path))
		return
	}
	for _, name := range others(path) {
		if below := filepath.Join(path, name); !slices.Contains(but, below) {
			r.failed(os.RemoveAll(below))
		}
	}
}

// mountAt is a mount point at a path or below it.
func (r *removal) mountAt(path string) string {
	// The path itself may be a link, which is removed and nothing else.
	path = filepath.Join(nodedir.Real(filepath.Dir(path)), filepath.Base(path))
	for _, m := range r.mounts {
		if point := m.Mountpoint; (point == path || strings.HasPrefix(point, path+"/")) && visible(m) {
			return point
		}
	}
	return ""
}

// empty removes a directory if there is nothing in it; said has it named otherwise.
func (r *removal) empty(dir string, said bool) {
	err := os.Remove(dir)
	if errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST) {
		if names := others(dir); said && len(names) > 0 {
			r.left(dir, "it has "+nodedir.List(names))
		}
		return
	}
	r.failed(err)
}

// others are the names in a directory, but for what every new disk has.
func others(dir string) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != "lost+found" {
			names = append(names, e.Name())
		}
	}
	return names
}

// devicePlugins is where every kubelet has the socket for devices, whatever its root.
const devicePlugins = "device-plugins"

// madeNames are what a node puts into directories that it made outside of its place; of those that are
// not here it is sockets at most.
var madeNames = map[string][]string{
	kubelet.MachineDirs[0]: {
		devicePlugins, devicePlugins + "/kubelet.sock", devicePlugins + "/kubelet_internal_checkpoint", devicePlugins + "/DEPRECATION",
	},
	"/var/lib/cni": {"results"},
}

// made removes a directory that was made outside of the node's place, with what a node puts there,
// unless somebody else has moved in since: then all of it stays.
func (r *removal) made(dir string, names []string) {
	var found []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		known := slices.Contains(names, name)
		switch {
		case e.Type()&fs.ModeSocket != 0:
			if answers(path) || !known && names != nil {
				return fmt.Errorf("%w: %q", errMovedIn, name)
			}
		case !known:
			return fmt.Errorf("%w: %q", errMovedIn, name)
		}
		found = append(found, path)
		return nil
	})
	switch point := r.mountAt(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return
	case errors.Is(err, errMovedIn):
		r.left(dir, err.Error())
		return
	case err != nil:
		r.failed(err)
		return
	case point != "":
		r.left(dir, "something is mounted at "+point)
		return
	}
	for _, path := range slices.Backward(found) {
		r.failed(os.Remove(path))
	}
	r.empty(dir, true)
}

var errMovedIn = errors.New("somebody else uses it now")

// answers says whether somebody listens on a socket.
func answers(path string) bool {
	conn, err := net.Dial("unix", path)
	if err == nil {
		_ = conn.Close()
	}
	return !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, fs.ErrNotExist)
}
