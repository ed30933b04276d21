package join

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tabernetes/tabernetes/nodehost/cgroup"
	"github.com/tabernetes/tabernetes/nodehost/nodedir"
	"github.com/tabernetes/tabernetes/nodehost/nodetest"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
)

// host is a machine: a network of its own, and its own view of the file system, in which /run is
// empty, and what is written to /var/lib and /var/log, or set in sysctls, goes elsewhere. Its control group
// is its own, too.
type host struct {
	*testnet.Host
	rig    *rig
	name   string
	dir    string
	mounts string // the mount namespace's file
	place  nodedir.Place
	cgroup string
	// thresholds are the kubelet's for evicting pods; empty is upstream's.
	thresholds string
}

// host makes a machine whose node evicts pods only if the real machine's disk is all but full.
func (r *rig) host(t *testing.T, name, cidr string) *host {
	t.Helper()
	h := r.hostWithDisk(t, name, cidr, "")
	h.thresholds = "memory.available<50Mi,nodefs.available<100Mi,imagefs.available<100Mi"
	return h
}

// hostWithDisk makes a machine whose node has a disk of its own, of such a size as mount(8) has it;
// empty is the real machine's.
func (r *rig) hostWithDisk(t *testing.T, name, cidr, size string) *host {
	t.Helper()
	dir := shortDir(t)
	h := &host{
		Host: r.net.Host(t, cidr), rig: r, name: name, dir: dir, mounts: filepath.Join(dir, "ns", "mnt"),
		place:  nodedir.Place{Dir: filepath.Join(dir, "node"), Run: filepath.Join(dir, "run")},
		cgroup: fmt.Sprintf("/%s%d-%d-%s", groupPrefix, os.Getpid(), hosts.Add(1), name),
	}
	t.Cleanup(func() { h.destroy(t) })
	for _, d := range []string{"ns", "lib", "lib.work", "log", "log.work", "sys"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if size != "" {
		if err := errors.Join(os.Mkdir(h.place.Dir, 0o711), unix.Mount("tmpfs", h.place.Dir, "tmpfs", 0, "mode=711,size="+size)); err != nil {
			t.Fatalf("a disk for the machine: %v", err)
		}
	}
	// A mount namespace can be kept by a file on a mount that is nobody else's.
	script := `cd "$1" && mount --bind ns ns && mount --make-private ns && touch ns/mnt &&
		unshare --mount=ns/mnt --propagation private bash -ec '
			for d in lib log; do
				mount -t overlay -o "lowerdir=/var/$d,upperdir=$1/$d,workdir=$1/$d.work" overlay "/var/$d"
			done
			for s in $2; do
				mkdir -p "$1/sys/${s%/*}" && cat "/proc/sys/$s" >"$1/sys/$s" && mount --bind "$1/sys/$s" "/proc/sys/$s"
			done
			mount -t tmpfs tmpfs /run
			mount --make-rshared /' - "$1" "$2"`
	if out, err := exec.Command("bash", "-c", script, "-", dir, strings.Join(sysctls, " ")).CombinedOutput(); err != nil {
		t.Skipf("no mount namespace here: %v: %s", err, out)
	}
	return h
}

// hosts counts the machines of this process.
var hosts atomic.Int64

// sysctls are what a kubelet sets for the whole machine: the one thing that no namespace keeps apart. Here
// they are files.
var sysctls = []string{
	"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
	"kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes",
}

// destroy ends what is left of the machine, however the test went.
func (h *host) destroy(t *testing.T) {
	if g, err := cgroup.New(h.cgroup); err == nil {
		if err := g.Remove(); err != nil {
			t.Errorf("machine %s: %v", h.name, err)
		}
	}
	unmount(h.dir)
}

// unmount takes off what host has mounted in a directory.
func unmount(dir string) {
	for _, below := range []string{"ns/mnt", "ns", "node"} {
		_ = unix.Unmount(filepath.Join(dir, below), unix.MNT_DETACH)
	}
}

// inside is a command line on the machine.
func (h *host) inside(line ...string) []string {
	return append([]string{"nsenter", "--mount=" + h.mounts, "--"}, line...)
}

// nodehost is a command line of nodehost's on the machine, with the machine's place.
func (h *host) nodehost(verb []string, args ...string) []string {
	line := append([]string{h.rig.program()}, verb...)
	line = append(line, "--dir", h.place.Dir, "--run-dir", h.place.Run)
	return h.inside(append(line, args...)...)
}

// exec runs a program on the machine to its end.
func (h *host) exec(line ...string) (string, error) {
	line = h.inside(line...)
	return nodetest.Run(h.Namespace, nodetest.Patience, line[0], line[1:]...)
}

func (h *host) must(t *testing.T, line ...string) string {
	t.Helper()
	out, err := h.exec(line...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// join starts nodehost join and waits until the node is Ready.
func (h *host) join(t *testing.T, args ...string) *nodetest.Process {
	t.Helper()
	p := h.rig.start(t, h.Host, "node "+h.name, h.nodehost([]string{"join"}, args...))
	p.Await(t, "ready "+h.name)
	return p
}

// first are the arguments of a machine that joins for the first time.
func (h *host) first(t *testing.T, more ...string) []string {
	line := append(h.rig.line(t), "--node-name", h.name, "--cgroup-root", h.cgroup)
	if h.thresholds != "" {
		line = append(line, "--eviction-hard", h.thresholds)
	}
	return append(line, more...)
}

func (h *host) importImages(t *testing.T, names ...string) {
	t.Helper()
	var files []string
	for _, n := range names {
		files = append(files, h.rig.image(n))
	}
	line := h.nodehost([]string{"image", "import"}, files...)
	if _, err := nodetest.Run(h.Namespace, nodetest.Patience, line[0], line[1:]...); err != nil {
		t.Fatal(err)
	}
}

// leave takes the node off.
func (h *host) leave(t *testing.T, args ...string) {
	t.Helper()
	line := h.nodehost([]string{"leave"}, args...)
	if _, err := nodetest.Run(h.Namespace, nodetest.Patience, line[0], line[1:]...); err != nil {
		t.Fatal(err)
	}
}

// traces are everything on the machine that a node could leave behind. (/run/mount is what mount(8)
// keeps of mounts, whoever makes them.)
func (h *host) traces(t *testing.T) []string {
	t.Helper()
	var all []string
	for what, line := range map[string]string{
		"interface": "ls /sys/class/net >/dev/null; ip -o link | cut -d: -f2",
		"route":     "ip route | sed 's/ linkdown//'", // said of a bridge while it has no pods
		"rule":      "nft list ruleset",
		// Other tests of the same time have mounts, too.
		"mount":    fmt.Sprintf(`awk '$2 !~ "/tab(t|test|real)-[0-9]" || index($2, "%s/") == 1 {print $2}' /proc/mounts`, h.dir),
		"file":     "find /run -xdev -not -path '/run/mount*'",
		"setting":  "cd /proc/sys && grep . " + strings.Join(sysctls, " "),
		"group":    "find /sys/fs/cgroup -path '*" + h.cgroup + "*' -type d 2>/dev/null || true", // those of others come and go
		"own file": "find " + h.dir + " -maxdepth 1",
	} {
		for _, found := range strings.Split(strings.TrimSpace(h.must(t, "bash", "-c", line)), "\n") {
			if found != "" {
				all = append(all, what+" "+strings.TrimSpace(found))
			}
		}
	}
	for _, d := range []string{"lib", "log"} {
		all = append(all, h.written(t, d)...)
	}
	for _, pid := range h.processes() {
		all = append(all, "process "+pid)
	}
	slices.Sort(all)
	return all
}

// written are the files below a directory of /var that this machine has made or removed. What is there
// without it comes and goes with the real machine: packages, others' logs.
func (h *host) written(t *testing.T, dir string) (found []string) {
	t.Helper()
	upper := filepath.Join(h.dir, dir) // of the overlay: what was removed is a device file
	err := filepath.WalkDir(upper, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.Join("/var", dir, strings.TrimPrefix(path, upper))
		switch _, err := os.Lstat(name); {
		case e.Type()&fs.ModeCharDevice != 0:
			found = append(found, "removed file "+name)
		case errors.Is(err, fs.ErrNotExist):
			found = append(found, "file "+name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// runs says whether a container of the machine has a process with the text in its command line.
func (h *host) runs(text string) bool {
	for pid, line := range nodetest.Commands() {
		groups, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
		if strings.Contains(line, text) && strings.Contains(string(groups), h.cgroup+"/") {
			return true
		}
	}
	return false
}

// processes are those whose command line names the machine's directories.
func (h *host) processes() []string {
	var found []string
	for _, line := range nodetest.Commands() {
		if strings.Contains(line, h.place.Dir) || strings.Contains(line, h.place.Run) {
			found = append(found, line)
		}
	}
	return found
}

// difference is what is in one of two sorted lists only.
func difference(before, after []string) (gone, came []string) {
	in := func(list []string) map[string]bool {
		m := map[string]bool{}
		for _, x := range list {
			m[x] = true
		}
		return m
	}
	b, a := in(before), in(after)
	maps.DeleteFunc(b, func(k string, _ bool) bool { return a[k] })
	was := in(before)
	maps.DeleteFunc(a, func(k string, _ bool) bool { return was[k] })
	return slices.Sorted(maps.Keys(b)), slices.Sorted(maps.Keys(a))
}
