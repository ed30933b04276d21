package testnet

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netns"
)

// prefix of the names of all namespaces; the process's number follows, so that those of a
// process that is gone can be told.
const prefix = "tabtest-"

// Namespace is a network namespace, such as a pod's.
type Namespace struct {
	Name string
	// Path is what CNI is given.
	Path string
	work chan func()
}

var counter atomic.Int64

// Require skips the test unless namespaces can be made and the programs are there.
func Require(t testing.TB, programs ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("network namespaces with real interfaces need root")
	}
	for _, p := range append([]string{"ip"}, programs...) {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is missing: scripts/setup installs it", p)
		}
	}
}

// Without makes a PATH on which these programs are not found and those that network code calls are.
func Without(t testing.TB, programs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range []string{"ip", "nft", "iptables", "iptables-save", "iptables-restore", "ip6tables", "ip6tables-save", "ip6tables-restore", "conntrack"} {
		if real, err := exec.LookPath(p); err == nil && !slices.Contains(programs, p) {
			if err := os.Symlink(real, filepath.Join(dir, p)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// NewNamespace makes a namespace whose loopback is up.
func NewNamespace(t testing.TB) *Namespace {
	t.Helper()
	Require(t)
	removeStale()
	name := fmt.Sprintf("%s%d-%d", prefix, os.Getpid(), counter.Add(1))
	if out, err := exec.Command("ip", "netns", "add", name).CombinedOutput(); err != nil {
		t.Skipf("no network namespaces here: ip netns add: %v: %s", err, out)
	}
	n := &Namespace{Name: name, Path: filepath.Join("/run/netns", name), work: make(chan func())}
	t.Cleanup(func() {
		close(n.work)
		_ = exec.Command("ip", "netns", "del", name).Run()
	})
	entered := make(chan error)
	go n.serve(entered)
	if err := <-entered; err != nil {
		t.Fatalf("enter %s: %v", name, err)
	}
	n.MustExec(t, "ip", "link", "set", "lo", "up")
	return n
}

// removeStale removes the namespaces of processes that are gone.
func removeStale() {
	dir, _ := os.ReadDir("/run/netns")
	for _, d := range dir {
		rest, ours := strings.CutPrefix(d.Name(), prefix)
		pid, err := strconv.Atoi(strings.SplitN(rest, "-", 2)[0])
		if ours && err == nil && syscall.Kill(pid, 0) == syscall.ESRCH {
			_ = exec.Command("ip", "netns", "del", d.Name()).Run()
		}
	}
}

// serve is the thread that stays in the namespace; it ends with its goroutine.
func (n *Namespace) serve(entered chan<- error) {
	runtime.LockOSThread()
	ns, err := netns.GetFromName(n.Name)
	if err == nil {
		err = netns.Set(ns)
		_ = ns.Close()
	}
	entered <- err
	if err != nil {
		return
	}
	for f := range n.work {
		f()
	}
}

// Do runs f in the namespace: what f itself opens, and programs that it starts, are in it;
// goroutines that it starts are not.
func (n *Namespace) Do(f func()) {
	done := make(chan struct{})
	n.work <- func() { defer close(done); f() }
	<-done
}

// Exec runs a program in the namespace and returns what it printed.
func (n *Namespace) Exec(program string, args ...string) (string, error) {
	var out strings.Builder
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	var err error
	n.Do(func() { err = cmd.Start() })
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, strings.TrimSpace(out.String()))
	}
	return out.String(), err
}

// MustExec is Exec that ends the test when the program fails.
func (n *Namespace) MustExec(t testing.TB, program string, args ...string) string {
	t.Helper()
	out, err := n.Exec(program, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Dial connects from the namespace, within three seconds; the host must be an IP address.
func (n *Namespace) Dial(network, address string) (c net.Conn, err error) {
	n.Do(func() { c, err = net.DialTimeout(network, address, 3*time.Second) })
	return c, err
}

// DialContext is Dial for an http.Transport.
func (n *Namespace) DialContext(_ context.Context, network, address string) (net.Conn, error) {
	return n.Dial(network, address)
}

// Listen listens in the namespace until the test ends.
func (n *Namespace) Listen(t testing.TB, address string) net.Listener {
	t.Helper()
	var l net.Listener
	var err error
	n.Do(func() { l, err = net.Listen("tcp", address) })
	if err != nil {
		t.Fatalf("listen in %s: %v", n.Name, err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// ListenPacket listens for UDP in the namespace until the test ends.
func (n *Namespace) ListenPacket(t testing.TB, address string) net.PacketConn {
	t.Helper()
	var l net.PacketConn
	var err error
	n.Do(func() { l, err = net.ListenPacket("udp", address) })
	if err != nil {
		t.Fatalf("listen in %s: %v", n.Name, err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}
