package subpath

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxLinks is Linux's limit of symbolic links in one resolution (path_resolution(7)).
const maxLinks = 40

// resolve is filepath.EvalSymlinks that knows the links of programs (program.SealLink): one that goes upwards
// leads where it leads to on a machine, and an absolute one leads out of every volume.
func resolve(path string) (string, error) {
	at, rest := "/", strings.Split(filepath.Clean(path), "/")
	for links := 0; len(rest) > 0; {
		next := filepath.Join(at, rest[0]) // of ".." the directory above, as there are no links in at
		rest = rest[1:]
		info, err := os.Lstat(next)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", &fs.PathError{Op: "resolve", Path: path, Err: syscall.ELOOP}
		}
		written, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		target, err := program.ReadLink(next)
		switch {
		case err != nil:
			return "", err
		case !filepath.IsAbs(target):
		case target != written: // nothing is looked at there, and nothing told of it
			return "", fmt.Errorf("%s is a link to %s: %w", next, target, ErrEscapes)
		default: // the node's own, of a volume that is mounted
			at = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return at, nil
}
