package testnet

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const roleVar = "TABERNETES_TESTNET_ROLE"

// Role is what a process in a namespace does: it reads its configuration, calls ready once it
// works, and returns after ctx is done. A line that it writes to out can be waited for.
type Role func(ctx context.Context, config []byte, ready func()) error

// Roles by name.
type Roles map[string]Role

// Main is the body of a TestMain whose tests start processes.
func Main(m interface{ Run() int }, roles Roles) {
	name := os.Getenv(roleVar)
	if name == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	config, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = roles[name](ctx, config, func() { fmt.Println("ready") })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Process is a role that runs in a namespace.
type Process struct {
	cmd   *exec.Cmd
	log   *log
	ended chan struct{}
	err   error // after ended
}

// Start runs the test's own binary in the namespace as the role, and waits until it is ready.
// It is stopped when the test ends; its log is shown if the test failed.
func (n *Namespace) Start(t testing.TB, role string, config any) *Process {
	t.Helper()
	p := n.Launch(t, role, config)
	p.WaitFor(t, "ready")
	return p
}

// Launch is Start without the waiting.
func (n *Namespace) Launch(t testing.TB, role string, config any) *Process {
	t.Helper()
	in, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	p := &Process{cmd: exec.Command("/proc/self/exe"), log: newLog(), ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), roleVar+"="+role)
	p.cmd.Stdin = strings.NewReader(string(in))
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	r, w := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = w, w
	n.Do(func() { err = p.cmd.Start() })
	if err != nil {
		t.Fatalf("start %s: %v", role, err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.log.read(r)
	}()
	go func() {
		p.err = p.cmd.Wait()
		_ = w.Close()
		<-read
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("%s in %s said:\n%s", role, n.Name, p.log)
		}
	})
	return p
}

// Stop asks the process to end and returns how it did.
func (p *Process) Stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	<-p.ended
	return p.err
}

// Wait waits until it ends by itself and returns how it did.
func (p *Process) Wait(t testing.TB, patience time.Duration) error {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatalf("the process has not ended after %s:\n%s", patience, p.log)
	}
	return p.err
}

// Kill ends it at once, as a crash would.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// WaitFor waits until the process has printed a line that contains the text.
func (p *Process) WaitFor(t testing.TB, text string) {
	t.Helper()
	select {
	case <-p.log.seen(text):
	case <-p.ended:
		select {
		case <-p.log.seen(text):
			return
		default:
		}
		t.Fatalf("the process ended (%v) and had not said %q:\n%s", p.err, text, p.log)
	case <-time.After(2 * time.Minute):
		t.Fatalf("the process has not said %q:\n%s", text, p.log)
	}
}

// log keeps what a process prints, and tells who waits for a line.
type log struct {
	mu    sync.Mutex
	lines []string
	waits map[string]chan struct{}
}

func newLog() *log { return &log{waits: map[string]chan struct{}{}} }

func (l *log) read(r io.Reader) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		l.mu.Lock()
		l.lines = append(l.lines, s.Text())
		for text, c := range l.waits {
			if strings.Contains(s.Text(), text) {
				close(c)
				delete(l.waits, text)
			}
		}
		l.mu.Unlock()
	}
	_, _ = io.Copy(io.Discard, r)
}

func (l *log) seen(text string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.Contains(line, text) {
			c := make(chan struct{})
			close(c)
			return c
		}
	}
	c, ok := l.waits[text]
	if !ok {
		c = make(chan struct{})
		l.waits[text] = c
	}
	return c
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// Output is what the process has printed so far.
func (p *Process) Output() string { return p.log.String() }
