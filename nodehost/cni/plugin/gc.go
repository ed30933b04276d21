package plugin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/containernetworking/cni/pkg/invoke"
	"github.com/containernetworking/cni/pkg/types"
	"golang.org/x/sys/unix"
)

func collect(ctx context.Context, c *Config) (types.Result, error) {
	if c.delegateHas11() {
		if _, err := noResult(invoke.DelegateGC)(ctx, c); err != nil {
			return nil, err
		}
	}
	ipam, _ := c.Delegate["ipam"].(map[string]any)
	if ipam == nil || ipam["type"] != "host-local" {
		return nil, nil
	}
	dir, _ := ipam["dataDir"].(string)
	if dir == "" {
		dir = "/var/lib/cni/networks"
	}
	_, err := ReleaseAddresses(filepath.Join(dir, c.Name), c.Valid)
	return nil, err
}

// ReleaseAddresses releases those that host-local keeps in dir for attachments which are not
// valid, and returns them. Addresses are files there, under a lock; this follows host-local's
// backend/disk.
func ReleaseAddresses(dir string, valid []types.GCAttachment) ([]netip.Addr, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	unlock, err := lock(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	defer unlock()
	held, err := Held(dir)
	if err != nil {
		return nil, err
	}
	var released []netip.Addr
	for addr, a := range held {
		if slices.Contains(valid, a) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, addr.String())); err != nil {
			return released, fmt.Errorf("release %s: %w", addr, err)
		}
		released = append(released, addr)
	}
	return released, nil
}

// Held are the addresses that host-local keeps in dir, and for whom.
func Held(dir string) (map[netip.Addr]types.GCAttachment, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("read the addresses in use: %w", err)
	}
	held := map[netip.Addr]types.GCAttachment{}
	for _, e := range entries {
		addr, err := netip.ParseAddr(e.Name())
		if err != nil {
			continue // the lock, the last address given
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // released since
		} else if err != nil {
			return nil, fmt.Errorf("read who has %s: %w", addr, err)
		}
		id, ifname, _ := strings.Cut(string(b), "\n")
		held[addr] = types.GCAttachment{ContainerID: strings.TrimSpace(id), IfName: strings.TrimSpace(ifname)}
	}
	return held, nil
}

// lock is host-local's own lock on its directory.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open host-local's lock: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("take host-local's lock: %w", err)
	}
	return func() { _ = f.Close() }, nil
}
