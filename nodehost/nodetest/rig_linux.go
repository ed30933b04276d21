package nodetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabernetes/tabernetes/nodehost/cgroup"
	"github.com/tabernetes/tabernetes/nodehost/preflight"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
)

// BuildPatience is how long it may take to build what a rig runs, on a busy machine.
const BuildPatience = 20 * time.Minute

// Rig is a cluster behind a hub, on a network of its own, that machines can join.
type Rig struct {
	T       *testing.T // the whole test: what is started ends with it
	Net     *testnet.Net
	Hub     *testnet.Host // the machine of hub and cluster
	Dir     string        // for their files
	Built   string        // directory of programs and images
	Serving *Process      // the hub
	Plane   *Process      // the control plane, or the tab
	keep    bool          // the tab's browser keeps the cluster
	Args    []string      // of the control plane, further ones
}

// HubPort is the hub's on its machine.
const HubPort, clientPort = "8080", "7443"

// NewRig builds what is needed and starts hub and cluster as processes of their own, so that the hub
// can be restarted alone. args are further arguments of the cluster.
func NewRig(t *testing.T, args ...string) *Rig {
	t.Helper()
	testnet.Require(t)
	removeStale(t)
	for _, fs := range []string{"overlay"} {
		if b, _ := os.ReadFile("/proc/filesystems"); !strings.Contains(string(b), "\t"+fs+"\n") {
			t.Skipf("the kernel has no %s file system", fs)
		}
	}
	if have, err := cgroup.Controllers(); err != nil || !have["memory"] || !have["pids"] || !have["cpu"] {
		t.Skipf("control groups for memory, pids and cpu are needed, and there are %v, %v", have, err)
	}
	if err := preflight.Machine().Explain(preflight.Check(preflight.Options{CNIBinDirs: preflight.CNIBinDirs, Dir: t.TempDir(), KubeletPort: 0})); err != nil {
		t.Fatalf("%v\nscripts/setup installs it", err)
	}
	r := &Rig{T: t, Net: testnet.New(t), Built: build(t), Args: args}
	r.Dir = ShortDir(t)
	r.Hub = r.Net.Host(t, "192.168.171.2/24")
	r.StartHub(t)
	r.StartPlane(t)
	return r
}

// StartPlane starts the cluster, or what it is after a kill.
func (r *Rig) StartPlane(t *testing.T) {
	t.Helper()
	r.Plane = r.Start(t, r.Hub.Namespace, "control plane", r.Nodehost(append([]string{"control-plane", "--name", "test", "--nodes", "1", "--grant",
		"--dir", filepath.Join(r.Dir, "cluster"), "--kubeconfig", r.Kubeconfig(), "--trace", r.Trace()}, r.Args...)...))
	r.Plane.Await(t, "ready test")
}

// NewTabRig is the same with the page in headless Chromium as the cluster; hub and browser are of the
// hub's machine. With keep the browser keeps the cluster over a reload, and not over its own end. What
// the page is made of is built first, if it has changed: nobody tests yesterday's.
func NewTabRig(t *testing.T, keep bool) *Rig {
	t.Helper()
	testnet.Require(t)
	page := exec.CommandContext(t.Context(), "scripts/build")
	page.Dir = "../.."
	if text, err := page.CombinedOutput(); err != nil {
		t.Fatalf("build the page (scripts/build): %v\n%s", err, text)
	}
	removeStale(t)
	r := &Rig{T: t, Net: testnet.New(t), Built: build(t), Dir: ShortDir(t), keep: keep}
	r.Hub = r.Net.Host(t, "192.168.171.2/24")
	r.StartHub(t)
	r.StartTab(t)
	return r
}

// StartTab opens the page, or after a kill the tab that was there, as browsers restore one.
func (r *Rig) StartTab(t *testing.T) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(r.Serving.Text(), "page ")
	page, _, _ = strings.Cut(strings.TrimSpace(page), "\n")
	kept := ""
	if r.keep {
		kept = "1"
	}
	script := fmt.Sprintf("cd %s && HUB='%s' KEEP=%s SESSION=%s TRACE=%s NODEHOST=%s exec node scripts/headless.mjs %s %s 1", root,
		page, kept, filepath.Join(r.Dir, "session"), r.Trace(), r.Program(), filepath.Join(r.Dir, "state"), r.Kubeconfig())
	r.Plane = r.Start(t, r.Hub.Namespace, "tab", []string{"bash", "-c", script})
	r.Plane.Await(t, "ready tab")
}

// Type has a line run in the shell of the tab itself, once.
func (r *Rig) Type(t *testing.T, line string) {
	t.Helper()
	file := r.Trace() + ".run"
	if err := os.WriteFile(file+".new", []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil { // at once, as a whole
		t.Fatal(err)
	}
	r.Plane.Await(t, "typed: ended with 0")
}

// Reload loads the tab's page anew, and returns when its cluster is ready again.
func (r *Rig) Reload(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(r.Trace()+".reload", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.Plane.Await(t, "loaded anew")
}

// StartHub starts the hub, or another one in its place.
func (r *Rig) StartHub(t *testing.T) {
	t.Helper()
	site, err := filepath.Abs("../../out/site")
	if err != nil {
		t.Fatal(err)
	}
	r.Serving = r.Start(t, r.Hub.Namespace, "hub", r.Nodehost("serve", "--print-secret", "--site", site, "--listen", r.Hub.IP()+":"+HubPort, "--clients", r.Hub.IP()+":"+clientPort))
	r.Serving.Await(t, "ready")
}

// URL is the hub's.
func (r *Rig) URL() string { return "https://" + r.Hub.IP() + ":" + HubPort }

// Kubeconfig is the owner's, on the hub's machine.
func (r *Rig) Kubeconfig() string { return filepath.Join(r.Dir, "kubeconfig") }

// Trace is the file of the cluster's trace.
func (r *Rig) Trace() string { return filepath.Join(r.Dir, "trace") }

// Program is nodehost.
func (r *Rig) Program() string { return filepath.Join(r.Built, "nodehost") }

// Image is the archive of an image that was built.
func (r *Rig) Image(name string) string {
	return filepath.Join(r.Built, "images", name+".tar")
}

// Nodehost is a command of the hub's machine.
func (r *Rig) Nodehost(args ...string) []string {
	return append([]string{r.Program(), "--state", filepath.Join(r.Dir, "state")}, args...)
}

// Try runs a shell line in which kubectl has the owner's rights; err has what was printed.
func (r *Rig) Try(line string) (string, error) {
	return Run(r.Hub.Namespace, Patience, "bash", "-c", "kubectl() { "+filepath.Join(r.Built, "kubectl")+" --kubeconfig "+r.Kubeconfig()+` "$@"; }; `+line)
}

// Kubectl is Try that ends the test when the line fails; what it printed comes without the space around it.
func (r *Rig) Kubectl(t *testing.T, line string) string {
	t.Helper()
	out, err := r.Try(line)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

// firstPause is what Eventually waits after its first attempt.
const firstPause = 100 * time.Millisecond

// Eventually repeats a shell line until it prints what is wanted.
func (r *Rig) Eventually(t *testing.T, line, want string) {
	t.Helper()
	var got string
	var err error
	// Each attempt starts a kubectl: five of them a second, for each test that waits, keep a machine from what is waited for.
	for end, pause := time.Now().Add(Patience), firstPause; time.Now().Before(end); pause = min(pause*3/2, time.Second) {
		if got, err = r.Try(line); err == nil && strings.TrimSpace(got) == want {
			return
		}
		time.Sleep(pause)
	}
	t.Fatalf("$ %s\ngot  %q, %v\nwant %q", line, got, err, want)
}

// Line makes a token and returns the arguments of join.
func (r *Rig) Line(t *testing.T) []string {
	t.Helper()
	out := r.Kubectl(t, strings.Join(r.Nodehost("token", "create", "--kubeconfig", r.Kubeconfig(), "--hub", r.URL()), " ")+" 2>/dev/null")
	fields := strings.Fields(out)
	if len(fields) < 4 || fields[2] != "join" {
		t.Fatalf("token create printed %q", out)
	}
	return fields[3:]
}

// Start starts a program on a machine; it ends with the whole test.
func (r *Rig) Start(t *testing.T, n *testnet.Namespace, name string, line []string) *Process {
	t.Helper()
	return Start(r.T, n, name, line)
}

var buildOnce = sync.OnceValues(func() (string, error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	built := filepath.Join(root, "out", "test", "join")
	ctx, cancel := context.WithTimeout(context.Background(), BuildPatience)
	defer cancel()
	for _, line := range [][]string{
		// Together: packages are loaded once, and linked side by side.
		{"go", "build", "-o", built + "/", "./nodehost", "./nodehost/cni/tabernetes-cni", "k8s.io/kubernetes/cmd/kubectl"},
		{"go", "build", "-o", filepath.Join(built, "imager"), "./scripts/images"},
		{filepath.Join(built, "imager"), "build", "-o", filepath.Join(built, "images"), "pause", "busybox", "nginx", "nonroot"},
	} {
		cmd := exec.CommandContext(ctx, line[0], line[1:]...)
		cmd.Dir = root
		if text, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", strings.Join(line, " "), err, text)
		}
	}
	return built, nil
})

// build builds the programs and images, where they are found again.
func build(t *testing.T) string {
	t.Helper()
	built, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// ShortDir is a directory whose path is short enough for sockets.
func ShortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", fmt.Sprintf("%s%d-", dirPrefix, os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	// Containers with a user namespace are nobody here, and have to get at what is theirs.
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil && !errors.Is(err, unix.ENOENT) {
			t.Errorf("remove the test's directory: %v", err)
		}
	})
	return dir
}
