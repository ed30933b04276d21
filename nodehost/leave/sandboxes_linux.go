package leave

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	internalapi "k8s.io/cri-api/pkg/apis"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/nodehost/cri"
	"github.com/tabernetes/tabernetes/nodehost/kubelet"
	"github.com/tabernetes/tabernetes/nodehost/nodedir"
)

const runtimePatience = 30 * time.Second

// removeSandboxes stops and removes the node's sandboxes, with containers and network, by the runtime
// that made them; containerd is started for it once more.
func removeSandboxes(ctx context.Context, p nodedir.Place, s *nodedir.State, log *slog.Logger) error {
	if s.Own {
		c := Containerd(p, s, log)
		program, err := exec.LookPath("containerd")
		if err != nil {
			return err
		}
		c.Program = program
		running, cancel := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- c.Run(running) }()
		defer func() {
			cancel()
			<-ended
		}()
	}
	waiting, cancel := context.WithTimeout(ctx, runtimePatience)
	defer cancel()
	service, _, err := cri.Ready(waiting, s.Endpoint)
	if err != nil {
		return err
	}
	defer service.Close(ctx)
	sandboxes, err := service.ListPodSandbox(ctx, nil)
	if err != nil {
		return fmt.Errorf("list the sandboxes: %w", err)
	}
	var errs []error
	for _, sb := range sandboxes {
		if !s.Own && !isOurs(ctx, service, p, sb.Id) {
			continue
		}
		if err := errors.Join(service.StopPodSandbox(ctx, sb.Id), service.RemovePodSandbox(ctx, sb.Id)); err != nil {
			errs = append(errs, fmt.Errorf("sandbox of %s/%s: %w", sb.Metadata.GetNamespace(), sb.Metadata.GetName(), err))
		}
	}
	return errors.Join(errs...)
}

// isOurs says whether a sandbox in somebody else's runtime is the node's: its logs are.
func isOurs(ctx context.Context, service internalapi.RuntimeService, p nodedir.Place, id string) bool {
	status, err := service.PodSandboxStatus(ctx, id, true)
	if err != nil {
		return false
	}
	return mentions(status, kubelet.PodLogs(p.Kubelet()))
}

func mentions(status *runtimeapi.PodSandboxStatusResponse, dir string) bool {
	for _, text := range status.Info {
		if strings.Contains(text, dir+"/") {
			return true
		}
	}
	return false
}

// canRaiseOOMScore says whether this process has CAP_SYS_RESOURCE, without which a container's OOM
// score cannot be lowered.
func canRaiseOOMScore() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return false
	}
	return data[unix.CAP_SYS_RESOURCE/32].Effective&(1<<(unix.CAP_SYS_RESOURCE%32)) != 0
}
