package cri

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// sandbox is a pod's environment: its network, host name and files, and its processes if the
// pod shares them. Only what is below mu changes after creation.
type sandbox struct {
	id      string
	name    string // reserved
	config  *runtimeapi.PodSandboxConfig
	handler string
	created time.Time
	dir     string
	network *podnet.Pod
	onHost  bool // network is the node's
	// netns is the path of its network namespace, as CNI's plugins are told; "" on the node's network.
	netns string
	// links are the names of the namespace's interfaces.
	links map[string][]netip.Addr
	// hostPorts hold the pod's ports on the node's IP; nil for none.
	hostPorts *podnet.Sockets
	// undoLinks and undoPorts end what others were told of the network; each may be called again.
	undoLinks, undoPorts []func()
	// pause is the table of the sandbox's own process, nil of one that was taken up after a loss of power;
	// processes is the same if the pod's containers share it, else nil.
	pause, processes *program.Table
	ctx              context.Context // ends when the sandbox stops
	stop             context.CancelFunc

	mu        sync.Mutex
	stopped   bool
	resources *runtimeapi.LinuxContainerResources
}

func (s *sandbox) state() runtimeapi.PodSandboxState {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return runtimeapi.PodSandboxState_SANDBOX_NOTREADY
	}
	return runtimeapi.PodSandboxState_SANDBOX_READY
}

// closeNetwork ends what the pod listens on and is connected to.
func (s *sandbox) closeNetwork() {
	s.closePorts()
	s.closeLinks()
}

func (s *sandbox) closePorts() {
	if s.hostPorts != nil {
		s.hostPorts.Close()
	}
	for _, undo := range s.undoPorts {
		undo()
	}
}

func (s *sandbox) closeLinks() {
	for _, undo := range s.undoLinks {
		undo()
	}
	if !s.onHost && s.network != nil {
		s.network.Close()
	}
}

func (s *sandbox) namespaces() *runtimeapi.NamespaceOption {
	return s.config.GetLinux().GetSecurityContext().GetNamespaceOptions()
}

// hostname is what the pod's containers call themselves.
func (s *sandbox) hostname(node string) string {
	if s.config.GetHostname() != "" {
		return s.config.GetHostname()
	}
	if s.onHost {
		return node
	}
	return ""
}

// RunPodSandbox implements internalapi.PodSandboxManager.
func (r *Runtime) RunPodSandbox(ctx context.Context, config *runtimeapi.PodSandboxConfig, handler string) (string, error) {
	if err := r.enter(); err != nil {
		return "", err
	}
	meta := config.GetMetadata()
	if meta == nil {
		return "", status.Error(codes.InvalidArgument, "sandbox config must include metadata")
	}
	if err := r.checkHandler(handler); err != nil {
		return "", err
	}
	if err := checkSysctls(config.GetLinux().GetSysctls()); err != nil {
		return "", status.Errorf(codes.Unknown, "failed to start sandbox: %v", err)
	}
	s := &sandbox{id: newID(), config: config, handler: handler, created: time.Now()}
	s.name = sandboxName(meta)
	s.dir = filepath.Join(r.sandboxesDir(), s.id)
	s.resources = config.GetLinux().GetResources()
	s.ctx, s.stop = context.WithCancel(r.ctx)
	r.mu.Lock()
	err := r.reserve("sandbox", s.name, s.id)
	r.mu.Unlock()
	if err != nil {
		return "", err
	}
	if err := r.setUp(ctx, s); err != nil {
		r.tearDown(s)
		return "", err
	}
	s.pause = program.NewTable()
	if s.namespaces().GetPid() == runtimeapi.NamespaceMode_POD {
		s.processes = s.pause
	}
	r.mu.Lock()
	r.sandboxes[s.id] = s
	r.mu.Unlock()
	r.startPause(ctx, s)
	r.tell(s, s.id, runtimeapi.ContainerEventType_CONTAINER_CREATED_EVENT)
	r.tell(s, s.id, runtimeapi.ContainerEventType_CONTAINER_STARTED_EVENT)
	return s.id, nil
}

// sandboxName is unique among a node's sandboxes.
func sandboxName(meta *runtimeapi.PodSandboxMetadata) string {
	return strings.Join([]string{meta.Name, meta.Namespace, meta.Uid, fmt.Sprint(meta.Attempt)}, "_")
}

// setUp makes the sandbox's network and files.
func (r *Runtime) setUp(ctx context.Context, s *sandbox) error {
	began, cause := time.Now(), trace.Cause(ctx)
	var id trace.ID
	if r.opts.Trace != nil {
		id = r.opts.Trace.Reserve()
		ctx = trace.With(ctx, id)
	}
	conf, err := r.connect(ctx, s)
	r.tellNetwork(s, networkStep{id: id, cause: cause, began: began, conf: conf}, err)
	if err != nil {
		return status.Errorf(codes.Unknown, "failed to setup network for sandbox %q: %v", s.id, err)
	}
	if err := r.writeSandboxFiles(s); err != nil {
		return status.Errorf(codes.Unknown, "failed to setup sandbox files: %v", err)
	}
	if err := r.keepSandbox(s); err != nil {
		return status.Errorf(codes.Unknown, "failed to checkpoint sandbox %q: %v", s.id, err)
	}
	return nil
}

// tearDown undoes setUp and gives the name back.
func (r *Runtime) tearDown(s *sandbox) {
	s.stop()
	_ = r.disconnect(context.Background(), s) // its own chain's ADD has undone what it did
	_ = os.RemoveAll(s.dir)                   // what is left is found by whoever looks at RootDir
	r.mu.Lock()
	defer r.mu.Unlock()
	r.release("sandbox", s.name, s.id)
}

// StopPodSandbox kills the pod's containers, closes its network and releases its IPs. It may
// be repeated, and of a sandbox that does not exist is no error.
func (r *Runtime) StopPodSandbox(ctx context.Context, id string) error {
	if err := r.enter(); err != nil {
		return err
	}
	s, err := r.sandbox(id)
	if err != nil {
		return nil
	}
	return r.stopSandbox(ctx, s)
}

func (r *Runtime) stopSandbox(ctx context.Context, s *sandbox) error {
	s.mu.Lock()
	again := s.stopped
	s.stopped = true
	s.mu.Unlock()
	for _, c := range r.containersOf(s.id) {
		if err := c.stop(ctx, 0); err != nil {
			return status.Errorf(codes.Unknown, "failed to stop container %q: %v", c.id, err)
		}
	}
	s.stop() // a container that is just being started ends too
	if err := r.disconnect(ctx, s); err != nil {
		return status.Errorf(codes.Unknown, "failed to destroy network for sandbox %q: %v", s.id, err)
	}
	if !again {
		r.tell(s, s.id, runtimeapi.ContainerEventType_CONTAINER_STOPPED_EVENT)
	}
	return nil
}

// RemovePodSandbox stops the sandbox and removes it with its containers. Of one that does not
// exist it is no error.
func (r *Runtime) RemovePodSandbox(ctx context.Context, id string) error {
	if err := r.enter(); err != nil {
		return err
	}
	s, err := r.sandbox(id)
	if err != nil {
		return nil
	}
	if err := r.stopSandbox(ctx, s); err != nil {
		return err
	}
	for _, c := range r.containersOf(s.id) {
		if err := r.removeContainer(ctx, c); err != nil {
			return err
		}
	}
	r.mu.Lock()
	delete(r.sandboxes, s.id)
	r.mu.Unlock()
	r.tearDown(s)
	r.tell(s, s.id, runtimeapi.ContainerEventType_CONTAINER_DELETED_EVENT)
	return nil
}

// containersOf lists a sandbox's containers.
func (r *Runtime) containersOf(sandboxID string) []*container {
	r.mu.Lock()
	defer r.mu.Unlock()
	var cs []*container
	for _, c := range r.containers {
		if c.sandbox.id == sandboxID {
			cs = append(cs, c)
		}
	}
	slices.SortFunc(cs, func(a, b *container) int { return a.created.Compare(b.created) })
	return cs
}

// PodResources is what a pod may use as a whole; nil if there is no pod of that UID that runs. Of a pod
// that had several sandboxes the latest counts.
func (r *Runtime) PodResources(uid string) *runtimeapi.LinuxContainerResources {
	var latest *sandbox
	for _, s := range r.listSandboxes("", nil) {
		if s.config.GetMetadata().GetUid() == uid && s.state() == runtimeapi.PodSandboxState_SANDBOX_READY {
			latest = s
		}
	}
	if latest == nil {
		return nil
	}
	latest.mu.Lock()
	defer latest.mu.Unlock()
	return latest.resources
}

// UpdatePodSandboxResources keeps the pod's resources; what holds are its containers'.
func (r *Runtime) UpdatePodSandboxResources(_ context.Context, req *runtimeapi.UpdatePodSandboxResourcesRequest) (*runtimeapi.UpdatePodSandboxResourcesResponse, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	s, err := r.sandbox(req.GetPodSandboxId())
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resources = req.GetResources()
	return &runtimeapi.UpdatePodSandboxResourcesResponse{}, nil
}
