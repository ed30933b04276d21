package nodetest

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tabernetes/tabernetes/nodehost/cgroup"
	"github.com/tabernetes/tabernetes/nodehost/nodedir"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
)

// Host is a machine: a network of its own, and its own view of the file system, in which /run is
// empty, and what is written to /var/lib and /var/log, or set in sysctls, goes elsewhere. Its control group
// is its own, too.
type Host struct {
	*testnet.Host
	Rig      *Rig
	NodeName string
	Dir      string // all that the machine keeps is below it
	Mounts   string // the mount namespace's file
	Place    nodedir.Place
	Cgroup   string // the node's root
	// Thresholds are the kubelet's for evicting pods; empty is upstream's.
	Thresholds string
}

// Host makes a machine whose node evicts pods only if the real machine's disk is all but full.
func (r *Rig) Host(t *testing.T, name, cidr string) *Host {
	t.Helper()
	h := r.HostWithDisk(t, name, cidr, "")
	h.Thresholds = "memory.available<50Mi,nodefs.available<100Mi,imagefs.available<100Mi"
	return h
}

// HostWithDisk makes a machine whose node has a disk of its own, of such a size as mount(8) has it;
// empty is the real machine's.
func (r *Rig) HostWithDisk(t *testing.T, name, cidr, size string) *Host {
	t.Helper()
	dir := ShortDir(t)
	h := &Host{
		Host: r.Net.Host(t, cidr), Rig: r, NodeName: name, Dir: dir, Mounts: filepath.Join(dir, "ns", "mnt"),
		Place:  nodedir.Place{Dir: filepath.Join(dir, "node"), Run: filepath.Join(dir, "run")},
		Cgroup: fmt.Sprintf("/%s%d-%d-%s", groupPrefix, os.Getpid(), hosts.Add(1), name),
	}
	t.Cleanup(func() { h.destroy(t) })
	if size != "" {
		if err := errors.Join(os.Mkdir(h.Place.Dir, 0o711), unix.Mount("tmpfs", h.Place.Dir, "tmpfs", 0, "mode=711,size="+size)); err != nil {
			t.Fatalf("a disk for the machine: %v", err)
		}
	}
	if out, err := exec.Command("bash", "-c", machine, "-", dir).CombinedOutput(); err != nil {
		t.Skipf("no mount namespace here: %v: %s", err, out)
	}
	return h
}

// hosts counts the machines of this process.
var hosts atomic.Int64

// machine makes a machine's mount namespace; scripts/real-nodes runs the same.
//
//go:embed machine.sh
var machine string

// destroy ends what is left of the machine, however the test went.
func (h *Host) destroy(t *testing.T) {
	if g, err := cgroup.New(h.Cgroup); err == nil {
		if err := g.Remove(); err != nil {
			t.Errorf("machine %s: %v", h.NodeName, err)
		}
	}
	unmount(h.Dir)
}

// unmount takes off what host has mounted in a directory.
func unmount(dir string) {
	for _, below := range []string{"ns/mnt", "ns", "node"} {
		_ = unix.Unmount(filepath.Join(dir, below), unix.MNT_DETACH)
	}
}

// Inside is a command line on the machine.
func (h *Host) Inside(line ...string) []string {
	return append([]string{"nsenter", "--mount=" + h.Mounts, "--"}, line...)
}

// Nodehost is a command line of nodehost's on the machine, with the machine's place.
func (h *Host) Nodehost(verb []string, args ...string) []string {
	line := append([]string{h.Rig.Program()}, verb...)
	line = append(line, "--dir", h.Place.Dir, "--run-dir", h.Place.Run)
	return h.Inside(append(line, args...)...)
}

// Command runs a program on the machine to its end.
func (h *Host) Command(line ...string) (string, error) {
	line = h.Inside(line...)
	return Run(h.Namespace, Patience, line[0], line[1:]...)
}

// Must is Command that ends the test when the program fails.
func (h *Host) Must(t *testing.T, line ...string) string {
	t.Helper()
	out, err := h.Command(line...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Join starts nodehost join and waits until the node is Ready.
func (h *Host) Join(t *testing.T, args ...string) *Process {
	t.Helper()
	p := h.Rig.Start(t, h.Namespace, "node "+h.NodeName, h.Nodehost([]string{"join"}, args...))
	p.Await(t, "ready "+h.NodeName)
	return p
}

// JoinLine are the arguments of a machine that joins for the first time.
func (h *Host) JoinLine(t *testing.T, more ...string) []string {
	line := append(h.Rig.Line(t), "--node-name", h.NodeName, "--cgroup-root", h.Cgroup)
	if h.Thresholds != "" {
		line = append(line, "--eviction-hard", h.Thresholds)
	}
	return append(line, more...)
}

// ImportImages gives the node images that were built.
func (h *Host) ImportImages(t *testing.T, names ...string) {
	t.Helper()
	var files []string
	for _, n := range names {
		files = append(files, h.Rig.Image(n))
	}
	line := h.Nodehost([]string{"image", "import"}, files...)
	if _, err := Run(h.Namespace, Patience, line[0], line[1:]...); err != nil {
		t.Fatal(err)
	}
}

// Leave takes the node off.
func (h *Host) Leave(t *testing.T, args ...string) {
	t.Helper()
	line := h.Nodehost([]string{"leave"}, args...)
	if _, err := Run(h.Namespace, Patience, line[0], line[1:]...); err != nil {
		t.Fatal(err)
	}
}
