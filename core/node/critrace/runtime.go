package critrace

import (
	"context"
	"hash/maphash"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/trace"
)

// Where upstream's kubelet makes the calls.
const (
	kuberuntime = "k8s.io/kubernetes/pkg/kubelet/kuberuntime"
	manager     = "kubeGenericRuntimeManager."
)

func declare(c trace.Chapter, method, fn, text string) *trace.Kind {
	return trace.Declare(c, "cri."+method, trace.Place{Package: kuberuntime, Func: fn, Text: text})
}

var (
	runPodSandbox    = declare(trace.CRI, "RunPodSandbox", manager+"createPodSandbox", "m.runtimeService.RunPodSandbox(")
	stopPodSandbox   = declare(trace.CRI, "StopPodSandbox", manager+"killPodWithSyncResult", "m.runtimeService.StopPodSandbox(")
	removePodSandbox = declare(trace.CRI, "RemovePodSandbox", "containerGC.removeSandbox", "cgc.client.RemovePodSandbox(")
	pullImage        = declare(trace.Startup, "PullImage", manager+"PullImage", "m.imageService.PullImage(ctx, imgSpec, auth, podSandboxConfig)")
	createContainer  = declare(trace.Startup, "CreateContainer", manager+"startContainer", "m.runtimeService.CreateContainer(")
	startContainer   = declare(trace.Startup, "StartContainer", manager+"startContainer", "m.runtimeService.StartContainer(")
	stopContainer    = declare(trace.CRI, "StopContainer", manager+"killContainer", "m.runtimeService.StopContainer(")
	removeContainer  = declare(trace.CRI, "RemoveContainer", manager+"removeContainer", "m.runtimeService.RemoveContainer(")
	execSync         = declare(trace.CRI, "ExecSync", manager+"RunInContainer", "m.runtimeService.ExecSync(")
	exec             = declare(trace.CRI, "Exec", manager+"GetExec", "m.runtimeService.Exec(")
	attach           = declare(trace.CRI, "Attach", manager+"GetAttach", "m.runtimeService.Attach(")
	portForward      = declare(trace.CRI, "PortForward", manager+"GetPortForward", "m.runtimeService.PortForward(")
	updateResources  = declare(trace.CRI, "UpdateContainerResources", manager+"updateContainerResources", "m.runtimeService.UpdateContainerResources(")
	removeImage      = declare(trace.CRI, "RemoveImage", manager+"RemoveImage", "m.imageService.RemoveImage(")
	updateConfig     = declare(trace.CRI, "UpdateRuntimeConfig", manager+"UpdatePodCIDR", "m.runtimeService.UpdateRuntimeConfig(")
)

// do makes a call that answers with nothing.
func (r *Runtime) do(ctx context.Context, kind *trace.Kind, p pod, request, response proto.Message, run func(context.Context) error) error {
	c, ctx := r.begin(ctx, kind, p, request)
	err := run(ctx)
	c.end(response, err)
	return err
}

// RunPodSandbox implements internalapi.RuntimeService.
func (r *Runtime) RunPodSandbox(ctx context.Context, config *runtimeapi.PodSandboxConfig, handler string) (id string, err error) {
	p := podOf(config)
	c, ctx := r.begin(ctx, runPodSandbox, p, &runtimeapi.RunPodSandboxRequest{Config: config, RuntimeHandler: handler})
	if id, err = r.Service.RunPodSandbox(ctx, config, handler); err == nil {
		r.learn(id, p)
	}
	c.end(&runtimeapi.RunPodSandboxResponse{PodSandboxId: id}, err)
	return id, err
}

// StopPodSandbox implements internalapi.RuntimeService.
func (r *Runtime) StopPodSandbox(ctx context.Context, id string) error {
	return r.do(ctx, stopPodSandbox, r.of(id), &runtimeapi.StopPodSandboxRequest{PodSandboxId: id}, &runtimeapi.StopPodSandboxResponse{}, func(ctx context.Context) error {
		return r.Service.StopPodSandbox(ctx, id)
	})
}

// RemovePodSandbox implements internalapi.RuntimeService.
func (r *Runtime) RemovePodSandbox(ctx context.Context, id string) error {
	return r.do(ctx, removePodSandbox, r.of(id), &runtimeapi.RemovePodSandboxRequest{PodSandboxId: id}, &runtimeapi.RemovePodSandboxResponse{}, func(ctx context.Context) error {
		err := r.Service.RemovePodSandbox(ctx, id)
		if err == nil {
			r.forget(id)
		}
		return err
	})
}

// PullImage implements internalapi.ImageManagerService.
func (r *Runtime) PullImage(ctx context.Context, image *runtimeapi.ImageSpec, auth *runtimeapi.AuthConfig, config *runtimeapi.PodSandboxConfig) (ref string, err error) {
	c, ctx := r.begin(ctx, pullImage, podOf(config), &runtimeapi.PullImageRequest{Image: image, Auth: auth, SandboxConfig: config})
	ref, err = r.Service.PullImage(ctx, image, auth, config)
	c.end(&runtimeapi.PullImageResponse{ImageRef: ref}, err)
	return ref, err
}

// CreateContainer implements internalapi.RuntimeService. The sandbox's configuration, which the
// kubelet hands in once more, is not kept twice.
func (r *Runtime) CreateContainer(ctx context.Context, sandbox string, config *runtimeapi.ContainerConfig, sandboxConfig *runtimeapi.PodSandboxConfig) (id string, err error) {
	p := podOf(sandboxConfig)
	c, ctx := r.begin(ctx, createContainer, p, &runtimeapi.CreateContainerRequest{PodSandboxId: sandbox, Config: config})
	if id, err = r.Service.CreateContainer(ctx, sandbox, config, sandboxConfig); err == nil {
		r.learn(id, p)
	}
	c.end(&runtimeapi.CreateContainerResponse{ContainerId: id}, err)
	return id, err
}

// StartContainer implements internalapi.RuntimeService.
func (r *Runtime) StartContainer(ctx context.Context, id string) error {
	p := r.of(id)
	c, ctx := r.begin(ctx, startContainer, p, &runtimeapi.StartContainerRequest{ContainerId: id})
	// Before it: the runtime tells of the container at once, and the kubelet looks at the pod.
	r.opts.Changed(p.uid, c.id)
	err := r.Service.StartContainer(ctx, id)
	c.end(&runtimeapi.StartContainerResponse{}, err)
	return err
}

// StopContainer implements internalapi.RuntimeService.
func (r *Runtime) StopContainer(ctx context.Context, id string, timeout int64) error {
	p := r.of(id)
	c, ctx := r.begin(ctx, stopContainer, p, &runtimeapi.StopContainerRequest{ContainerId: id, Timeout: timeout})
	r.opts.Changed(p.uid, c.id)
	err := r.Service.StopContainer(ctx, id, timeout)
	c.end(&runtimeapi.StopContainerResponse{}, err)
	return err
}

// RemoveContainer implements internalapi.RuntimeService.
func (r *Runtime) RemoveContainer(ctx context.Context, id string) error {
	return r.do(ctx, removeContainer, r.of(id), &runtimeapi.RemoveContainerRequest{ContainerId: id}, &runtimeapi.RemoveContainerResponse{}, func(ctx context.Context) error {
		err := r.Service.RemoveContainer(ctx, id)
		if err == nil {
			r.forget(id)
		}
		return err
	})
}

// UpdateContainerResources implements internalapi.RuntimeService.
func (r *Runtime) UpdateContainerResources(ctx context.Context, id string, resources *runtimeapi.ContainerResources) error {
	request := &runtimeapi.UpdateContainerResourcesRequest{ContainerId: id, Linux: resources.GetLinux(), Windows: resources.GetWindows()}
	return r.do(ctx, updateResources, r.of(id), request, &runtimeapi.UpdateContainerResourcesResponse{}, func(ctx context.Context) error {
		return r.Service.UpdateContainerResources(ctx, id, resources)
	})
}

// ExecSync implements internalapi.RuntimeService: exec probes and hooks. Neither the command nor what
// it writes is kept, and of a probe that comes out the same again and again only some calls are told.
func (r *Runtime) ExecSync(ctx context.Context, id string, cmd []string, timeout time.Duration) (stdout, stderr []byte, err error) {
	c := r.prepare(ctx, execSync, r.of(id))
	stdout, stderr, err = r.Service.ExecSync(trace.With(ctx, c.id), id, cmd, timeout)
	told := err
	if err != nil {
		told = exitOnly{err} // its text has the command in it, and the output
	}
	tell, same := r.execs.Tell(Command(id, cmd), Failure("ExecSync", err))
	if tell {
		c.request, c.same = cut(&runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: cmd, Timeout: int64(timeout.Seconds())}), same
		c.end(&runtimeapi.ExecSyncResponse{}, told)
	}
	return stdout, stderr, err
}

// Command names a command in a container, without saying what it is.
func Command(container string, cmd []string) string {
	h := maphash.Hash{}
	h.SetSeed(commands)
	for _, word := range cmd {
		_, _ = h.WriteString(word)
		_ = h.WriteByte(0)
	}
	return container + " " + strconv.FormatUint(h.Sum64(), 36)
}

var commands = maphash.MakeSeed()

// Exec implements internalapi.RuntimeService.
func (r *Runtime) Exec(ctx context.Context, request *runtimeapi.ExecRequest) (*runtimeapi.ExecResponse, error) {
	c, ctx := r.begin(ctx, exec, r.of(request.GetContainerId()), request)
	response, err := r.Service.Exec(ctx, request)
	c.end(response, err)
	return response, err
}

// Attach implements internalapi.RuntimeService.
func (r *Runtime) Attach(ctx context.Context, request *runtimeapi.AttachRequest) (*runtimeapi.AttachResponse, error) {
	c, ctx := r.begin(ctx, attach, r.of(request.GetContainerId()), request)
	response, err := r.Service.Attach(ctx, request)
	c.end(response, err)
	return response, err
}

// PortForward implements internalapi.RuntimeService.
func (r *Runtime) PortForward(ctx context.Context, request *runtimeapi.PortForwardRequest) (*runtimeapi.PortForwardResponse, error) {
	c, ctx := r.begin(ctx, portForward, r.of(request.GetPodSandboxId()), request)
	response, err := r.Service.PortForward(ctx, request)
	c.end(response, err)
	return response, err
}

// RemoveImage implements internalapi.ImageManagerService.
func (r *Runtime) RemoveImage(ctx context.Context, image *runtimeapi.ImageSpec) error {
	return r.do(ctx, removeImage, pod{}, &runtimeapi.RemoveImageRequest{Image: image}, &runtimeapi.RemoveImageResponse{}, func(ctx context.Context) error {
		return r.Service.RemoveImage(ctx, image)
	})
}

// UpdateRuntimeConfig implements internalapi.RuntimeService: the node's pod CIDR.
func (r *Runtime) UpdateRuntimeConfig(ctx context.Context, config *runtimeapi.RuntimeConfig) error {
	request := &runtimeapi.UpdateRuntimeConfigRequest{RuntimeConfig: config}
	return r.do(ctx, updateConfig, pod{}, request, &runtimeapi.UpdateRuntimeConfigResponse{}, func(ctx context.Context) error {
		return r.Service.UpdateRuntimeConfig(ctx, config)
	})
}
