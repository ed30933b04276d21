package cri

import (
	"context"
	"slices"
	"strings"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// status is the sandbox's state now. A stopped sandbox and one on the host network have no IP to
// show.
func (s *sandbox) status() *runtimeapi.PodSandboxStatus {
	st := &runtimeapi.PodSandboxStatus{
		Id:             s.id,
		Metadata:       s.config.Metadata,
		State:          s.state(),
		CreatedAt:      s.created.UnixNano(),
		Network:        &runtimeapi.PodSandboxNetworkStatus{},
		Linux:          &runtimeapi.LinuxPodSandboxStatus{Namespaces: &runtimeapi.Namespace{Options: s.namespaces()}},
		Labels:         s.config.Labels,
		Annotations:    s.config.Annotations,
		RuntimeHandler: s.handler,
	}
	if !s.onHost && st.State == runtimeapi.PodSandboxState_SANDBOX_READY {
		for i, ip := range s.network.IPs() {
			if i == 0 {
				st.Network.Ip = ip.String()
			} else {
				st.Network.AdditionalIps = append(st.Network.AdditionalIps, &runtimeapi.PodIP{Ip: ip.String()})
			}
		}
	}
	return st
}

// PodSandboxStatus implements internalapi.PodSandboxManager.
func (r *Runtime) PodSandboxStatus(_ context.Context, id string, verbose bool) (*runtimeapi.PodSandboxStatusResponse, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	s, err := r.sandbox(id)
	if err != nil {
		return nil, err
	}
	resp := &runtimeapi.PodSandboxStatusResponse{
		Status: s.status(), Timestamp: time.Now().UnixNano(), ContainersStatuses: r.containerStatuses(s),
	}
	if verbose {
		info := map[string]any{
			"directory": s.dir, "hostNetwork": s.onHost, "ips": s.network.IPs(), "runtimeHandler": s.handler,
			"namespaces": s.held(r.opts.NodeName),
		}
		if s.pause != nil {
			info["processes"] = s.pause.List() // the pause process, and the pod's if it shares them
		}
		resp.Info = map[string]string{"info": toJSON(info)}
	}
	return resp, nil
}

// ListPodSandbox implements internalapi.PodSandboxManager; oldest first.
func (r *Runtime) ListPodSandbox(_ context.Context, filter *runtimeapi.PodSandboxFilter) ([]*runtimeapi.PodSandbox, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	var list []*runtimeapi.PodSandbox
	for _, s := range r.listSandboxes(filter.GetId(), filter.GetLabelSelector()) {
		state := s.state()
		if filter.GetState() != nil && filter.GetState().State != state {
			continue
		}
		list = append(list, &runtimeapi.PodSandbox{
			Id:             s.id,
			Metadata:       s.config.Metadata,
			State:          state,
			CreatedAt:      s.created.UnixNano(),
			Labels:         s.config.Labels,
			Annotations:    s.config.Annotations,
			RuntimeHandler: s.handler,
		})
	}
	return list, nil
}

// listSandboxes gives the sandboxes with that id (or a prefix; "" is any) and these labels.
func (r *Runtime) listSandboxes(id string, labels map[string]string) []*sandbox {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []*sandbox
	for _, s := range r.sandboxes {
		if strings.HasPrefix(s.id, id) && selects(labels, s.config.Labels) {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *sandbox) int { return a.created.Compare(b.created) })
	return list
}
