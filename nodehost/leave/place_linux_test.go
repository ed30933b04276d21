package leave

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tabernetes/tabernetes/nodehost/nodedir"
)

const alone = "TABERNETES_LEAVE_ALONE"

// onAMachineOfItsOwn runs the test that calls it in a process with mounts and a network of its own, and says
// whether this is that process.
func onAMachineOfItsOwn(t *testing.T) bool {
	t.Helper()
	if os.Getenv(alone) != "" {
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			t.Fatal(err)
		}
		return true
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), alone+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET}
	if uid := os.Getuid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		t.Skipf("no network namespace here: %v", err)
	}
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
	return false
}

// A node leaves with the run directory that it joined with. What is somebody else's and was named in its place
// keeps its files and mounts, and is not marked as a node's.
func TestAnothersRunDirectory(t *testing.T) {
	if !onAMachineOfItsOwn(t) {
		return
	}
	for name, c := range map[string]struct {
		state   nodedir.State
		there   []string
		foreign bool // if it is looked into, and not only compared
	}{
		"of a node that knows its own":         {state: nodedir.State{RunDir: "own"}, there: []string{"containerd/x"}},
		"that is not there":                    {state: nodedir.State{RunDir: "own"}},
		"that another node has marked":         {state: nodedir.State{RunDir: "own"}, there: []string{".nodehost", "lock", "containerd/x"}},
		"of an earlier version's":              {there: []string{"containerd/x"}, foreign: true},
		"of an earlier version's, as /var/lib": {there: []string{"containerd/x", "dpkg/status", "lock"}, foreign: true},
		"of an earlier version's that had a containerd, which another node has marked": {
			state: nodedir.State{Own: true, Endpoint: "own"}, there: []string{".nodehost", "containerd/x"},
		},
	} {
		for _, joined := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, joined %v", name, joined), func(t *testing.T) {
				root, p := place(t)
				s := c.state
				s.Node, s.Instance, s.Joined, s.Leaving = "a", "i", joined, joined
				if s.RunDir != "" {
					s.RunDir = p.Run
				}
				if s.Endpoint != "" {
					s.Endpoint = "unix://" + p.Socket()
				}
				fill(t, p.Run, ".nodehost", "lock", "containerd/own")
				theirs := nodedir.Place{Dir: p.Dir, Run: filepath.Join(root, "theirs")}
				fill(t, theirs.Run, c.there...)
				if err := p.Save(&s); err != nil {
					t.Fatal(err)
				}
				mounted := ""
				if len(c.there) > 0 {
					mounted = filepath.Join(theirs.Run, "containerd/disk")
					fill(t, root, "disk/data")
					fill(t, mounted, "./")
					if err := unix.Mount(filepath.Join(root, "disk"), mounted, "", unix.MS_BIND, ""); err != nil {
						t.Fatal(err)
					}
					defer func() { _ = unix.Unmount(mounted, unix.MNT_DETACH) }()
				}
				before := files(t, root)
				for _, force := range []bool{false, true} {
					err := Run(t.Context(), Options{Place: theirs, Force: force, Out: io.Discard, Log: quiet})
					want := nodedir.ErrElsewhere
					if c.foreign {
						want = nodedir.ErrForeign
					}
					if !errors.Is(err, want) || !strings.Contains(err.Error(), "nothing was removed") {
						t.Errorf("force %v: %v, want %v", force, err, want)
					}
				}
				wantFiles(t, root, before...)
			})
		}
	}
}

// A node leaves by the run directory that it has, however it is named, and whatever version has made it.
func TestItsOwnRunDirectory(t *testing.T) {
	if !onAMachineOfItsOwn(t) {
		return
	}
	for name, c := range map[string]struct {
		known bool
		there []string
	}{
		"as it joined":                              {known: true, there: []string{".nodehost", "lock", "containerd/x"}},
		"after a boot":                              {known: true},
		"of an earlier version":                     {there: []string{".nodehost", "lock", "containerd/x"}},
		"of an earlier version, after a boot":       {},
		"of a version that had no marks":            {there: []string{"lock", "containerd/x"}},
		"of one that was killed when it was marked": {known: true, there: []string{".nodehost.next", "lock"}},
	} {
		t.Run(name, func(t *testing.T) {
			root, p := place(t)
			s := nodedir.State{Node: "a", Instance: "i", Joined: true, Leaving: true}
			if c.known {
				s.RunDir = p.Run
			}
			if err := p.Save(&s); err != nil {
				t.Fatal(err)
			}
			fill(t, p.Run, c.there...)
			if err := os.Symlink(root, root+".link"); err != nil {
				t.Fatal(err)
			}
			defer os.Remove(root + ".link")
			linked := nodedir.Place{Dir: p.Dir, Run: filepath.Join(root+".link", "run")}
			if err := Run(t.Context(), Options{Place: linked, Out: io.Discard, Log: quiet}); err != nil {
				t.Fatal(err)
			}
			wantFiles(t, root)
		})
	}
}
