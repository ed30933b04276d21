package cri

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	internalapi "k8s.io/cri-api/pkg/apis"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/node/podnet"
)

// Options describe one node's runtime. Fields without a stated default are required.
type Options struct {
	// NodeName is the host name of pods on the host network.
	NodeName string
	// NodeIP is where streaming (exec, attach, port-forward) is served, on a port that the
	// system picks, and the address of pods on the host network.
	NodeIP netip.Addr
	// RootDir holds everything that the runtime writes, except container logs (those go
	// where the kubelet says) and what programs write into their volumes. Created if missing.
	RootDir string
	// Images is what can be pulled.
	Images *image.Registry

	// PodCIDR is the range of pod IPs until UpdateRuntimeConfig brings another, as the
	// kubelet does once the node has its podCIDR. Empty: the network is not ready until then.
	// A dual-stack pair is separated by a comma.
	PodCIDR string
	// Resolver answers what a pod's /etc/hosts does not. Default: no such host.
	Resolver podnet.Resolver
	// Dialer makes a pod's outgoing connections. Default: net.Dialer.
	Dialer podnet.Dialer
	// RuntimeHandlers are the names that a RuntimeClass may give, besides the default "".
	RuntimeHandlers []string
	// Tap is told of every call before it is served; it must return fast. Default: none.
	Tap func(method string)
}

// Runtime is one node's container runtime. All methods may be called from any goroutine.
type Runtime struct {
	opts     Options
	listener net.Listener // of the streaming server
	cut      atomic.Bool
	closed   context.CancelFunc
	ctx      context.Context // of every container; ends with Close
	started  time.Time
	once     sync.Once
}

var (
	_ internalapi.RuntimeService      = (*Runtime)(nil)
	_ internalapi.ImageManagerService = (*Runtime)(nil)
)

// New checks opts, makes the directories and listens for streaming; Run serves it.
func New(opts Options) (*Runtime, error) {
	if opts.RootDir == "" || opts.Images == nil || !opts.NodeIP.IsValid() {
		return nil, errors.New("container runtime: RootDir, Images and NodeIP are required")
	}
	for _, d := range []string{"containers", "sandboxes", "images"} {
		if err := os.MkdirAll(filepath.Join(opts.RootDir, d), 0o755); err != nil {
			return nil, fmt.Errorf("container runtime: %w", err)
		}
	}
	ln, err := net.Listen("tcp", netip.AddrPortFrom(opts.NodeIP, 0).String())
	if err != nil {
		return nil, fmt.Errorf("container runtime: listen for streaming: %w", err)
	}
	r := &Runtime{opts: opts, listener: ln, started: time.Now()}
	r.ctx, r.closed = context.WithCancel(context.Background())
	return r, nil
}

// Run serves exec, attach and port-forward until ctx ends, then closes the runtime.
func (r *Runtime) Run(ctx context.Context) error {
	<-ctx.Done()
	return r.Close(context.WithoutCancel(ctx))
}

// Close kills every container, closes every pod's network and stops streaming.
func (r *Runtime) Close(context.Context) error {
	r.once.Do(func() {
		r.closed()
		r.listener.Close()
	})
	return nil
}

// SetCut makes every call fail with code Unavailable, as if the runtime's socket were gone.
// Containers keep running.
func (r *Runtime) SetCut(cut bool) { r.cut.Store(cut) }

// enter is the first line of every call.
func (r *Runtime) enter(method string) error {
	if r.opts.Tap != nil {
		r.opts.Tap(method)
	}
	if r.cut.Load() || r.ctx.Err() != nil {
		return status.Error(codes.Unavailable, "connection error: the container runtime is not running")
	}
	return nil
}

var errSoon = status.Error(codes.Unimplemented, "not implemented")

func (r *Runtime) Version(ctx context.Context, apiVersion string) (*runtimeapi.VersionResponse, error) {
	return nil, errSoon
}

func (r *Runtime) CreateContainer(ctx context.Context, podSandboxID string, config *runtimeapi.ContainerConfig, sandboxConfig *runtimeapi.PodSandboxConfig) (string, error) {
	return "", errSoon
}

func (r *Runtime) StartContainer(ctx context.Context, containerID string) error { return errSoon }

func (r *Runtime) StopContainer(ctx context.Context, containerID string, timeout int64) error {
	return errSoon
}

func (r *Runtime) RemoveContainer(ctx context.Context, containerID string) error { return errSoon }

func (r *Runtime) ListContainers(ctx context.Context, filter *runtimeapi.ContainerFilter) ([]*runtimeapi.Container, error) {
	return nil, errSoon
}

func (r *Runtime) ContainerStatus(ctx context.Context, containerID string, verbose bool) (*runtimeapi.ContainerStatusResponse, error) {
	return nil, errSoon
}

func (r *Runtime) UpdateContainerResources(ctx context.Context, containerID string, resources *runtimeapi.ContainerResources) error {
	return errSoon
}

func (r *Runtime) ExecSync(ctx context.Context, containerID string, cmd []string, timeout time.Duration) (stdout []byte, stderr []byte, err error) {
	return nil, nil, errSoon
}

func (r *Runtime) Exec(ctx context.Context, request *runtimeapi.ExecRequest) (*runtimeapi.ExecResponse, error) {
	return nil, errSoon
}

func (r *Runtime) Attach(ctx context.Context, req *runtimeapi.AttachRequest) (*runtimeapi.AttachResponse, error) {
	return nil, errSoon
}

func (r *Runtime) ReopenContainerLog(ctx context.Context, ContainerID string) error { return errSoon }

func (r *Runtime) CheckpointContainer(ctx context.Context, options *runtimeapi.CheckpointContainerRequest) error {
	return errSoon
}

func (r *Runtime) GetContainerEvents(ctx context.Context, containerEventsCh chan *runtimeapi.ContainerEventResponse, connectionEstablishedCallback func(runtimeapi.RuntimeService_GetContainerEventsClient)) error {
	return errSoon
}

func (r *Runtime) RunPodSandbox(ctx context.Context, config *runtimeapi.PodSandboxConfig, runtimeHandler string) (string, error) {
	return "", errSoon
}

func (r *Runtime) StopPodSandbox(ctx context.Context, podSandboxID string) error { return errSoon }

func (r *Runtime) RemovePodSandbox(ctx context.Context, podSandboxID string) error { return errSoon }

func (r *Runtime) PodSandboxStatus(ctx context.Context, podSandboxID string, verbose bool) (*runtimeapi.PodSandboxStatusResponse, error) {
	return nil, errSoon
}

func (r *Runtime) ListPodSandbox(ctx context.Context, filter *runtimeapi.PodSandboxFilter) ([]*runtimeapi.PodSandbox, error) {
	return nil, errSoon
}

func (r *Runtime) PortForward(ctx context.Context, request *runtimeapi.PortForwardRequest) (*runtimeapi.PortForwardResponse, error) {
	return nil, errSoon
}

func (r *Runtime) UpdatePodSandboxResources(ctx context.Context, request *runtimeapi.UpdatePodSandboxResourcesRequest) (*runtimeapi.UpdatePodSandboxResourcesResponse, error) {
	return nil, errSoon
}

func (r *Runtime) ContainerStats(ctx context.Context, containerID string) (*runtimeapi.ContainerStats, error) {
	return nil, errSoon
}

func (r *Runtime) ListContainerStats(ctx context.Context, filter *runtimeapi.ContainerStatsFilter) ([]*runtimeapi.ContainerStats, error) {
	return nil, errSoon
}

func (r *Runtime) PodSandboxStats(ctx context.Context, podSandboxID string) (*runtimeapi.PodSandboxStats, error) {
	return nil, errSoon
}

func (r *Runtime) ListPodSandboxStats(ctx context.Context, filter *runtimeapi.PodSandboxStatsFilter) ([]*runtimeapi.PodSandboxStats, error) {
	return nil, errSoon
}

func (r *Runtime) ListMetricDescriptors(ctx context.Context) ([]*runtimeapi.MetricDescriptor, error) {
	return nil, errSoon
}

func (r *Runtime) ListPodSandboxMetrics(ctx context.Context) ([]*runtimeapi.PodSandboxMetrics, error) {
	return nil, errSoon
}

func (r *Runtime) UpdateRuntimeConfig(ctx context.Context, runtimeConfig *runtimeapi.RuntimeConfig) error {
	return errSoon
}

func (r *Runtime) Status(ctx context.Context, verbose bool) (*runtimeapi.StatusResponse, error) {
	return nil, errSoon
}

func (r *Runtime) RuntimeConfig(ctx context.Context) (*runtimeapi.RuntimeConfigResponse, error) {
	return nil, errSoon
}

func (r *Runtime) ListImages(ctx context.Context, filter *runtimeapi.ImageFilter) ([]*runtimeapi.Image, error) {
	return nil, errSoon
}

func (r *Runtime) ImageStatus(ctx context.Context, image *runtimeapi.ImageSpec, verbose bool) (*runtimeapi.ImageStatusResponse, error) {
	return nil, errSoon
}

func (r *Runtime) PullImage(ctx context.Context, image *runtimeapi.ImageSpec, auth *runtimeapi.AuthConfig, podSandboxConfig *runtimeapi.PodSandboxConfig) (string, error) {
	return "", errSoon
}

func (r *Runtime) RemoveImage(ctx context.Context, image *runtimeapi.ImageSpec) error { return errSoon }

func (r *Runtime) ImageFsInfo(ctx context.Context) (*runtimeapi.ImageFsInfoResponse, error) {
	return nil, errSoon
}
