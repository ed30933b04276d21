package cri

import (
	"context"
	"slices"
	"strings"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// ListContainers implements internalapi.ContainerManager; oldest first.
func (r *Runtime) ListContainers(_ context.Context, filter *runtimeapi.ContainerFilter) ([]*runtimeapi.Container, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	var list []*runtimeapi.Container
	for _, c := range r.listContainers(filter.GetId(), filter.GetPodSandboxId(), filter.GetLabelSelector()) {
		entry := c.listed()
		if filter.GetState() == nil || filter.GetState().State == entry.State {
			list = append(list, entry)
		}
	}
	return list, nil
}

// listContainers gives the containers with that id and sandbox (or a prefix; "" is any) and
// these labels.
func (r *Runtime) listContainers(id, sandboxID string, labels map[string]string) []*container {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []*container
	for _, c := range r.containers {
		if strings.HasPrefix(c.id, id) && strings.HasPrefix(c.sandbox.id, sandboxID) && selects(labels, c.config.Labels) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *container) int { return a.created.Compare(b.created) })
	return list
}

// ContainerStatus implements internalapi.ContainerManager.
func (r *Runtime) ContainerStatus(_ context.Context, id string, verbose bool) (*runtimeapi.ContainerStatusResponse, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	c, err := r.container(id)
	if err != nil {
		return nil, err
	}
	resp := &runtimeapi.ContainerStatusResponse{Status: c.status()}
	if verbose {
		resp.Info = map[string]string{"info": toJSON(map[string]any{
			"sandboxID": c.sandbox.id, "rootfs": c.rootfs, "args": c.spec.args, "env": c.spec.env, "cwd": c.spec.dir,
			"mounts": c.fs.Mounts(), "processes": c.processes.List(),
		})}
	}
	return resp, nil
}
