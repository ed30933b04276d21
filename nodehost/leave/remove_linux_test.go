package leave

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tabernetes/tabernetes/nodehost/nodedir"
)

// fill makes files, and directories for names that end in a slash.
func fill(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else if err == nil {
			err = os.WriteFile(path, []byte("hi"), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// files are all names below a directory.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if path != dir && err == nil {
			names = append(names, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return names
}

func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := files(t, dir); !slices.Equal(got, want) {
		t.Errorf("there is %q, want %q", got, want)
	}
}

var quiet = slog.New(slog.DiscardHandler)

func place(t *testing.T) (root string, p nodedir.Place) {
	// A short path: sockets have room for a hundred bytes.
	root, err := os.MkdirTemp("/tmp", "tableave-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	return root, nodedir.Place{Dir: filepath.Join(root, "node"), Run: filepath.Join(root, "run")}
}

// A directory that is given by mistake is not touched, whatever is in it.
func TestWithoutANode(t *testing.T) {
	for name, there := range map[string][]string{
		"somebody's files":            {"keep/", "keep/f"},
		"names that a node has":       {"bin/x", "containerd/x", "kubelet/", "log/x", "volumes/data"},
		"a node.json of another kind": {"node.json", "kubelet/x"},
		"nothing":                     nil,
	} {
		t.Run(name, func(t *testing.T) {
			root, p := place(t)
			fill(t, p.Dir, there...)
			fill(t, p.Run, there...)
			if err := os.WriteFile(p.StateFile(), []byte(`{"name":"x","version":"1.0.0"}`), 0o600); err != nil && name == "a node.json of another kind" {
				t.Fatal(err)
			} else if name != "a node.json of another kind" {
				_ = os.Remove(p.StateFile())
			}
			before := files(t, root)
			for _, force := range []bool{false, true} {
				err := Run(t.Context(), Options{Place: p, Force: force, Out: io.Discard, Log: quiet})
				if err == nil || name != "a node.json of another kind" && !errors.Is(err, ErrNoNode) {
					t.Errorf("force %v: %v, want %v", force, err, ErrNoNode)
				}
				wantFiles(t, root, before...)
			}
		})
	}
}

// What a node has goes; what others have put beside stays, and is named.
func TestOnlyWhatIsKnownGoes(t *testing.T) {
	root, p := place(t)
	s := &nodedir.State{Node: "a", Instance: "i"}
	if err := p.Save(s); err != nil { // as an earlier version left it: without a marker
		t.Fatal(err)
	}
	fill(t, p.Dir, "ca.crt", "ca.crt.next", "kubelet.conf", "kubelet/pods/one", "kubelet/seccomp/s", "registries/x/hosts.toml", "containerd/io/z", "cni/bin/b", "cluster/pki/ca.key", "notes", "lost+found/")
	fill(t, p.Run, "containerd.sock", "containerd/x", "lock")
	fill(t, root, "elsewhere/f")
	for _, link := range []string{"kubelet/pods/link", "volumes"} {
		if err := os.Symlink(filepath.Join(root, "elsewhere"), filepath.Join(p.Dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	var said bytes.Buffer
	if err := removeFiles(p, s, slog.New(slog.NewTextHandler(&said, nil))); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, root, "elsewhere", "elsewhere/f", "node", "node/cluster", "node/cluster/pki", "node/cluster/pki/ca.key",
		"node/kubelet", "node/kubelet/seccomp", "node/kubelet/seccomp/s", "node/lost+found", "node/notes", "node/registries", "node/registries/x", "node/registries/x/hosts.toml")
	if !strings.Contains(said.String(), `notes`) || strings.Contains(said.String(), "lost+found") {
		t.Errorf("it says %s", &said)
	}
	// Again, as after a leave that was cut short.
	if err := removeFiles(p, s, quiet); err != nil {
		t.Error(err)
	}
}

// A marked node leaves nothing at all.
func TestNothingIsLeftOfAMarkedNode(t *testing.T) {
	root, p := place(t)
	release, _, err := p.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	s := &nodedir.State{Node: "a", Instance: "i"}
	if err := p.Claim(s); err != nil {
		t.Fatal(err)
	}
	fill(t, p.Dir, "bin/nodehost", "log/containerd.log", "volumes/pvc-1/data", "registries/", "kubelet/seccomp/", "bootstrap-kubelet.conf")
	if err := removeFiles(p, s, quiet); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, root)
}

// Directories outside of the place that a node has made go with it, unless somebody lives there now.
func TestWhoHasMovedIn(t *testing.T) {
	root, _ := place(t)
	known := []string{"device-plugins", "device-plugins/kubelet.sock"}
	listen := func(name string, stays bool) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		ln.SetUnlinkOnClose(false)
		if !stays {
			_ = ln.Close()
			return
		}
		t.Cleanup(func() { _ = ln.Close() })
	}
	listen("ours/device-plugins/kubelet.sock", false)
	listen("theirs/device-plugins/kubelet.sock", false)
	fill(t, root, "theirs/config.yaml", "theirs/pods/x")
	listen("runs/device-plugins/kubelet.sock", true)
	listen("shims/0f3a", false)
	listen("others/0f3a", false)
	listen("others/77", true)
	fill(t, root, "netns/cni-1", "empty/")

	var said bytes.Buffer
	r := &removal{log: slog.New(slog.NewTextHandler(&said, nil))}
	for _, dir := range []string{"ours", "theirs", "runs"} {
		r.made(filepath.Join(root, dir), known)
	}
	for _, dir := range []string{"shims", "others", "netns", "empty", "gone"} {
		r.made(filepath.Join(root, dir), nil)
	}
	if err := errors.Join(r.errs...); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, root,
		"netns", "netns/cni-1", "others", "others/0f3a", "others/77",
		"runs", "runs/device-plugins", "runs/device-plugins/kubelet.sock",
		"theirs", "theirs/config.yaml", "theirs/device-plugins", "theirs/device-plugins/kubelet.sock", "theirs/pods", "theirs/pods/x")
	for _, dir := range []string{"theirs", "runs", "others", "netns"} {
		if !strings.Contains(said.String(), "path="+filepath.Join(root, dir)+" ") {
			t.Errorf("%s is not named: %s", dir, &said)
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// What is mounted below a node's directory stays as it is, also when the path has a space in it, which
// the kernel writes as \040, or leads through a link.
func TestNothingGoesThroughAMount(t *testing.T) {
	if !onAMachineOfItsOwn(t) {
		return
	}
	root, _ := place(t)
	if err := os.Symlink(root, root+".link"); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(root + ".link")
	fill(t, root, "disk/data", "pod/data", "hidden/volumes/x/")
	p := nodedir.Place{Dir: filepath.Join(root+".link", "a node"), Run: filepath.Join(root+".link", "run")}
	s := &nodedir.State{Node: "a", Instance: "i"}
	if err := p.Save(s); err != nil {
		t.Fatal(err)
	}
	fill(t, p.Dir, "volumes/pvc/", "kubelet/pods/a b/", "kubelet/file")
	for from, to := range map[string]string{"disk": p.Volumes() + "/pvc", "pod": p.Kubelet() + "/pods/a b"} {
		if err := unix.Mount(filepath.Join(root, from), to, "", unix.MS_BIND, ""); err != nil {
			t.Fatal(err)
		}
	}
	// What another mount hides is nowhere.
	hidden := filepath.Join(root, "hidden")
	if err := errors.Join(
		unix.Mount(filepath.Join(root, "disk"), hidden+"/volumes/x", "", unix.MS_BIND, ""), unix.Mount("tmpfs", hidden, "tmpfs", 0, ""),
	); err != nil {
		t.Fatal(err)
	}
	fill(t, hidden, "volumes/x/")
	mounts, err := mountPoints()
	if err != nil {
		t.Fatal(err)
	}
	r := &removal{mounts: mounts, log: quiet}
	if r.tree(hidden + "/volumes"); len(r.errs) > 0 || exists(hidden+"/volumes") {
		t.Errorf("it stays, for what is hidden: %v", r.errs)
	}
	if err := unix.Unmount(hidden, 0); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(unix.Unmount(hidden+"/volumes/x", 0), os.RemoveAll(hidden)); err != nil {
		t.Fatal(err)
	}
	if err := unmountBelow(p.Kubelet(), p.Containerd(), p.Run); err != nil {
		t.Fatal(err)
	}
	if err := removeFiles(p, s, quiet); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, root, "a node", "a node/volumes", "a node/volumes/pvc", "a node/volumes/pvc/data", "disk", "disk/data", "pod", "pod/data")
	if err := unix.Unmount(p.Volumes()+"/pvc", 0); err != nil {
		t.Error(err)
	}
}
