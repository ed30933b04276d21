package join

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabernetes/tabernetes/nodehost/cgroup"
	"github.com/tabernetes/tabernetes/nodehost/preflight"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
)

// Patience, on a busy machine.
const (
	buildPatience = 20 * time.Minute
	longEnough    = 3 * time.Minute
)

// rig is a cluster behind a hub, on a network of its own, that machines can join.
type rig struct {
	t       *testing.T // the whole test: what is started ends with it
	net     *testnet.Net
	hub     *testnet.Host
	dir     string
	built   string // directory of programs and images
	serving *process
	plane   *process
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
		"--dir", filepath.Join(r.dir, "cluster"), "--kubeconfig", r.kubeconfig()}, r.args...)...))
	r.plane.await(t, "ready test")
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
	_, page, _ := strings.Cut(r.serving.text(), "page ")
	page, _, _ = strings.Cut(strings.TrimSpace(page), "\n")
	script := fmt.Sprintf("cd %s && HUB='%s' SESSION=%s NODEHOST=%s exec node scripts/headless.mjs %s %s 1", root,
		page, filepath.Join(r.dir, "session"), r.program(), filepath.Join(r.dir, "state"), r.kubeconfig())
	r.plane = r.start(t, r.hub, "tab", []string{"bash", "-c", script})
	r.plane.await(t, "ready tab")
}

// startHub starts the hub, or another one in its place.
func (r *rig) startHub(t *testing.T) {
	t.Helper()
	site, err := filepath.Abs("../../out/site")
	if err != nil {
		t.Fatal(err)
	}
	r.serving = r.start(t, r.hub, "hub", r.nodehost("serve", "--print-secret", "--site", site, "--listen", r.hub.IP()+":"+hubPort, "--clients", r.hub.IP()+":"+clientPort))
	r.serving.await(t, "ready")
}

func (r *rig) url() string        { return "https://" + r.hub.IP() + ":" + hubPort }
func (r *rig) kubeconfig() string { return filepath.Join(r.dir, "kubeconfig") }
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
	return run(r.hub.Namespace, longEnough, "bash", "-c", "kubectl() { "+filepath.Join(r.built, "kubectl")+" --kubeconfig "+r.kubeconfig()+` "$@"; }; `+line)
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
	for end := time.Now().Add(longEnough); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
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

// process is a program in a namespace.
type process struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}
	err  error // of its end, when done is closed

	mu  sync.Mutex
	out bytes.Buffer
}

// start starts a program; it ends with the whole test, and its output is shown if that failed.
func (r *rig) start(t *testing.T, h *testnet.Host, name string, line []string) *process {
	t.Helper()
	p := &process{name: name, cmd: exec.Command(line[0], line[1:]...), done: make(chan struct{})}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p.cmd.Env = append(os.Environ(), "TABERNETES_NETNS=") // in-tab nodes have a network of their own again
	pipe, w := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = w, w
	var err error
	h.Do(func() { err = p.cmd.Start() })
	if err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	go func() {
		for lines := bufio.NewScanner(pipe); lines.Scan(); {
			p.mu.Lock()
			p.out.WriteString(lines.Text() + "\n")
			p.mu.Unlock()
		}
	}()
	go func() {
		p.err = p.cmd.Wait()
		_ = w.Close()
		close(p.done)
	}()
	r.t.Cleanup(func() {
		p.end(syscall.SIGTERM)
		if r.t.Failed() {
			text := p.text()
			r.t.Logf("--- %s\n%s", name, text[max(0, len(text)-6000):])
		}
	})
	return p
}

func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// await waits until the process has printed a line that begins so.
func (p *process) await(t *testing.T, begin string) {
	t.Helper()
	p.awaitIn(t, begin, func(text string) bool { return strings.HasPrefix(text, begin) || strings.Contains(text, "\n"+begin) })
}

// awaitWords waits until the process has printed the words.
func (p *process) awaitWords(t *testing.T, words string) {
	t.Helper()
	p.awaitIn(t, words, func(text string) bool { return strings.Contains(text, words) })
}

func (p *process) awaitIn(t *testing.T, what string, is func(text string) bool) {
	t.Helper()
	for end := time.Now().Add(longEnough); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if is(p.text()) {
			return
		}
		select {
		case <-p.done:
			t.Fatalf("%s ended: %v\n%s", p.name, p.err, p.text())
		default:
		}
	}
	t.Fatalf("%s does not print %q", p.name, what)
}

// end signals the process and waits for it.
func (p *process) end(sig syscall.Signal) {
	_ = p.cmd.Process.Signal(sig)
	select {
	case <-p.done:
	case <-time.After(time.Minute):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// run runs a program in a namespace to its end; the error has what it printed, and its exit code is
// that of errors.As *exec.ExitError.
func run(n *testnet.Namespace, patience time.Duration, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var err error
	n.Do(func() { err = cmd.Start() })
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		err = fmt.Errorf("$ %s %s: %w\n%s", program, strings.Join(args, " "), err, out.String())
	}
	return out.String(), err
}

func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
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
		{"go", "build", "-o", filepath.Join(built, "nodehost"), "./nodehost"},
		{"go", "build", "-o", filepath.Join(built, "tabernetes-cni"), "./nodehost/cni/tabernetes-cni"},
		{"go", "build", "-o", filepath.Join(built, "kubectl"), "k8s.io/kubernetes/cmd/kubectl"},
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
