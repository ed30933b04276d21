package cni

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxCached bounds what libcni is let read of its cache.
const maxCached = 256 << 10

// host is the operating system's path of one of the node's that has no links.
func (n *Network) host(name string) string { return filepath.Join(n.opts.RootDir, name) }

// plainCache says whether libcni may use its cache for a sandbox: it opens files by the operating system's
// paths, and a pod that may write to the node's disk may have put links there, or what has no end.
// sandbox "" is for all.
func (n *Network) plainCache(sandbox string) error {
	dir := DataDir + "/results"
	at := ""
	for elem := range strings.SplitSeq(dir[1:], "/") {
		at += "/" + elem
		info, err := os.Lstat(n.host(at))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is not a directory: remove it, so that networks can be kept there", at)
		}
	}
	entries, err := os.ReadDir(n.host(dir))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.Contains(e.Name(), sandbox) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() || info.Size() > maxCached {
			return fmt.Errorf("%q in %s is none of libcni's files: remove it", e.Name(), dir)
		}
	}
	return nil
}
