package cri

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/program"
)

// Exit codes that the runtime gives.
const (
	exitStartError = 128 // containerd's for a process that could not be started
	exitKilled     = 128 + int(program.SIGKILL)
)

// StartContainer starts a created container, and returns when its program has had its first turn: it listens,
// sleeps, idles or has ended, or runs since firstTurn. That it listens is not promised. One whose executable
// cannot be run has exited with reason StartError and code 128, and the call fails.
func (r *Runtime) StartContainer(ctx context.Context, id string) error {
	if err := r.enter(); err != nil {
		return err
	}
	c, err := r.container(id)
	if err != nil {
		return err
	}
	c.mu.Lock()
	switch {
	case c.removing:
		err = status.Errorf(codes.Unknown, "container %q is in removing state, can't be started", c.id)
	case c.starting, c.state != runtimeapi.ContainerState_CONTAINER_CREATED:
		err = status.Errorf(codes.Unknown, "container %q is in %s state", c.id, c.state)
	case c.sandbox.state() != runtimeapi.PodSandboxState_SANDBOX_READY:
		err = status.Errorf(codes.Unknown, "sandbox container %q is not running", c.sandbox.id)
	default:
		c.starting = true
	}
	c.mu.Unlock()
	if err != nil {
		return err
	}
	// As containerd does: what cannot be started has a log too, an empty one.
	err = c.stdio.log.open()
	var prog program.Program
	if err == nil {
		prog, err = c.program(r.opts.Images)
	}
	if err != nil {
		err = fmt.Errorf("failed to create task: %w", err)
		c.exit(r, exitStartError, "StartError", err.Error())
		return status.Errorf(codes.Unknown, "failed to start container %q: %v", c.id, err)
	}
	p := c.process(r, c.spec.args, c.sockets)
	p.Signals = c.signals
	c.stdio.process(p)
	first := newTurn(p)
	// It is the first process before anybody can execute another one, a hook first of all.
	run := c.processes.Begin(c.ctx, p)
	c.mu.Lock()
	c.state, c.started = runtimeapi.ContainerState_CONTAINER_RUNNING, time.Now()
	c.mu.Unlock()
	_ = r.keepContainer(c) // on a full disk: after a loss of power it was never started
	r.tell(c.sandbox, c.id, runtimeapi.ContainerEventType_CONTAINER_STARTED_EVENT)
	go c.run(first.of(func() int { return run(prog) }), r)
	if !c.config.GetStdinOnce() { // whose program waits for its client
		first.over(ctx, c)
	}
	return nil
}

// program is what the container starts.
func (c *container) program(images *image.Registry) (program.Program, error) {
	prog, err := c.executables(images).find(c.spec.args[0])
	switch {
	case err == nil:
		return prog, nil
	case c.image.Fallback != nil:
		return c.image.Fallback, nil
	}
	return nil, startError(c.spec.args[0], err)
}

// process is what a program started in the container sees; sockets are its own.
func (c *container) process(r *Runtime, args []string, sockets *podnet.Sockets) *program.Process {
	return &program.Process{
		Args: slices.Clone(args), Env: slices.Clone(c.spec.env), Dir: c.spec.dir,
		FS: c.fs.As(c.spec.credentials()), Net: sockets, Hostname: c.spec.host, Lookup: c.executables(r.opts.Images).lookup,
		Cgroup: c.cgroup,
	}
}

// run is the life of the container's first process, whose program first runs.
func (c *container) run(first func() int, r *Runtime) {
	if c.config.GetStdinOnce() {
		c.awaitClient()
	}
	returned := make(chan int, 1)
	go func() { returned <- first() }()
	var code int
	select {
	case code = <-returned:
	case <-c.ctx.Done():
		// What it waits for ends first, so that it returns.
		c.sockets.Close()
		c.stdio.hangUp()
		awaitKilled(returned)
		code = exitKilled
	}
	if c.oom.Load() {
		c.exit(r, exitKilled, "OOMKilled", "")
	} else {
		c.exit(r, code, "", "")
	}
}

// awaitClient waits until a client is attached, the container is killed, or attachWait is over.
func (c *container) awaitClient() {
	timer := time.NewTimer(attachWait)
	defer timer.Stop()
	select {
	case <-c.joined:
	case <-c.ctx.Done():
	case <-timer.C:
	}
}

// awaitKilled waits for a killed program to return, but not forever: one that does not stays as
// a goroutine without network and log.
func awaitKilled(returned <-chan int) {
	timer := time.NewTimer(killGrace)
	defer timer.Stop()
	select {
	case <-returned:
	case <-timer.C:
	}
}

// exit ends the container's streams, network and other processes, and notes how it ended. That it has
// ended is told before whoever waits for it goes on: its sandbox, which stops after it, tells so later.
func (c *container) exit(r *Runtime, code int, reason, message string) {
	c.kill(program.Killed{Signal: program.SIGKILL})
	c.stdio.close()
	c.sockets.Close()
	c.mu.Lock()
	now := time.Now()
	c.state, c.finished, c.exitCode = runtimeapi.ContainerState_CONTAINER_EXITED, now, int32(code)
	if c.started.IsZero() {
		c.started = now
	}
	c.reason, c.message = reason, message
	c.mu.Unlock()
	_ = r.keepContainer(c) // on a full disk: after a loss of power it was cut off
	c.cgroup.Close()
	r.tell(c.sandbox, c.id, runtimeapi.ContainerEventType_CONTAINER_STOPPED_EVENT)
	close(c.done)
}

// StopContainer asks a running container to end by its stop signal, and kills it when timeout
// seconds are over (0: at once). Of one that does not run or exist it is no error.
func (r *Runtime) StopContainer(ctx context.Context, id string, timeout int64) error {
	if err := r.enter(); err != nil {
		return err
	}
	c, err := r.container(id)
	if err != nil {
		return nil
	}
	if err := c.stop(ctx, time.Duration(timeout)*time.Second); err != nil {
		return status.Errorf(codes.DeadlineExceeded, "failed to stop container %q: %v", c.id, err)
	}
	return nil
}

// stop ends the container if it runs. The error is ctx's.
func (c *container) stop(ctx context.Context, grace time.Duration) error {
	if c.currentState() != runtimeapi.ContainerState_CONTAINER_RUNNING {
		return nil
	}
	if grace > 0 {
		select {
		case c.signals <- c.stopSignal:
		default: // it reads no signals; there are some in the queue already
		}
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-c.done:
			return nil
		case <-ctx.Done():
			return ctx.Err() // the kubelet comes again
		case <-timer.C:
		}
	}
	c.kill(program.Killed{Signal: program.SIGKILL})
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// RemoveContainer removes a container with its root directory, killing it if it runs. Its log
// stays: that is the kubelet's. Of one that does not exist it is no error.
func (r *Runtime) RemoveContainer(ctx context.Context, id string) error {
	if err := r.enter(); err != nil {
		return err
	}
	c, err := r.container(id)
	if err != nil {
		return nil
	}
	return r.removeContainer(ctx, c)
}

func (r *Runtime) removeContainer(ctx context.Context, c *container) error {
	c.mu.Lock()
	c.removing = true
	c.mu.Unlock()
	if err := c.stop(ctx, 0); err != nil {
		return status.Errorf(codes.DeadlineExceeded, "failed to stop container %q before its removal: %v", c.id, err)
	}
	c.kill(nil)
	c.cgroup.Close()
	c.sockets.Close()
	if err := os.RemoveAll(c.dir); err != nil {
		return status.Errorf(codes.Unknown, "failed to remove container root directory %q: %v", c.dir, err)
	}
	if r.opts.Disk != nil {
		r.opts.Disk.Removed()
	}
	r.mu.Lock()
	delete(r.containers, c.id)
	r.release("container", c.name, c.id)
	r.mu.Unlock()
	r.tell(c.sandbox, c.id, runtimeapi.ContainerEventType_CONTAINER_DELETED_EVENT)
	return nil
}
