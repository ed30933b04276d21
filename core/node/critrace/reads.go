package critrace

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	utilexec "k8s.io/utils/exec"

	"github.com/tabernetes/tabernetes/core/trace"
)

var (
	podSandboxStatus = declare(trace.CRI, "PodSandboxStatus", manager+"SyncPod", "m.runtimeService.PodSandboxStatus(")
	containerStatus  = declare(trace.CRI, "ContainerStatus", manager+"getPodContainerStatuses", "m.runtimeService.ContainerStatus(")
	// Before a log is read the runtime is asked where it lies.
	logStatus = containerStatus.Where("logs", trace.Place{
		Package: kuberuntime, Func: manager + "GetContainerLogs", Text: "m.runtimeService.ContainerStatus(",
	})
	imageStatus = declare(trace.Startup, "ImageStatus", manager+"GetImageRef", "m.imageService.ImageStatus(")
)

// read makes a call that changes nothing. It is a step if something else of the trace causes it: what
// the kubelet asks on its own, each second, would push out everything that happens.
func read[R proto.Message](ctx context.Context, r *Runtime, kind *trace.Kind, p pod, request proto.Message, run func(context.Context) (R, error)) (R, error) {
	if trace.Cause(ctx) == 0 {
		r.uncaused.Add(1)
		return run(ctx)
	}
	c, ctx := r.begin(ctx, kind, p, request)
	response, err := run(ctx)
	c.end(response, err)
	return response, err
}

// PodSandboxStatus implements internalapi.RuntimeService.
func (r *Runtime) PodSandboxStatus(ctx context.Context, id string, verbose bool) (*runtimeapi.PodSandboxStatusResponse, error) {
	return read(ctx, r, podSandboxStatus, r.of(id), &runtimeapi.PodSandboxStatusRequest{PodSandboxId: id, Verbose: verbose}, func(ctx context.Context) (*runtimeapi.PodSandboxStatusResponse, error) {
		return r.Service.PodSandboxStatus(ctx, id, verbose)
	})
}

// ContainerStatus implements internalapi.RuntimeService.
func (r *Runtime) ContainerStatus(ctx context.Context, id string, verbose bool) (*runtimeapi.ContainerStatusResponse, error) {
	kind := containerStatus
	if trace.Carried(ctx) == 0 && trace.Marked() != 0 { // a pod's sync is carried by the context
		kind = logStatus
		defer trace.Unmark() // who follows a log asks each second whether the container runs still
	}
	return read(ctx, r, kind, r.of(id), &runtimeapi.ContainerStatusRequest{ContainerId: id, Verbose: verbose}, func(ctx context.Context) (*runtimeapi.ContainerStatusResponse, error) {
		return r.Service.ContainerStatus(ctx, id, verbose)
	})
}

// ImageStatus implements internalapi.ImageManagerService.
func (r *Runtime) ImageStatus(ctx context.Context, image *runtimeapi.ImageSpec, verbose bool) (*runtimeapi.ImageStatusResponse, error) {
	return read(ctx, r, imageStatus, pod{}, &runtimeapi.ImageStatusRequest{Image: image, Verbose: verbose}, func(ctx context.Context) (*runtimeapi.ImageStatusResponse, error) {
		return r.Service.ImageStatus(ctx, image, verbose)
	})
}

// ListPodSandbox implements internalapi.RuntimeService.
func (r *Runtime) ListPodSandbox(ctx context.Context, filter *runtimeapi.PodSandboxFilter) ([]*runtimeapi.PodSandbox, error) {
	r.uncaused.Add(1)
	return r.Service.ListPodSandbox(ctx, filter)
}

// ListContainers implements internalapi.RuntimeService.
func (r *Runtime) ListContainers(ctx context.Context, filter *runtimeapi.ContainerFilter) ([]*runtimeapi.Container, error) {
	r.uncaused.Add(1)
	return r.Service.ListContainers(ctx, filter)
}

// exitOnly is an error of a command without what it said.
type exitOnly struct{ err error }

// Error implements error.
func (e exitOnly) Error() string {
	var exit utilexec.CodeExitError
	if errors.As(e.err, &exit) {
		return fmt.Sprintf("the command exited with %d", exit.Code)
	}
	if errors.Is(e.err, context.DeadlineExceeded) {
		return "the command timed out"
	}
	return "the command was not run to its end"
}
