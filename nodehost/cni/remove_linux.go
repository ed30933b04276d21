package cni

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/vishvananda/netlink"
)

// Inventory names what of the pods' network is on this machine: interfaces, rules, configuration,
// directories, answers that the runtime keeps. Only Dir, ConfDir and CacheDir of the options are
// looked at.
func Inventory(o Options) ([]string, error) {
	if o.Existing != "" {
		return nil, nil
	}
	var left []string
	links, err := interfaces()
	if err != nil {
		return nil, err
	}
	for _, l := range links {
		left = append(left, "interface "+l.Attrs().Name)
	}
	for family := range hostPortLeftovers() {
		left = append(left, family+" rules of portmap")
	}
	for _, f := range append(o.answers(), o.paths()...) {
		if _, err := os.Lstat(f); err == nil {
			left = append(left, "file "+f)
		}
	}
	return left, nil
}

// Remove removes what Inventory names. The pods have to be gone: theirs are the interfaces.
func Remove(o Options) error {
	if o.Existing != "" {
		return nil
	}
	links, err := interfaces()
	errs := []error{err, removeHostPorts()}
	for _, l := range links {
		var gone netlink.LinkNotFoundError
		if err := netlink.LinkDel(l); err != nil && !errors.As(err, &gone) {
			errs = append(errs, fmt.Errorf("remove interface %s: %w", l.Attrs().Name, err))
		}
	}
	for _, f := range append(o.answers(), o.paths()...) {
		errs = append(errs, os.RemoveAll(f))
	}
	return errors.Join(errs...)
}

// interfaces are the bridge and the pods' ends on it.
func interfaces() ([]netlink.Link, error) {
	bridge, err := netlink.LinkByName(Bridge)
	var missing netlink.LinkNotFoundError
	if errors.As(err, &missing) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("find %s: %w", Bridge, err)
	}
	all, err := netlink.LinkList()
	if err != nil {
		return nil, fmt.Errorf("list interfaces: %w", err)
	}
	var ours []netlink.Link
	for _, l := range all {
		if l.Attrs().MasterIndex == bridge.Attrs().Index {
			ours = append(ours, l)
		}
	}
	return append(ours, bridge), nil
}

func (o Options) paths() []string {
	if o.Dir == "" {
		return nil
	}
	if o.ConfDir == "" {
		o.ConfDir = filepath.Join(o.Dir, "net.d")
	}
	return []string{o.confPath(), o.socket(), o.binDir(), o.addresses()}
}

// answers are the files in which the runtime's libcni keeps what ADD was answered.
func (o Options) answers() []string {
	dir := o.CacheDir
	if dir == "" {
		dir = defaultCacheDir
	}
	dir = filepath.Join(dir, "results")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var files []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), Network+"-") {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}
