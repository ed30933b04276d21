package cri

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/program"
)

// What containerd says of a container that ran when its machine lost power
// (internal/cri/server/restart.go, unknownExitCode and unknownExitReason).
const (
	exitUnknown       = 255
	exitUnknownReason = "Unknown"
)

// recordName is the file, in the directory of a sandbox or container, from which a runtime that starts
// again knows of it. As on any machine, a pod that may write to the node's disk may write there too.
const recordName = "status.json"

// Bounds of what is read when a runtime starts: a record with a configuration of the API's largest
// object fits, and more containers than the kubelet leaves behind.
const (
	maxRecord  = 4 << 20
	maxRecords = 4096
)

// sandboxRecord is what outlives the runtime of a sandbox. Times are in nanoseconds since 1970.
type sandboxRecord struct {
	ID, Handler string
	Created     int64
	OnHost      bool
	Config      []byte // a PodSandboxConfig
}

// containerRecord is what outlives it of a container.
type containerRecord struct {
	ID, Sandbox, Name          string
	Image, LogPath             string
	Created, Started, Finished int64 // 0 for not yet
	State                      runtimeapi.ContainerState
	ExitCode                   int32
	Reason, Message            string
	Config                     []byte // a ContainerConfig
}

// imageRecord is an image that was pulled.
type imageRecord struct{ Ref, Handler string }

func (r *Runtime) pulledFile() string { return filepath.Join(r.imagesDir(), "pulled.json") }

// records serialises what is written of records, until the runtime is closed: that a container ended
// because of it is not how it ended.
type records struct {
	mu     sync.Mutex
	closed bool
}

func (w *records) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
}

// write replaces the file as a whole, so that one that is read is complete.
func (w *records) write(path string, record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("keep %s: %w", path, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return errors.New("keep the state of the runtime: it is closed")
	}
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return fmt.Errorf("keep the state of the runtime: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("keep the state of the runtime: %w", err)
	}
	return nil
}

// recall reads what write wrote.
func recall(path string, record any) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	if err != nil {
		return err
	}
	if len(text) > maxRecord {
		return errors.New("it is too large")
	}
	return json.Unmarshal(text, record)
}

func (r *Runtime) keepSandbox(s *sandbox) error {
	config, err := proto.Marshal(s.config)
	if err != nil {
		return fmt.Errorf("keep sandbox %s: %w", s.id, err)
	}
	return r.records.write(filepath.Join(s.dir, recordName), sandboxRecord{
		ID: s.id, Handler: s.handler, Created: s.created.UnixNano(), OnHost: s.onHost, Config: config,
	})
}

// keepContainer is called whenever the container's state has changed, before anybody is told.
func (r *Runtime) keepContainer(c *container) error {
	config, err := proto.Marshal(c.config)
	if err != nil {
		return fmt.Errorf("keep container %s: %w", c.id, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.removing {
		return nil
	}
	return r.records.write(filepath.Join(c.dir, recordName), containerRecord{
		ID: c.id, Sandbox: c.sandbox.id, Name: c.name, Image: c.image.Ref.String(), LogPath: c.logPath,
		Created: c.created.UnixNano(), Started: sinceEpoch(c.started), Finished: sinceEpoch(c.finished),
		State: c.state, ExitCode: c.exitCode, Reason: c.reason, Message: c.message, Config: config,
	})
}

func sinceEpoch(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromEpoch(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns)
}

// keepPulled is called with the image store's lock held.
func (r *Runtime) keepPulled() error {
	pulled := []imageRecord{}
	for _, img := range r.images.byID {
		pulled = append(pulled, imageRecord{img.Ref.String(), img.handler})
	}
	return r.records.write(r.pulledFile(), pulled)
}

// takeUp knows again what an earlier runtime of the node had, as containerd does after the machine lost
// power: sandboxes that are not ready, and containers of which none runs. What cannot be read is
// removed: it is nobody's.
func (r *Runtime) takeUp() error {
	var pulled []imageRecord
	_ = recall(r.pulledFile(), &pulled) // without it they are pulled again
	for _, p := range pulled[:min(len(pulled), maxRecords)] {
		if img, err := r.images.registry.Resolve(p.Ref); err == nil {
			r.images.byID[img.ID] = &pulledImage{
				Resolved: img, known: r.images.registry.Known(img.Ref), handler: p.Handler, pulled: time.Now(),
			}
		}
	}
	// What images share is unpacked anew.
	if err := os.RemoveAll(filepath.Join(r.imagesDir(), "shared")); err != nil {
		return err
	}
	for _, kind := range []struct {
		dir string
		add func(id, dir string) error
	}{{r.sandboxesDir(), r.takeUpSandbox}, {r.containersDir(), r.takeUpContainer}} {
		entries, err := os.ReadDir(kind.dir)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for i, entry := range entries {
			dir := filepath.Join(kind.dir, entry.Name())
			if i < maxRecords && entry.IsDir() && isID.MatchString(entry.Name()) && kind.add(entry.Name(), dir) == nil {
				continue
			}
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// isID is what newID makes.
var isID = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (r *Runtime) takeUpSandbox(id, dir string) error {
	var was sandboxRecord
	config := &runtimeapi.PodSandboxConfig{}
	if err := recall(filepath.Join(dir, recordName), &was); err != nil {
		return err
	}
	if err := proto.Unmarshal(was.Config, config); err != nil {
		return err
	}
	if was.ID != id || config.GetMetadata() == nil {
		return errors.New("it is another's")
	}
	s := &sandbox{
		id: id, name: sandboxName(config.Metadata), config: config, handler: was.Handler, dir: dir,
		created: time.Unix(0, was.Created), onHost: was.OnHost, stopped: true,
		network: podnet.New(podnet.Options{}), resources: config.GetLinux().GetResources(),
	}
	s.network.Close()
	s.ctx, s.stop = context.WithCancel(r.ctx)
	s.stop()
	if err := r.reserve("sandbox", s.name, id); err != nil {
		return err
	}
	r.sandboxes[id] = s
	return nil
}

func (r *Runtime) takeUpContainer(id, dir string) error {
	var was containerRecord
	config := &runtimeapi.ContainerConfig{}
	if err := recall(filepath.Join(dir, recordName), &was); err != nil {
		return err
	}
	if err := proto.Unmarshal(was.Config, config); err != nil {
		return err
	}
	s := r.sandboxes[was.Sandbox]
	if was.ID != id || s == nil || config.GetMetadata() == nil {
		return errors.New("it is another's")
	}
	c := &container{
		id: id, name: was.Name, sandbox: s, config: config, image: r.imageOf(was.Image), dir: dir,
		rootfs: filepath.Join(dir, "rootfs"), logPath: r.ownPath(was.LogPath), created: time.Unix(0, was.Created),
		signals: make(chan program.Signal, 1), done: make(chan struct{}), joined: make(chan struct{}, 1),
		started: fromEpoch(was.Started), finished: fromEpoch(was.Finished), state: was.State,
		exitCode: was.ExitCode, reason: was.Reason, message: was.Message,
		resources: config.GetLinux().GetResources(), cores: r.opts.Cores, processes: program.NewTable(),
	}
	if c.state == runtimeapi.ContainerState_CONTAINER_RUNNING {
		c.state, c.finished = runtimeapi.ContainerState_CONTAINER_EXITED, time.Now()
		c.exitCode, c.reason = exitUnknown, exitUnknownReason
	}
	var err error
	if c.spec, err = r.newSpec(s, config, c.image); err != nil {
		c.spec = &spec{user: &runtimeapi.LinuxContainerUser{}}
	}
	if c.stopSignal, err = stopSignal(config.GetStopSignal(), c.image.StopSignal); err != nil {
		return err
	}
	// Nobody can look into a container that has ended.
	if err := os.RemoveAll(c.rootfs); err != nil {
		return err
	}
	if err := r.reserve("container", c.name, id); err != nil {
		return err
	}
	c.ctx, c.kill = context.WithCancelCause(s.ctx)
	c.cgroup = program.NewCgroup(r.opts.Pods, r.opts.ContainerLimits, nil)
	c.cgroup.Close()
	c.fs = program.NewFS(c.rootfs).On(r.opts.Disk, c.cgroup)
	c.sockets = s.network.Sockets(c.fs)
	c.sockets.Close()
	c.stdio = newStdio(c, r.opts.Disk)
	c.stdio.close()
	close(c.done)
	r.containers[id] = c
	return r.keepContainer(c)
}

// ownPath is a path that the kubelet reads, or "" if a pod has written one there that leads out of the
// node.
func (r *Runtime) ownPath(path string) string {
	if r.opts.NodeRoot == "" || path == "" {
		return path
	}
	for _, root := range []string{r.opts.NodeRoot, r.nodeRoot} {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return path
		}
	}
	return ""
}

// imageOf is the image of a container that was: only its names are looked at from now on.
func (r *Runtime) imageOf(ref string) *pulledImage {
	if img, err := r.images.registry.Resolve(ref); err == nil {
		return &pulledImage{Resolved: img, known: r.images.registry.Known(img.Ref)}
	}
	parsed, _ := image.ParseRef(ref) // zero if it is none
	return &pulledImage{Resolved: &image.Resolved{Image: &image.Image{}, Ref: parsed}}
}
