package cri

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/program"
)

// killGrace is how long a program may take to return after its context ended, before the
// container counts as exited without it. Linux leaves a killed process no say either.
const killGrace = 2 * time.Second

// attachWait is how long a container whose input is of one client (stdinOnce) waits for it before
// it runs all the same. `docker run -i` attaches first and starts then; kubectl can only attach to
// what runs, and what has ended until then it cannot: it warns, and prints the log twice.
const attachWait = 10 * time.Second

// container is one container: created, then running, then exited, never back. Only what is
// below mu changes after creation.
type container struct {
	id      string
	name    string // reserved
	sandbox *sandbox
	config  *runtimeapi.ContainerConfig
	image   *pulledImage
	created time.Time
	dir     string
	rootfs  string // a directory of the operating system
	logPath string // "" for no log
	spec    *spec
	fs      *program.FS
	sockets *podnet.Sockets
	stdio   *stdio
	// processes numbers what runs in the container; the pod's if it shares them.
	processes *program.Table
	cgroup    *program.Cgroup // what its processes hold
	cores     int             // of the node
	oom       atomic.Bool     // it was killed for its memory
	signals   chan program.Signal
	ctx       context.Context // ends when the container is killed or has exited
	kill      context.CancelCauseFunc
	done      chan struct{} // closed when it has exited
	joined    chan struct{} // has something in it when a client has attached
	usage     usage

	mu         sync.Mutex
	state      runtimeapi.ContainerState
	starting   bool
	started    time.Time
	finished   time.Time
	exitCode   int32
	reason     string
	message    string
	resources  *runtimeapi.LinuxContainerResources
	imageTag   string
	removing   bool
	stopSignal program.Signal
}

// status is the container's state now.
func (c *container) status() *runtimeapi.ContainerStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	st := &runtimeapi.ContainerStatus{
		Id:          c.id,
		Metadata:    c.config.Metadata,
		State:       c.state,
		CreatedAt:   c.created.UnixNano(),
		Image:       c.imageSpec(),
		ImageRef:    c.image.ref(),
		ImageId:     c.image.ID,
		Reason:      c.reason,
		Message:     c.message,
		Labels:      c.config.Labels,
		Annotations: c.config.Annotations,
		Mounts:      c.config.Mounts,
		LogPath:     c.logPath,
		StopSignal:  toCRISignal(c.stopSignal),
		User:        &runtimeapi.ContainerUser{Linux: c.spec.user},
	}
	if c.resources != nil {
		st.Resources = &runtimeapi.ContainerResources{Linux: c.resources}
	}
	if !c.started.IsZero() {
		st.StartedAt = c.started.UnixNano()
	}
	if c.state == runtimeapi.ContainerState_CONTAINER_EXITED {
		st.FinishedAt = c.finished.UnixNano()
		st.ExitCode = c.exitCode
		if st.Reason == "" {
			st.Reason = "Completed"
			if c.exitCode != 0 {
				st.Reason = "Error"
			}
		}
	}
	return st
}

// imageSpec names the image by its tag if it has one, as containerd does.
func (c *container) imageSpec() *runtimeapi.ImageSpec {
	spec := &runtimeapi.ImageSpec{
		Image:              c.config.GetImage().GetImage(),
		Annotations:        c.config.GetImage().GetAnnotations(),
		UserSpecifiedImage: c.config.GetImage().GetUserSpecifiedImage(),
		RuntimeHandler:     c.config.GetImage().GetRuntimeHandler(),
	}
	if tag := c.image.RepoTag(); tag != "" {
		spec.Image = tag
	}
	return spec
}

// listed is the container's entry in a list.
func (c *container) listed() *runtimeapi.Container {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &runtimeapi.Container{
		Id:           c.id,
		PodSandboxId: c.sandbox.id,
		Metadata:     c.config.Metadata,
		Image:        c.imageSpec(),
		ImageRef:     c.image.ID,
		ImageId:      c.image.ID,
		State:        c.state,
		CreatedAt:    c.created.UnixNano(),
		Labels:       c.config.Labels,
		Annotations:  c.config.Annotations,
	}
}

func (c *container) currentState() runtimeapi.ContainerState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// executables finds programs as the container's PATH does.
func (c *container) executables(images *image.Registry) *executables {
	return &executables{fs: c.fs.As(c.spec.credentials()), env: c.spec.env, dir: c.spec.dir, images: images}
}

// logFilePath is where the kubelet wants the log; "" if nowhere.
func logFilePath(sandbox *runtimeapi.PodSandboxConfig, config *runtimeapi.ContainerConfig) string {
	if sandbox.GetLogDirectory() == "" || config.GetLogPath() == "" {
		return ""
	}
	return filepath.Join(sandbox.LogDirectory, config.LogPath)
}
