package cri

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/cri-streaming/pkg/streaming"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/podnet"
)

// listen makes the streaming server and its listener on the node's IP.
func (r *Runtime) listen() error {
	ln, err := net.Listen("tcp", netip.AddrPortFrom(r.opts.NodeIP, 0).String())
	if err != nil {
		return fmt.Errorf("listen for streaming: %w", err)
	}
	config := streaming.DefaultConfig
	config.Addr = ln.Addr().String()
	config.BaseURL = &url.URL{Scheme: "http", Host: ln.Addr().String()}
	server, err := streaming.NewServer(config, streamRuntime{r})
	if err != nil {
		_ = ln.Close()
		return fmt.Errorf("make the streaming server: %w", err)
	}
	r.listener, r.streaming, r.server = ln, server, &http.Server{
		Handler: server, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	return nil
}

// Exec gives the URL at which the command's streams are served, once.
func (r *Runtime) Exec(_ context.Context, req *runtimeapi.ExecRequest) (*runtimeapi.ExecResponse, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	if err := r.mustRun(req.GetContainerId()); err != nil {
		return nil, err
	}
	return r.streaming.GetExec(req)
}

// Attach gives the URL at which the container's streams are served, once.
func (r *Runtime) Attach(_ context.Context, req *runtimeapi.AttachRequest) (*runtimeapi.AttachResponse, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	if err := r.mustRun(req.GetContainerId()); err != nil {
		return nil, err
	}
	return r.streaming.GetAttach(req)
}

// PortForward gives the URL at which the pod's ports are served, once.
func (r *Runtime) PortForward(_ context.Context, req *runtimeapi.PortForwardRequest) (*runtimeapi.PortForwardResponse, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	s, err := r.sandbox(req.GetPodSandboxId())
	if err != nil {
		return nil, err
	}
	if s.state() != runtimeapi.PodSandboxState_SANDBOX_READY {
		return nil, status.Errorf(codes.Unknown, "sandbox container is not running")
	}
	return r.streaming.GetPortForward(req)
}

// mustRun is nil if the container runs.
func (r *Runtime) mustRun(id string) error {
	c, err := r.container(id)
	if err != nil {
		return err
	}
	if state := c.currentState(); state != runtimeapi.ContainerState_CONTAINER_RUNNING {
		return status.Errorf(codes.Unknown, "container is in %s state", state)
	}
	return nil
}

// streamRuntime is what the streaming server asks when a client comes to a URL.
type streamRuntime struct{ r *Runtime }

var _ streaming.Runtime = streamRuntime{}

// Exec runs cmd on the client's streams. A non-zero exit code is a utilexec.CodeExitError.
func (s streamRuntime) Exec(ctx context.Context, id string, cmd []string, in io.Reader, out, errOut io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize) error {
	if err := s.r.enter(); err != nil {
		return err
	}
	c, err := s.r.container(id)
	if err != nil {
		return err
	}
	// Interfaces that hold nil pointers would not be nil.
	streams := execStreams{tty: tty, resize: resize, stdin: in}
	if out != nil {
		streams.stdout = out
	}
	if errOut != nil {
		streams.stderr = errOut
	}
	code, err := s.r.exec(ctx, c, cmd, streams)
	if err != nil {
		return err
	}
	if code != 0 {
		return utilexec.CodeExitError{Err: fmt.Errorf("error executing command %v, exit code %d", cmd, code), Code: code}
	}
	return nil
}

// Attach joins the client's streams to those of the container's first process, until the
// container exits or the client goes.
func (s streamRuntime) Attach(ctx context.Context, id string, in io.Reader, out, errOut io.WriteCloser, tty bool, sizes <-chan remotecommand.TerminalSize) error {
	if err := s.r.enter(); err != nil {
		return err
	}
	if err := s.r.mustRun(id); err != nil {
		return err
	}
	c, err := s.r.container(id)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.stdio.terminal != nil {
		go resize(ctx, c.stdio.terminal, sizes)
	}
	var wait sync.WaitGroup
	join := func(f *fanOut, w io.WriteCloser) {
		if w == nil {
			return
		}
		a := f.attach(w)
		wait.Go(func() {
			select {
			case <-a.done:
			case <-ctx.Done():
			}
			f.detach(a)
		})
	}
	join(c.stdio.stdout, out)
	join(c.stdio.stderr, errOut)
	// What the client sends may be answered at once, and is for one that listens.
	if in != nil && c.stdio.input != nil {
		go c.stdio.takeInput(in, c.config.GetStdinOnce())
	}
	select {
	case c.joined <- struct{}{}:
	default: // another one was first
	}
	if out == nil && errOut == nil {
		select {
		case <-c.done:
		case <-ctx.Done():
		}
	}
	wait.Wait()
	return nil
}

// PortForward copies between a client and a port on the pod's localhost.
func (s streamRuntime) PortForward(ctx context.Context, id string, port int32, stream io.ReadWriteCloser) error {
	if err := s.r.enter(); err != nil {
		return err
	}
	sb, err := s.r.sandbox(id)
	if err != nil {
		return err
	}
	if sb.state() != runtimeapi.PodSandboxState_SANDBOX_READY {
		return fmt.Errorf("sandbox %q is not running", id)
	}
	sockets := sb.network.Sockets(nil)
	defer sockets.Close()
	conn, err := sockets.Dial(ctx, "tcp", net.JoinHostPort("localhost", strconv.Itoa(int(port))))
	if err != nil {
		return fmt.Errorf("failed to connect to localhost:%d inside pod sandbox %q: %w", port, id, err)
	}
	defer conn.Close()
	// The client's end of sending is passed on; the answer's end ends it all.
	go func() {
		_, _ = io.Copy(conn, stream)
		podnet.CloseWrite(conn)
	}()
	if _, err := io.Copy(stream, conn); err != nil {
		return fmt.Errorf("forward port %d of pod sandbox %q: %w", port, id, err)
	}
	return nil
}
