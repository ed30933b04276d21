package cni

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path"
	"strings"
	"sync"

	"github.com/containernetworking/cni/pkg/types"
	"github.com/containernetworking/plugins/plugins/ipam/host-local/backend"

	"github.com/tabernetes/tabernetes/core/program"
)

// What host-local's backend/disk writes: a file for each address, whose name it is, with the container's ID
// and the interface in it, and one with the address given last of each range.
const (
	lineBreak = "\r\n"
	lastName  = "last_reserved_ip."
)

// maxLease bounds what is read of a file; maxLeases how many there are, of any name.
const (
	maxLease  = 1 << 10
	maxLeases = 1 << 16
)

// leases are those of all networks of a node. Upstream's store reads every lease at each ADD and DEL; here
// an index spares that as long as the directory lists the same names.
type leases struct {
	fs *program.FS

	mu      sync.Mutex
	indexes map[string]*leaseIndex // by directory
}

// leaseIndex knows what is in a directory: the files' contents, by their names.
type leaseIndex struct {
	mu    sync.Mutex
	files map[string]string
}

func (l *leases) open(dir string) (*store, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.fs.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	index := l.indexes[dir]
	if index == nil {
		index = &leaseIndex{files: map[string]string{}}
		l.indexes[dir] = index
	}
	return &store{fs: l.fs, dir: dir, index: index}, nil
}

func (l *leases) count() (n int) {
	dir := DataDir + "/networks"
	networks, _ := l.fs.ReadDir(dir) // none yet
	for _, network := range networks {
		files, _ := l.fs.ReadDir(path.Join(dir, network.Name()))
		for _, f := range files {
			if net.ParseIP(f.Name()) != nil {
				n++
			}
		}
	}
	return n
}

// store is host-local's, of one network. Lock is held around every other method.
type store struct {
	fs    *program.FS
	dir   string
	index *leaseIndex
	may   func(net.IP) error // whether an address may be given at all
}

var _ backend.Store = (*store)(nil)

// Lock implements backend.Store. It waits for others of this process: nobody else gives addresses.
func (s *store) Lock() error { s.index.mu.Lock(); return nil }

// Unlock implements backend.Store.
func (s *store) Unlock() error { s.index.mu.Unlock(); return nil }

// Close implements backend.Store.
func (s *store) Close() error { return nil }

func key(id, ifname string) string { return strings.TrimSpace(id) + lineBreak + ifname }

// Reserve implements backend.Store.
func (s *store) Reserve(id, ifname string, ip net.IP, rangeID string) (bool, error) {
	if err := s.may(ip); err != nil {
		return false, err
	}
	name := path.Join(s.dir, ip.String())
	f, err := s.fs.OpenFile(name, os.O_WRONLY|os.O_EXCL|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = io.WriteString(f, key(id, ifname))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = s.fs.Remove(name)
		return false, err
	}
	s.index.files[ip.String()] = key(id, ifname)
	return true, s.fs.WriteFile(path.Join(s.dir, lastName+rangeID), []byte(ip.String()), 0o600)
}

// LastReservedIP implements backend.Store. What cannot be read is none: upstream logs it, and begins anew.
func (s *store) LastReservedIP(rangeID string) (net.IP, error) {
	text, err := s.read(lastName + rangeID)
	if err != nil {
		return nil, nil
	}
	return net.ParseIP(text), nil
}

// ReleaseByID implements backend.Store.
func (s *store) ReleaseByID(id, ifname string) error {
	if err := s.look(); err != nil {
		return err
	}
	for name, text := range s.index.files {
		if strings.TrimSpace(text) != key(id, ifname) {
			continue
		}
		if err := s.fs.Remove(path.Join(s.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("release %s: %w", name, err)
		}
		delete(s.index.files, name)
	}
	return nil
}

// GetByID implements backend.Store.
func (s *store) GetByID(id, ifname string) (ips []net.IP) {
	if s.look() != nil {
		return nil // Reserve says why
	}
	for name, text := range s.index.files {
		if strings.TrimSpace(text) == key(id, ifname) {
			ips = append(ips, net.ParseIP(name))
		}
	}
	return ips
}

// holders are who has leases.
func (s *store) holders() (all []types.GCAttachment) {
	if s.look() != nil {
		return nil
	}
	for _, text := range s.index.files {
		id, ifname, _ := strings.Cut(strings.TrimSpace(text), lineBreak)
		all = append(all, types.GCAttachment{ContainerID: id, IfName: ifname})
	}
	return all
}

// look brings the index up to date: leases may have been removed by hand, or be of an earlier start.
func (s *store) look() error {
	entries, err := s.fs.ReadDir(s.dir)
	if err != nil {
		return err
	}
	if len(entries) > maxLeases {
		return fmt.Errorf("%s has more than %d files", s.dir, maxLeases)
	}
	there := make(map[string]bool, len(entries))
	for _, e := range entries {
		name := e.Name()
		if net.ParseIP(name) == nil {
			continue
		}
		there[name] = true
		if _, known := s.index.files[name]; known {
			continue
		}
		if text, err := s.read(name); err == nil {
			s.index.files[name] = text
		}
	}
	for name := range s.index.files {
		if !there[name] {
			delete(s.index.files, name)
		}
	}
	return nil
}

func (s *store) read(name string) (string, error) {
	name = path.Join(s.dir, name)
	info, err := s.fs.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is not a regular file") // a pipe would never end
	}
	f, err := s.fs.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxLease))
	return string(text), err
}
