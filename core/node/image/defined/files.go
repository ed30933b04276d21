package defined

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/tabernetes/tabernetes/core/program"
)

const (
	// maxFile is how long a file may be that a module reads, in bytes, and maxNames how many names of a directory.
	maxFile  = 1 << 20
	maxNames = 10_000
	// maxFiles is how many it may ask for at once.
	maxFiles = 16
	// maxPath is how long a path may be, as on Linux.
	maxPath = 4096
)

// read reads a file or a directory for the module, as the container's user, beside what else it does.
func (c *run) read(m message) error {
	if len(m.data) > maxPath {
		return fmt.Errorf("a path of %d bytes", len(m.data))
	}
	select {
	case c.files <- struct{}{}:
	default:
		return fmt.Errorf("it asked for more than %d files at once", maxFiles)
	}
	go func() {
		held := c.p.Memory()
		defer held.Free()
		content, err := c.content(m.kind, string(m.data), held)
		<-c.files // before it is told: it may ask at once
		if err != nil {
			c.post(toNoFile, m.id, []byte(fmt.Sprintf("%.1000s", m.data)+": "+program.Reason(err)))
			return
		}
		c.post(toFile, m.id, content)
	}()
	return nil
}

var (
	errTooLong    = fmt.Errorf("it is longer than %d bytes", maxFile)
	errTooMany    = fmt.Errorf("it has more than %d names", maxNames)
	errNoPath     = errors.New("there is a zero byte in it")
	errNotRegular = errors.New("it is no regular file")
)

func (c *run) content(k kind, name string, held *program.Memory) ([]byte, error) {
	if strings.ContainsRune(name, 0) {
		return nil, errNoPath
	}
	if k == fromList {
		entries, err := c.p.FS.ReadDir(c.p.Path(name))
		if err != nil {
			return nil, err
		}
		if len(entries) > maxNames {
			return nil, errTooMany
		}
		names := make([]string, 0, len(entries))
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return asJSON(names), nil
	}
	info, err := c.p.FS.Stat(c.p.Path(name))
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, syscall.EISDIR
	}
	if !info.Mode().IsRegular() { // a pipe waits for who writes
		return nil, errNotRegular
	}
	f, err := c.p.FS.OpenFile(c.p.Path(name), os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := held.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(content) > maxFile {
		err = errTooLong
	}
	return content, err
}
