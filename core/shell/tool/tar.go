package tool

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

func init() { tools["tar"] = tarTool }

// tarJob is what the options ask for. `kubectl cp` needs it at both of its ends.
type tarJob struct {
	t                     *T
	create, extract, list bool
	verbose, keepTimes    bool
	file, dir             string
}

func tarTool(t *T) int {
	const usage = "c|x|t [-vmpo] [-f FILE] [-C DIR] [FILE]..."
	// The first word may be options without a hyphen: tar cf - DIR.
	if len(t.Args) > 1 && t.Args[1] != "" && t.Args[1][0] != '-' {
		t.Args = append([]string{t.Args[0], "-" + t.Args[1]}, t.Args[2:]...)
	}
	j := tarJob{t: t}
	var noTimes bool
	args, code, ok := t.flags(usage, func(f *pflag.FlagSet) {
		f.BoolVarP(&j.create, "create", "c", false, "")
		f.BoolVarP(&j.extract, "extract", "x", false, "")
		f.BoolVarP(&j.list, "list", "t", false, "")
		f.BoolVarP(&j.verbose, "verbose", "v", false, "")
		f.BoolVarP(&noTimes, "touch", "m", false, "")
		f.BoolP("preserve-permissions", "p", false, "")
		f.BoolP("no-same-owner", "o", false, "")
		f.Bool("no-same-permissions", false, "")
		f.StringVarP(&j.file, "file", "f", "-", "")
		f.StringVarP(&j.dir, "directory", "C", ".", "")
	})
	if !ok {
		return code
	}
	j.keepTimes = !noTimes
	switch {
	case j.create && len(args) > 0:
		return j.write(args)
	case j.extract, j.list:
		return j.read(args)
	}
	return t.usage(usage)
}

// at is the path of an entry for the tool's file system.
func (j *tarJob) at(name string) string {
	if path.IsAbs(name) {
		return j.t.Path(name)
	}
	return j.t.Path(path.Join(j.dir, name))
}

func (j *tarJob) write(names []string) int {
	out := io.Writer(j.t.out)
	if j.file != "-" {
		f, err := j.t.FS.OpenFile(j.t.Path(j.file), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if j.t.failed(j.file, err) {
			return 1
		}
		defer f.Close()
		out = f
	}
	w := tar.NewWriter(out)
	for _, name := range names {
		// walk takes what the shell's directory is relative to; entries keep the name as given.
		base := name
		if !path.IsAbs(name) {
			base = path.Join(j.dir, name)
		}
		j.t.walk(base, func(file string, e walked) bool {
			j.t.failed(file, j.add(w, file, name+strings.TrimPrefix(file, base), e.info))
			return true
		})
	}
	j.t.failed(j.file, w.Close())
	return j.t.code
}

func (j *tarJob) add(w *tar.Writer, file, name string, info fs.FileInfo) error {
	var link string
	if info.Mode()&fs.ModeSymlink != 0 {
		var err error
		if link, err = j.t.FS.Readlink(j.t.Path(file)); err != nil {
			return err
		}
	}
	if info.Mode()&(fs.ModeSocket|fs.ModeDevice) != 0 {
		return nil
	}
	h, err := tar.FileInfoHeader(info, link)
	if err != nil {
		return err
	}
	h.Name = strings.TrimLeft(name, "/")
	if info.IsDir() {
		h.Name += "/"
	}
	if j.verbose {
		fmt.Fprintln(j.t.stderr(), h.Name)
	}
	if err := w.WriteHeader(h); err != nil || !info.Mode().IsRegular() {
		return err
	}
	f, err := j.t.open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	// No more than the header says, should the file grow meanwhile.
	_, err = io.CopyN(w, f, h.Size)
	return err
}

func (j *tarJob) read(wanted []string) int {
	in, err := j.t.open(j.file)
	if j.t.failed(j.file, err) {
		return 1
	}
	defer in.Close()
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			// What follows the end of the archive is padding; whoever sends it wants it taken.
			_, _ = io.Copy(io.Discard, in)
			return j.t.code
		}
		if j.t.failed("read the archive", err) {
			return 1
		}
		name := strings.TrimLeft(path.Clean("/"+h.Name), "/")
		if !wantedEntry(name, wanted) {
			continue
		}
		if j.list || j.verbose {
			j.t.print(h.Name + "\n")
		}
		if j.extract {
			if err := j.put(r, h, name); err != nil {
				j.t.failed(h.Name, err)
			}
		}
	}
}

func wantedEntry(name string, wanted []string) bool {
	for _, w := range wanted {
		w = strings.Trim(path.Clean("/"+w), "/")
		if name == w || strings.HasPrefix(name, w+"/") {
			return true
		}
	}
	return len(wanted) == 0
}

// put makes one entry. Names and links cannot lead out of the file system: it has a root.
func (j *tarJob) put(r io.Reader, h *tar.Header, name string) error {
	to, mode := j.at(name), fs.FileMode(h.Mode).Perm()
	if err := j.t.FS.MkdirAll(path.Dir(to), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return j.t.FS.MkdirAll(to, mode)
	case tar.TypeSymlink:
		_ = j.t.FS.Remove(to)
		return j.t.FS.Symlink(h.Linkname, to)
	case tar.TypeLink:
		_ = j.t.FS.Remove(to)
		return j.t.FS.Link(j.at(h.Linkname), to)
	case tar.TypeReg:
	default:
		return nil
	}
	f, err := j.t.FS.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = copyTo(f, r)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if j.t.FS.Credentials().Root() { // root gets what the archive says, whatever its umask
		if err := j.t.FS.Chmod(to, mode); err != nil {
			return err
		}
	}
	if j.keepTimes {
		return j.t.FS.Chtimes(to, time.Now(), h.ModTime)
	}
	return nil
}
