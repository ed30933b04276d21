package trusted

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// ErrOthers says that somebody else can change what root would run.
var ErrOthers = errors.New("somebody else can change it")

// maxLinks is Linux's own limit of links in one path.
const maxLinks = 40

// Check fails with ErrOthers if anybody but root, this process' user, and who has become root to start
// it (sudo's SUDO_UID) can change the file or directory at path, or have another one be there. What does
// not exist is for them to make, so that the directories above decide. The path is absolute.
func Check(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("look at %q: it is not an absolute path", path)
	}
	return walk(path, friends(), maxLinks)
}

// CheckFile is Check for an open file, whatever its name.
func CheckFile(f *os.File) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	return judge(f.Name(), st, friends())
}

// friends are the users who can have root run anything as it is.
func friends() []uint32 {
	all := []uint32{0, uint32(os.Geteuid())}
	if os.Geteuid() == 0 {
		if uid, err := strconv.ParseUint(os.Getenv("SUDO_UID"), 10, 32); err == nil {
			all = append(all, uint32(uid))
		}
	}
	return all
}

func walk(path string, friends []uint32, links int) error {
	at, rest := "/", strings.TrimPrefix(filepath.Clean(path), "/")
	for {
		st, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if st.Mode()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(at)
			if err != nil {
				return err
			}
			if links == 0 {
				return fmt.Errorf("look at %s: %w", path, syscall.ELOOP)
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(at), to)
			}
			// In a directory with the sticky bit the link could be somebody's; its mode says nothing.
			if err := owned(at, st, friends); err != nil {
				return err
			}
			return walk(filepath.Join(to, rest), friends, links-1)
		}
		if err := judge(at, st, friends); err != nil {
			return err
		}
		if rest == "" {
			return nil
		}
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		at = filepath.Join(at, name)
	}
}

func judge(path string, st fs.FileInfo, friends []uint32) error {
	if err := owned(path, st, friends); err != nil {
		return err
	}
	// In a directory with the sticky bit nobody can replace what is another's.
	if st.IsDir() && st.Mode()&fs.ModeSticky != 0 {
		return nil
	}
	const group, others = 0o020, 0o002
	mode, gid := st.Mode().Perm(), st.Sys().(*syscall.Stat_t).Gid
	switch {
	case mode&others != 0:
		return fmt.Errorf("%w: %s may be written by everybody; chmod o-w %[2]s", ErrOthers, strconv.Quote(path))
	case mode&group != 0 && gid != 0:
		return fmt.Errorf("%w: %s may be written by group %d; chmod g-w %[2]s", ErrOthers, strconv.Quote(path), gid)
	}
	return nil
}

func owned(path string, st fs.FileInfo, friends []uint32) error {
	uid := st.Sys().(*syscall.Stat_t).Uid
	for _, f := range friends {
		if uid == f {
			return nil
		}
	}
	return fmt.Errorf("%w: %s belongs to user %d; chown root %[2]s, or take another one", ErrOthers, strconv.Quote(path), uid)
}
