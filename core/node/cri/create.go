package cri

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/program"
)

// CreateContainer makes a container with its root directory; the image must have been pulled.
func (r *Runtime) CreateContainer(_ context.Context, sandboxID string, config *runtimeapi.ContainerConfig, sandboxConfig *runtimeapi.PodSandboxConfig) (string, error) {
	if err := r.enter(); err != nil {
		return "", err
	}
	s, err := r.sandbox(sandboxID)
	if err != nil {
		return "", status.Errorf(codes.NotFound, "failed to find sandbox id %q: not found", sandboxID)
	}
	meta := config.GetMetadata()
	if meta == nil {
		return "", status.Error(codes.InvalidArgument, "container config must include metadata")
	}
	if s.state() != runtimeapi.PodSandboxState_SANDBOX_READY {
		return "", status.Errorf(codes.Unknown, "sandbox container %q is not running", s.id)
	}
	img, ok := r.images.get(config.GetImage().GetImage())
	if !ok {
		return "", status.Errorf(codes.NotFound, "failed to resolve image %q: not found", config.GetImage().GetImage())
	}
	if sandboxConfig == nil {
		sandboxConfig = s.config
	}
	c := &container{
		id: newID(), sandbox: s, config: config, image: img, created: time.Now(),
		logPath: logFilePath(sandboxConfig, config),
		signals: make(chan program.Signal, 16), done: make(chan struct{}), joined: make(chan struct{}, 1),
		state:     runtimeapi.ContainerState_CONTAINER_CREATED,
		resources: config.GetLinux().GetResources(), cores: r.opts.Cores,
	}
	pod := sandboxConfig.GetMetadata()
	c.name = strings.Join([]string{meta.Name, pod.GetName(), pod.GetNamespace(), pod.GetUid(), fmt.Sprint(meta.Attempt)}, "_")
	c.dir = filepath.Join(r.containersDir(), c.id)
	c.rootfs = filepath.Join(c.dir, "rootfs")
	r.mu.Lock()
	err = r.reserve("container", c.name, c.id)
	r.mu.Unlock()
	if err != nil {
		return "", err
	}
	if err := r.prepare(c); err != nil {
		c.cgroup.Close()
		_ = os.RemoveAll(c.dir)
		r.mu.Lock()
		r.release("container", c.name, c.id)
		r.mu.Unlock()
		return "", err
	}
	r.mu.Lock()
	r.containers[c.id] = c
	r.mu.Unlock()
	r.tell(s, c.id, runtimeapi.ContainerEventType_CONTAINER_CREATED_EVENT)
	return c.id, nil
}

// prepare makes the container's files and everything that it needs to start.
func (r *Runtime) prepare(c *container) error {
	var err error
	if c.spec, err = r.newSpec(c.sandbox, c.config, c.image); err != nil {
		return err
	}
	if c.stopSignal, err = stopSignal(c.config.GetStopSignal(), c.image.StopSignal); err != nil {
		return err
	}
	if err := os.MkdirAll(c.rootfs, 0o755); err != nil {
		return status.Errorf(codes.Unknown, "failed to create container root: %v", err)
	}
	if err := c.image.UnpackOwn(c.rootfs); err != nil {
		return status.Errorf(codes.Unknown, "failed to unpack image: %v", err)
	}
	if err := r.setModes(c); err != nil {
		return status.Errorf(codes.Unknown, "failed to unpack image: %v", err)
	}
	mounts, err := r.mounts(c)
	if err != nil {
		return err
	}
	c.ctx, c.kill = context.WithCancelCause(c.sandbox.ctx)
	c.cgroup = program.NewCgroup(r.opts.Pods, r.limits(c.resources), func() {
		c.oom.Store(true)
		c.kill(program.Killed{Signal: program.SIGKILL})
	})
	c.fs = program.NewFS(c.rootfs, mounts...).On(r.opts.Disk, c.cgroup)
	if _, err := c.fs.Stat(c.spec.dir); err != nil {
		if err := c.fs.MkdirAll(c.spec.dir, 0o755); err != nil {
			return status.Errorf(codes.Unknown, "failed to create working directory: %v", err)
		}
	}
	if c.usage.base, err = diskUsage(c.rootfs); err != nil {
		return status.Errorf(codes.Unknown, "failed to measure container root: %v", err)
	}
	c.sockets = c.sandbox.network.Sockets(c.fs)
	switch ns := c.config.GetLinux().GetSecurityContext().GetNamespaceOptions(); {
	case ns.GetPid() == runtimeapi.NamespaceMode_TARGET:
		target, err := r.container(ns.GetTargetId())
		if err != nil || target.sandbox != c.sandbox {
			return status.Errorf(codes.Unknown, "invalid target container %q: not in the sandbox", ns.GetTargetId())
		}
		c.processes = target.processes
	case ns.GetPid() == runtimeapi.NamespaceMode_POD && c.sandbox.processes != nil:
		c.processes = c.sandbox.processes
	default:
		c.processes = program.NewTable()
	}
	c.stdio = newStdio(c, r.opts.Disk)
	if err := r.keepContainer(c); err != nil {
		return status.Errorf(codes.Unknown, "failed to checkpoint container %q: %v", c.id, err)
	}
	return nil
}

// setModes gives the image's programs the modes that it asks for: where the container sees them, not
// on the machine's disk.
func (r *Runtime) setModes(c *container) error {
	root := program.NewFS(c.rootfs).On(r.opts.Disk, nil)
	for name, mode := range c.image.Modes {
		if err := root.Chmod(name, mode); err != nil {
			return err
		}
	}
	return nil
}
