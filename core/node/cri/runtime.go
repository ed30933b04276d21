package cri

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	internalapi "k8s.io/cri-api/pkg/apis"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"

	"github.com/tabernetes/tabernetes/core/node/cni"
	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/node/nodefs"
	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// Options describe one node's runtime. Fields without a stated default are required.
type Options struct {
	// NodeName is the host name of pods on the host network.
	NodeName string
	// NodeIP is where streaming (exec, attach, port-forward) is served, on a port that the
	// system picks, and the address of pods on the host network.
	NodeIP netip.Addr
	// RootDir holds everything that the runtime writes, except container logs (those go
	// where the kubelet says) and what programs write into their volumes. Created if missing. A
	// runtime on a directory that one had before lists its containers, all of them ended.
	RootDir string
	// NodeRoot is the node's "/": what the kubelet has mounted into a container must lie below
	// it, with all links followed. Default: anywhere.
	NodeRoot string
	// Pods is the cgroup that every container's is made below. Default one of the node's own,
	// without a limit.
	Pods *program.Cgroup
	// ContainerLimits bound what a container holds that has no limit of its pod's; zero fields take DefaultLimits'.
	ContainerLimits program.Limits
	// Cores is how many processors the node has, which a container has all of that is told nothing else. Default 1.
	Cores int
	// Disk is the file system of the node, for what programs and their logs write. Default:
	// without an end.
	Disk program.Disk
	// Kind is the kind of the file system that the kubelet has mounted at a path of the operating
	// system or above it, such as "tmpfs"; "" for the disk. Default: always the disk.
	Kind func(path string) string
	// Images is what can be pulled.
	Images *image.Registry

	// PodCIDR is the range of pod IPs until UpdateRuntimeConfig brings another, as the
	// kubelet does once the node has its podCIDR. Empty: the network is not ready until then.
	// A dual-stack pair is separated by a comma.
	PodCIDR string
	// Dialer makes a pod's outgoing connections. Default: net.Dialer.
	Dialer podnet.Dialer
	// Segment carries the pods' datagrams, and Path decides where they go. Default: a segment of the
	// node's own, and to the address itself.
	Segment *podnet.Segment
	Path    podnet.Path
	// Attach is told whose an address is before the pod's programs start, and calls what it returns when
	// the address is free again. Default: nobody is.
	Attach func(ip netip.Addr, pod *runtimeapi.PodSandboxConfig) (detach func())
	// RuntimeHandlers are the names that a RuntimeClass may give, besides the default "".
	RuntimeHandlers []string
	// Trace is told of each sandbox's network; the calls are core/node/critrace's. Default: nobody is.
	Trace *trace.Bus
}

// DefaultLimits are those of a container. What it may hold is also what a program may go through
// at a stretch, as one word or one line, while nothing else runs in the tab. As
// many processes as it may have hold a part of the memory only: the fork fails first.
var DefaultLimits = program.Limits{Memory: 64 << 20, Pids: 256, Files: 1024}

// Runtime is one node's container runtime. All methods may be called from any goroutine.
type Runtime struct {
	opts      Options
	ctx       context.Context // of every container; ends with Close
	stop      context.CancelFunc
	cut       atomic.Bool
	listener  net.Listener
	streaming streaming.Server
	server    *http.Server
	nodeRoot  string      // Options.NodeRoot without links
	host      *podnet.Pod // the network of pods on the host network
	cni       *cni.Network
	netns     sync.Map  // *sandbox by the path of its network namespace
	collect   sync.Once // what pods hold of a node that lost power
	images    imageStore
	events    events
	records   records

	// mu guards the maps; a container or sandbox guards itself. It is never held during a
	// call to a program, and taken before a container's lock.
	mu         sync.Mutex
	sandboxes  map[string]*sandbox
	containers map[string]*container
	names      map[string]string // reserved name → id
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
	if opts.Segment == nil {
		opts.Segment = podnet.NewSegment()
	}
	r := &Runtime{
		opts:       opts,
		images:     imageStore{registry: opts.Images, byID: map[string]*pulledImage{}},
		sandboxes:  map[string]*sandbox{},
		containers: map[string]*container{},
		names:      map[string]string{},
	}
	r.host = r.podNetwork([]netip.Addr{opts.NodeIP})
	r.opts.ContainerLimits.Memory = cmp.Or(opts.ContainerLimits.Memory, DefaultLimits.Memory)
	r.opts.ContainerLimits.Pids = cmp.Or(opts.ContainerLimits.Pids, DefaultLimits.Pids)
	r.opts.ContainerLimits.Files = cmp.Or(opts.ContainerLimits.Files, DefaultLimits.Files)
	if opts.Disk == nil {
		r.opts.Disk = nodefs.New(opts.RootDir, nodefs.Usage{Bytes: math.MaxInt64, Inodes: math.MaxInt64}, nil)
	}
	if opts.NodeRoot != "" {
		root, err := filepath.EvalSymlinks(opts.NodeRoot)
		if err != nil {
			return nil, fmt.Errorf("container runtime: %w", err)
		}
		r.nodeRoot = root
	}
	for _, dir := range []string{r.containersDir(), r.sandboxesDir(), r.imagesDir()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("container runtime: %w", err)
		}
	}
	if err := r.makeKernelFiles(); err != nil {
		return nil, fmt.Errorf("container runtime: %w", err)
	}
	r.ctx, r.stop = context.WithCancel(context.Background())
	if err := r.takeUp(); err != nil {
		return nil, fmt.Errorf("container runtime: take up what was in %s: %w", opts.RootDir, err)
	}
	if err := r.openNetwork(); err != nil {
		return nil, fmt.Errorf("container runtime: %w", err)
	}
	if err := r.listen(); err != nil {
		return nil, fmt.Errorf("container runtime: %w", err)
	}
	return r, nil
}

func (r *Runtime) containersDir() string { return filepath.Join(r.opts.RootDir, "containers") }
func (r *Runtime) sandboxesDir() string  { return filepath.Join(r.opts.RootDir, "sandboxes") }
func (r *Runtime) imagesDir() string     { return filepath.Join(r.opts.RootDir, "images") }

// Run serves exec, attach and port-forward until ctx ends, then closes the runtime. The error
// is nil after ctx ended or Close.
func (r *Runtime) Run(ctx context.Context) error {
	served := make(chan error, 1)
	go func() { served <- r.server.Serve(r.listener) }()
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
	}
	_ = r.Close(context.WithoutCancel(ctx))
	if err != nil && !errors.Is(err, http.ErrServerClosed) && r.ctx.Err() == nil {
		return fmt.Errorf("serve streaming on %s: %w", r.listener.Addr(), err)
	}
	return nil
}

// Close kills every container, closes every pod's network and stops streaming. It may be
// called more than once; the kubelet never does.
func (r *Runtime) Close(context.Context) error {
	r.records.close()
	r.stop()
	_ = r.server.Close() // both only fail if closed before
	_ = r.listener.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sandboxes {
		s.closeNetwork()
	}
	r.host.Close()
	return nil
}

// SetCut makes every call fail with code Unavailable, as if the runtime's socket were gone,
// and ends it again. Containers keep running.
func (r *Runtime) SetCut(cut bool) { r.cut.Store(cut) }

// enter is the first line of every call.
func (r *Runtime) enter() error {
	if r.cut.Load() || r.ctx.Err() != nil {
		return status.Error(codes.Unavailable, "connection error: the container runtime does not answer")
	}
	return nil
}

// PodCIDRs are the ranges that pods get their addresses from; none before the kubelet has told them.
func (r *Runtime) PodCIDRs() []netip.Prefix { return r.cni.PodCIDRs() }
