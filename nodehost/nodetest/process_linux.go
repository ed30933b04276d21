package nodetest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/nodehost/testnet"
)

// Patience is how long anything may take, on a busy machine.
const Patience = 3 * time.Minute

// Process is a program in a namespace.
type Process struct {
	name string
	cmd  *exec.Cmd
	// Done is closed at its end, of which Err says how it was.
	Done chan struct{}
	Err  error

	mu  sync.Mutex
	out bytes.Buffer
}

// Start starts a program in a namespace; it ends with t, and its output is shown if that failed.
func Start(t testing.TB, n *testnet.Namespace, name string, line []string) *Process {
	t.Helper()
	p := &Process{name: name, cmd: exec.Command(line[0], line[1:]...), Done: make(chan struct{})}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p.cmd.Env = append(os.Environ(), "TABERNETES_NETNS=") // in-tab nodes have a network of their own again
	pipe, w := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = w, w
	var err error
	n.Do(func() { err = p.cmd.Start() })
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
		p.Err = p.cmd.Wait()
		_ = w.Close()
		close(p.Done)
	}()
	t.Cleanup(func() {
		p.End(syscall.SIGTERM)
		if t.Failed() {
			text := p.Text()
			t.Logf("--- %s\n%s", name, text[max(0, len(text)-6000):])
		}
	})
	return p
}

// Text is what it has printed.
func (p *Process) Text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// Await waits until the process has printed a line that begins so.
func (p *Process) Await(t *testing.T, begin string) {
	t.Helper()
	p.AwaitIn(t, begin, func(text string) bool { return strings.HasPrefix(text, begin) || strings.Contains(text, "\n"+begin) })
}

// AwaitWords waits until the process has printed the words.
func (p *Process) AwaitWords(t *testing.T, words string) {
	t.Helper()
	p.AwaitIn(t, words, func(text string) bool { return strings.Contains(text, words) })
}

// AwaitIn waits until what the process has printed is what is wanted.
func (p *Process) AwaitIn(t *testing.T, what string, is func(text string) bool) {
	t.Helper()
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if is(p.Text()) {
			return
		}
		select {
		case <-p.Done:
			t.Fatalf("%s ended: %v\n%s", p.name, p.Err, p.Text())
		default:
		}
	}
	t.Fatalf("%s does not print %q", p.name, what)
}

// Signal signals the process.
func (p *Process) Signal(sig syscall.Signal) { _ = p.cmd.Process.Signal(sig) }

// End signals the process and waits for it.
func (p *Process) End(sig syscall.Signal) {
	p.Signal(sig)
	select {
	case <-p.Done:
	case <-time.After(time.Minute):
		_ = p.cmd.Process.Kill()
		<-p.Done
	}
}

// Run runs a program in a namespace to its end; the error has what it printed, and its exit code is
// that of errors.As *exec.ExitError.
func Run(n *testnet.Namespace, patience time.Duration, program string, args ...string) (string, error) {
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

// ExitCode is that of a program that Run ran, 0 if it ended well or not by itself.
func ExitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// PID is the process's.
func (p *Process) PID() int { return p.cmd.Process.Pid }
