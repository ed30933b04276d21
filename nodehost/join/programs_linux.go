package join

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabernetes/tabernetes/core/wholefile"
	"github.com/tabernetes/tabernetes/nodehost/nodedir"
	"github.com/tabernetes/tabernetes/nodehost/trusted"
)

const (
	programName = "nodehost"
	pluginName  = "tabernetes-cni"
)

// programs are the running program, as it runs, and the small one for CNI that is beside it, if there
// is one. Root runs them by itself later: those that others can change are refused.
type programs struct {
	self   string // its name; what is read is what runs
	plugin string // empty if there is none
}

const selfPath = "/proc/self/exe"

// how is what to do about a program that is refused.
const how = "put both programs where only root can: sudo install -m 755 nodehost tabernetes-cni /usr/local/bin/"

func (o *Options) findPrograms(executable func() (string, error)) (programs, error) {
	self, err := executable()
	if err != nil {
		return programs{}, fmt.Errorf("find the running program: %w", err)
	}
	if err := errors.Join(trusted.Check(o.Place.Dir), trusted.Check(o.Place.Run)); err != nil {
		return programs{}, fmt.Errorf("the node's directory: %w", err)
	}
	p := programs{self: self}
	for _, path := range []string{self, filepath.Join(filepath.Dir(self), pluginName)} {
		st, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return p, fmt.Errorf("look at %s: %w", path, err)
		}
		if err := trusted.Check(path); err != nil {
			return p, fmt.Errorf("%s is not run as root: %w; %s", path, err, how)
		}
		if filepath.Base(path) == pluginName && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
			p.plugin = path
		}
	}
	return p, nil
}

// pluginPath is the program that containerd is to call for CNI.
func pluginPath(place nodedir.Place) string {
	if small := filepath.Join(place.Bin(), pluginName); exists(small) {
		return small
	}
	return filepath.Join(place.Bin(), programName)
}

// install copies what is run later into the node's own directory, in place of what an earlier version
// has put there: the plugin, and the whole program where there is no small one, or systemd is to run it.
func (p programs) install(place nodedir.Place, service bool) error {
	if filepath.Dir(p.self) == place.Bin() {
		return nil // it is the copy that runs
	}
	if err := os.MkdirAll(place.Bin(), 0o755); err != nil {
		return fmt.Errorf("install the node's programs: %w", err)
	}
	for _, c := range []struct {
		from, name string
		wanted     bool
	}{
		{selfPath, programName, service || p.plugin == ""},
		{p.plugin, pluginName, p.plugin != ""},
	} {
		to := filepath.Join(place.Bin(), c.name)
		err := os.Remove
		if c.wanted {
			err = func(to string) error { return copyProgram(c.from, to) }
		}
		if err := err(to); err != nil && (c.wanted || !errors.Is(err, fs.ErrNotExist)) {
			return fmt.Errorf("install the node's programs: %w", err)
		}
		if c.wanted && unix.Access(to, unix.X_OK) != nil {
			return fmt.Errorf("install the node's programs: %s cannot be run; is the disk mounted with noexec? choose another one with --dir", to)
		}
	}
	return nil
}

// copyProgram copies a program that nobody else can change, unless the same is there, by size and time
// of change as make(1) has it.
func copyProgram(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := trusted.CheckFile(f); err != nil {
		return err
	}
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if old, err := os.Lstat(to); err == nil && old.Mode() == 0o755 && old.Size() == st.Size() && old.ModTime().Equal(st.ModTime()) {
		return nil
	}
	next := to + wholefile.Suffix
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, f)
	if err == nil {
		err = out.Chmod(0o755)
	}
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close(), os.Chtimes(next, time.Time{}, st.ModTime())); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return wholefile.Rename(next, to)
}
