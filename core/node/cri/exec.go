package cri

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	remote "k8s.io/cri-client/pkg"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/cri/tty"
	"github.com/tabernetes/tabernetes/core/program"
)

// maxExecOutput is what ExecSync keeps of each stream, in bytes: the CRI's figure, after
// CVE-2022-1708 and CVE-2022-31030.
const maxExecOutput = 16 << 20

// hangUpGrace is how long a process may outlive the terminal that it is on.
const hangUpGrace = 5 * time.Second

// execStreams are the streams of a process that is started in a running container.
type execStreams struct {
	stdin          io.Reader // nil for none
	stdout, stderr io.Writer // nil for none
	tty            bool
	resize         <-chan remotecommand.TerminalSize
}

// exec runs a command in a running container to its end. The error says why it did not run,
// or is the context's.
func (r *Runtime) exec(ctx context.Context, c *container, args []string, streams execStreams) (int, error) {
	if state := c.currentState(); state != runtimeapi.ContainerState_CONTAINER_RUNNING {
		return 0, status.Errorf(codes.Unknown, "container is in %s state", state)
	}
	if len(args) == 0 {
		return 0, status.Error(codes.InvalidArgument, "failed to exec in container: no command specified")
	}
	prog, err := c.executables(r.opts.Images).find(args[0])
	if err != nil {
		return 0, status.Errorf(codes.Unknown, "failed to exec in container: failed to start exec: %v", startError(args[0], err))
	}
	// Of the container's life, and of the caller's.
	procCtx, kill := context.WithCancelCause(c.ctx)
	defer kill(nil)
	defer context.AfterFunc(ctx, func() { kill(program.Killed{Signal: program.SIGKILL}) })()

	sockets := c.sandbox.network.Sockets(c.fs)
	defer sockets.Close()
	p := c.process(r, args, sockets)
	signals := make(chan program.Signal, 16)
	p.Signals = signals
	p.Stdin, p.Stdout, p.Stderr = orEmpty(streams.stdin), orDiscard(streams.stdout), orDiscard(streams.stderr)
	if streams.tty {
		defer terminal(procCtx, p, streams, signals, kill)()
	}
	returned := make(chan int, 1)
	go func() { returned <- c.processes.Run(procCtx, prog, p) }()
	select {
	case code := <-returned:
		return code, ctx.Err()
	case <-procCtx.Done():
	}
	sockets.Close()
	awaitKilled(returned)
	return exitKilled, ctx.Err()
}

// terminal puts a terminal between p and its streams. The returned function ends it.
func terminal(ctx context.Context, p *program.Process, streams execStreams, signals chan<- program.Signal, kill context.CancelCauseFunc) (end func()) {
	send := func(s program.Signal) {
		select {
		case signals <- s:
		default:
		}
	}
	t := tty.New(p.Stdout, send)
	p.Stdin, p.Stdout, p.Stderr, p.Terminal = t, t, t, t
	p.Env = append(p.Env, "TERM=xterm")
	var ended sync.Once
	done := make(chan struct{})
	end = func() { ended.Do(func() { close(done) }); t.Hangup() }
	if streams.stdin != nil {
		go func() {
			feed(t, streams.stdin)
			t.Hangup()
			send(program.SIGHUP)
			timer := time.NewTimer(hangUpGrace)
			defer timer.Stop()
			select {
			case <-timer.C:
				kill(program.Killed{Signal: program.SIGHUP})
			case <-done:
			}
		}()
	}
	go resize(ctx, t, streams.resize)
	return end
}

// feed copies keystrokes until there are no more.
func feed(t *tty.TTY, from io.Reader) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		t.Input(buf[:n])
		if err != nil {
			return
		}
	}
}

// resize follows the client's window until ctx ends or the client goes.
func resize(ctx context.Context, t *tty.TTY, sizes <-chan remotecommand.TerminalSize) {
	for {
		select {
		case size, ok := <-sizes:
			if !ok {
				return
			}
			t.SetSize(int(size.Width), int(size.Height))
		case <-ctx.Done():
			return
		}
	}
}

func orEmpty(r io.Reader) io.Reader {
	if r == nil {
		return strings.NewReader("")
	}
	return r
}

func orDiscard(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

// ExecSync runs a command to its end. As upstream's client of a remote runtime
// (k8s.io/cri-client/pkg, ExecSync), it returns a utilexec.CodeExitError for a non-zero exit
// code and an error that wraps remote.ErrCommandTimedOut after timeout (0: none).
func (r *Runtime) ExecSync(ctx context.Context, id string, cmd []string, timeout time.Duration) (stdout, stderr []byte, err error) {
	if err := r.enter(); err != nil {
		return nil, nil, err
	}
	c, err := r.container(id)
	if err != nil {
		return nil, nil, err
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	var out, errOut capped
	code, err := r.exec(ctx, c, cmd, execStreams{stdout: &out, stderr: &errOut})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, nil, fmt.Errorf("%w: %q timed out after %s", remote.ErrCommandTimedOut, strings.Join(cmd, " "), timeout)
	case err != nil:
		return nil, nil, err
	case code != 0:
		err = utilexec.CodeExitError{
			Err:  fmt.Errorf("command '%s' exited with %d: %s", strings.Join(cmd, " "), code, errOut.bytes()),
			Code: code,
		}
	}
	return out.bytes(), errOut.bytes(), err
}

// capped keeps the first maxExecOutput bytes.
type capped struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (c *capped) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buf.Write(p[:min(len(p), maxExecOutput-c.buf.Len())])
	return len(p), nil
}

// bytes is a copy: a process that was left behind may still write.
func (c *capped) bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.buf.Bytes())
}
