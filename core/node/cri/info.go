package cri

import (
	"context"
	"encoding/json"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/trace"
)

// What Version says. The kubelet shows name and version as the node's
// containerRuntimeVersion, and as the scheme of container ids.
const (
	runtimeName       = "tabernetes"
	runtimeVersion    = "0.1.0"
	runtimeAPIVersion = "v1"
	kubeletAPIVersion = "0.1.0"
)

// Version implements internalapi.RuntimeVersioner.
func (r *Runtime) Version(context.Context, string) (*runtimeapi.VersionResponse, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	return &runtimeapi.VersionResponse{
		Version:           kubeletAPIVersion,
		RuntimeName:       runtimeName,
		RuntimeVersion:    runtimeVersion,
		RuntimeApiVersion: runtimeAPIVersion,
	}, nil
}

// Status says that the runtime is ready, and the network once it has a pod CIDR and a CNI configuration that
// libcni takes; reason and message are those of containerd.
func (r *Runtime) Status(ctx context.Context, verbose bool) (*runtimeapi.StatusResponse, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	network := &runtimeapi.RuntimeCondition{Type: runtimeapi.NetworkReady, Status: true}
	if err := r.cni.Status(ctx); err != nil {
		network.Status = false
		network.Reason = "NetworkPluginNotReady"
		network.Message = "Network plugin returns error: " + trace.Text(err.Error())
	}
	resp := &runtimeapi.StatusResponse{
		Status: &runtimeapi.RuntimeStatus{Conditions: []*runtimeapi.RuntimeCondition{
			{Type: runtimeapi.RuntimeReady, Status: true}, network,
		}},
		Features: &runtimeapi.RuntimeFeatures{SupplementalGroupsPolicy: true},
	}
	for _, name := range append([]string{""}, r.opts.RuntimeHandlers...) {
		resp.RuntimeHandlers = append(resp.RuntimeHandlers, &runtimeapi.RuntimeHandler{
			Name: name,
			// What is mounted below a read-only mount is read-only too: mounts do not nest.
			Features: &runtimeapi.RuntimeHandlerFeatures{RecursiveReadOnlyMounts: true},
		})
	}
	if verbose {
		resp.Info = map[string]string{"config": toJSON(map[string]any{
			"rootDir": r.opts.RootDir, "nodeIP": r.opts.NodeIP.String(), "podIPsInUse": r.cni.InUse(),
		})}
	}
	return resp, nil
}

// RuntimeConfig names the cgroup driver. Its cgroups are no kernel's; cgroupfs needs no systemd.
func (r *Runtime) RuntimeConfig(context.Context) (*runtimeapi.RuntimeConfigResponse, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	return &runtimeapi.RuntimeConfigResponse{
		Linux: &runtimeapi.LinuxRuntimeConfiguration{CgroupDriver: runtimeapi.CgroupDriver_CGROUPFS},
	}, nil
}

// UpdateRuntimeConfig takes the node's pod CIDR.
func (r *Runtime) UpdateRuntimeConfig(_ context.Context, config *runtimeapi.RuntimeConfig) error {
	if err := r.enter(); err != nil {
		return err
	}
	cidr := config.GetNetworkConfig().GetPodCidr()
	if cidr == "" {
		return nil
	}
	if err := r.setPodCIDR(cidr); err != nil {
		return status.Errorf(codes.InvalidArgument, "update runtime config: %v", err)
	}
	return nil
}

// checkHandler refuses a runtime handler that is not configured.
func (r *Runtime) checkHandler(name string) error {
	if name != "" && !slices.Contains(r.opts.RuntimeHandlers, name) {
		return status.Errorf(codes.Unknown, "failed to get sandbox runtime: no runtime for %q is configured", name)
	}
	return nil
}

// toJSON is for the info maps of verbose answers.
func toJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "{}"
	}
	return string(data)
}
