package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// The tests of this package use a cluster through the hub with programs that nobody here wrote.
// By default it is the native core with three in-tab nodes, behind a `nodehost serve` that is
// started for them; with TABERNETES_TEST_TAB the built page in headless Chromium, behind the same;
// TABERNETES_KUBECONFIG names another one.
var outside struct {
	kubeconfig string
	nodehost   string // the program
	state      string // of the hub; empty if it is not ours
	kubectls   map[string]string
}

// Patience, on a busy machine.
const (
	buildPatience = 20 * time.Minute
	startPatience = 5 * time.Minute
	longEnough    = 2 * time.Minute
)

func TestMain(m *testing.M) {
	code, err := withCluster(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "nodehost:", err)
		code = 1
	}
	os.Exit(code)
}

func withCluster(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "nodehost-test-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	// Built where `go build` finds them again, so that only what changed is linked anew.
	built, err := filepath.Abs("../out/test")
	if err != nil {
		return 0, err
	}
	outside.nodehost = filepath.Join(built, "nodehost")
	upstream := filepath.Join(built, "kubectl")
	for out, pkg := range map[string]string{outside.nodehost: ".", upstream: "k8s.io/kubernetes/cmd/kubectl"} {
		ctx, cancel := context.WithTimeout(context.Background(), buildPatience)
		text, err := exec.CommandContext(ctx, "go", "build", "-o", out, pkg).CombinedOutput()
		cancel()
		if err != nil {
			return 0, fmt.Errorf("build %s: %w\n%s", pkg, err, text)
		}
	}
	outside.kubectls = map[string]string{"of the same version": upstream}
	if machines, err := exec.LookPath("kubectl"); err == nil {
		outside.kubectls["of the machine"] = machines
	}
	if outside.kubeconfig = os.Getenv("TABERNETES_KUBECONFIG"); outside.kubeconfig != "" {
		return m.Run(), nil
	}
	outside.state, outside.kubeconfig = filepath.Join(dir, "state"), filepath.Join(dir, "kubeconfig")
	start := serveNative
	if os.Getenv("TABERNETES_TEST_TAB") != "" {
		start = serveTab
	}
	s, err := start(dir, outside.state, outside.kubeconfig)
	if err != nil {
		return 0, err
	}
	code = m.Run()
	return code, s.stop()
}

// served is a `nodehost serve` with its cluster.
type served struct {
	cmd   *exec.Cmd
	ended chan error
	// kubeconfig is where it writes one; it goes when the program ends, unless keep is set.
	kubeconfig string
	keep       bool
}

// serveNative starts the native core with further flags; its log and its hub's files are in dir.
func serveNative(dir, state, kubeconfig string, flags ...string) (*served, error) {
	return startServed(dir, kubeconfig, "ready native ", exec.Command(outside.nodehost, append([]string{"serve", "--state", state,
		"--listen=127.0.0.1:0", "--clients=127.0.0.1:0", "--cluster-ports=0", "--control-plane=native", "--grant",
		"--kubeconfig", kubeconfig}, flags...)...))
}

// serveTab starts the hub and the page in headless Chromium, as scripts/headless does. What the page
// is made of is built first, if it has changed: nobody tests yesterday's.
func serveTab(dir, state, kubeconfig string, _ ...string) (*served, error) {
	ctx, cancel := context.WithTimeout(context.Background(), buildPatience)
	defer cancel()
	build := exec.CommandContext(ctx, "scripts/build")
	build.Dir = ".."
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the page (scripts/build): %w\n%s", err, text)
	}
	cmd := exec.Command("node", "scripts/headless.mjs", state, kubeconfig, "3")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "NODEHOST="+outside.nodehost)
	return startServed(dir, kubeconfig, "ready tab ", cmd)
}

// startServed starts cmd and waits until it says that it is ready.
func startServed(dir, kubeconfig, says string, cmd *exec.Cmd) (*served, error) {
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s := &served{cmd: cmd, ended: make(chan error, 1), kubeconfig: kubeconfig}
	s.cmd.Stderr = log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	// The kernel sends the parent-death signal when the starting thread ends: it is that of a test.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	ready := make(chan struct{})
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), says) {
				close(ready)
			}
		}
		s.ended <- s.cmd.Wait()
	}()
	select {
	case <-ready:
	case err = <-s.ended:
		s.ended <- err // for stop
	case <-time.After(startPatience):
		err = errors.New("it is not ready in time")
	}
	if err != nil {
		_ = s.stop() // a tab's hub and browser with it
		text, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("start %s: %w\n%s", filepath.Base(cmd.Path), err, text[max(0, len(text)-4000):])
	}
	return s, nil
}

// stop ends it as Ctrl-C does, and wants a clean end.
func (s *served) stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGINT)
	select {
	case err := <-s.ended:
		if err != nil {
			return fmt.Errorf("nodehost serve did not end cleanly: %w", err)
		}
	case <-time.After(startPatience):
		_ = s.cmd.Process.Kill()
		return errors.New("nodehost serve did not end")
	}
	if _, err := os.Stat(s.kubeconfig); err == nil && !s.keep {
		return errors.New("the kubeconfig of a cluster that has gone is still there")
	}
	return nil
}

// kubectl runs a line as a shell would, `kubectl` being the one of the same version.
func kubectl(t *testing.T, line string) string {
	t.Helper()
	out, err := tryKubectl(t.Context(), outside.kubectls["of the same version"], line, "")
	if err != nil {
		t.Fatalf("$ %s\n%v\n%s", line, err, out)
	}
	return out
}

// tryKubectl runs a shell line with one kubectl; out is both outputs.
func tryKubectl(ctx context.Context, program, line, stdin string) (out string, err error) {
	ctx, cancel := context.WithTimeout(ctx, longEnough)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-o", "pipefail", "-c", `kubectl() { "$KUBECTL" "$@"; }; `+line)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+outside.kubeconfig, "KUBECTL="+program)
	cmd.Stdin = strings.NewReader(stdin)
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	return both.String(), err
}

// namespace makes one for the test.
func namespace(t *testing.T) string {
	t.Helper()
	name := strings.ToLower(strings.NewReplacer("/", "-", "_", "-", " ", "-").Replace(t.Name()))
	name = strings.Trim(name[:min(len(name), 60)], "-")
	kubectl(t, "kubectl create namespace "+name)
	t.Cleanup(func() {
		_, _ = tryKubectl(context.Background(), outside.kubectls["of the same version"], "kubectl delete namespace --wait=false "+name, "")
	})
	return name
}

func clientConfig(t testing.TB) *rest.Config {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", outside.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	return config
}

func clientset(t testing.TB) *kubernetes.Clientset {
	t.Helper()
	c, err := kubernetes.NewForConfig(clientConfig(t))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
