package join

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
	"github.com/tabernetes/tabernetes/nodehost/nodetest"
	"github.com/tabernetes/tabernetes/nodehost/preflight"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
)

// Patience, on a busy machine.
const (
	buildPatience = 20 * time.Minute
)

// rig is a cluster behind a hub, on a network of its own, that machines can join.
type rig struct {
	t       *testing.T // the whole test: what is started ends with it
	net     *testnet.Net
	hub     *testnet.Host
	dir     string
	built   string // directory of programs and images
	serving *nodetest.Process
	plane   *nodetest.Process
	args    []string // of the control plane, further ones
}

const hubPort, clientPort = "8080", "7443"

// longLane skips what takes many minutes.
func longLane(t *testing.T) {
	t.Helper()
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skip("`make test-long` runs it: it takes many minutes")
	}
}

// newRig builds what is needed and starts hub and cluster as processes of their own, so that the hub
// can be restarted alone. args are further arguments of the cluster.
func newRig(t *testing.T, args ...string) *rig {
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
	if err := preflight.Machine().Explain(preflight.Check(preflight.Options{CNIBinDirs: CNIBinDirs, Dir: t.TempDir(), KubeletPort: 0})); err != nil {
		t.Fatalf("%v\nscripts/setup installs it", err)
	}
	r := &rig{t: t, net: testnet.New(t), built: build(t), args: args}
	r.dir = shortDir(t)
	r.hub = r.net.Host(t, "192.168.171.2/24")
	r.startHub(t)
	r.startPlane(t)
	return r
}

// startPlane starts the cluster, or what it is after a kill.
func (r *rig) startPlane(t *testing.T) {
	t.Helper()
	r.plane = r.start(t, r.hub, "control plane", r.nodehost(append([]string{"control-plane", "--name", "test", "--nodes", "1", "--grant",
		"--dir", filepath.Join(r.dir, "cluster"), "--kubeconfig", r.kubeconfig(), "--trace", r.trace()}, r.args...)...))
	r.plane.Await(t, "ready test")
}

// newTabRig is the same with the page in headless Chromium as the cluster; hub and browser are of the
// hub's machine. Needs what `make build` builds.
func newTabRig(t *testing.T) *rig {
	t.Helper()
	testnet.Require(t)
	removeStale(t)
	r := &rig{t: t, net: testnet.New(t), built: build(t), dir: shortDir(t)}
	r.hub = r.net.Host(t, "192.168.171.2/24")
	r.startHub(t)
	r.startTab(t)
	return r
}

// startTab opens the page, or after a kill the tab that was there, as browsers restore one.
func (r *rig) startTab(t *testing.T) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(r.serving.Text(), "page ")
	page, _, _ = strings.Cut(strings.TrimSpace(page), "\n")
	script := fmt.Sprintf("cd %s && HUB='%s' SESSION=%s NODEHOST=%s exec node scripts/headless.mjs %s %s 1", root,
		page, filepath.Join(r.dir, "session"), r.program(), filepath.Join(r.dir, "state"), r.kubeconfig())
	r.plane = r.start(t, r.hub, "tab", []string{"bash", "-c", script})
	r.plane.Await(t, "ready tab")
}

// startHub starts the hub, or another one in its place.
func (r *rig) startHub(t *testing.T) {
	t.Helper()
	site, err := filepath.Abs("../../out/site")
	if err != nil {
		t.Fatal(err)
	}
	r.serving = r.start(t, r.hub, "hub", r.nodehost("serve", "--print-secret", "--site", site, "--listen", r.hub.IP()+":"+hubPort, "--clients", r.hub.IP()+":"+clientPort))
	r.serving.Await(t, "ready")
}

func (r *rig) url() string        { return "https://" + r.hub.IP() + ":" + hubPort }
func (r *rig) kubeconfig() string { return filepath.Join(r.dir, "kubeconfig") }
func (r *rig) trace() string      { return filepath.Join(r.dir, "trace") }
func (r *rig) program() string    { return filepath.Join(r.built, "nodehost") }
func (r *rig) image(name string) string {
	return filepath.Join(r.built, "images", name+".tar")
}

// nodehost is a command of the hub's machine.
func (r *rig) nodehost(args ...string) []string {
	return append([]string{r.program(), "--state", filepath.Join(r.dir, "state")}, args...)
}

// kubectl runs a shell line in which kubectl has the owner's rights; err has what was printed.
func (r *rig) try(line string) (string, error) {
	return nodetest.Run(r.hub.Namespace, nodetest.Patience, "bash", "-c", "kubectl() { "+filepath.Join(r.built, "kubectl")+" --kubeconfig "+r.kubeconfig()+` "$@"; }; `+line)
}

func (r *rig) kubectl(t *testing.T, line string) string {
	t.Helper()
	out, err := r.try(line)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

// eventually repeats a shell line until it prints what is wanted.
func (r *rig) eventually(t *testing.T, line, want string) {
	t.Helper()
	var got string
	var err error
	for end := time.Now().Add(nodetest.Patience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if got, err = r.try(line); err == nil && strings.TrimSpace(got) == want {
			return
		}
	}
	t.Fatalf("$ %s\ngot  %q, %v\nwant %q", line, got, err, want)
}

// line makes a token and returns the arguments of join.
func (r *rig) line(t *testing.T) []string {
	t.Helper()
	out := r.kubectl(t, strings.Join(r.nodehost("token", "create", "--kubeconfig", r.kubeconfig(), "--hub", r.url()), " ")+" 2>/dev/null")
	fields := strings.Fields(out)
	if len(fields) < 4 || fields[2] != "join" {
		t.Fatalf("token create printed %q", out)
	}
	return fields[3:]
}

// start starts a program on a machine; it ends with the whole test.
func (r *rig) start(t *testing.T, h *testnet.Host, name string, line []string) *nodetest.Process {
	t.Helper()
	return nodetest.Start(r.t, h.Namespace, name, line)
}

var buildOnce = sync.OnceValues(func() (string, error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	built := filepath.Join(root, "out", "test", "join")
	ctx, cancel := context.WithTimeout(context.Background(), buildPatience)
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

// shortDir is a directory whose path is short enough for sockets.
func shortDir(t *testing.T) string {
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
