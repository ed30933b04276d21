package cri

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace/noop"
	internalapi "k8s.io/cri-api/pkg/apis"
	criclient "k8s.io/cri-client/pkg"
)

const (
	look        = 50 * time.Millisecond
	callTimeout = 2 * time.Minute
)

// Ready waits until a runtime answers at endpoint ("unix:///…") and returns a client of it, and what
// it calls itself ("containerd 1.6.20"). It fails when ctx is done.
func Ready(ctx context.Context, endpoint string) (internalapi.RuntimeService, string, error) {
	var last error
	for {
		service, name, err := version(ctx, endpoint)
		if err == nil {
			return service, name, nil
		}
		if ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			return nil, "", fmt.Errorf("wait for the container runtime at %s: %w", endpoint, last)
		case <-time.After(look):
		}
	}
}

func version(ctx context.Context, endpoint string) (internalapi.RuntimeService, string, error) {
	// gRPC has words in the log for a socket that is not there yet.
	conn, err := new(net.Dialer).DialContext(ctx, "unix", strings.TrimPrefix(endpoint, "unix://"))
	if err != nil {
		return nil, "", err
	}
	_ = conn.Close()
	service, err := criclient.NewRemoteRuntimeService(ctx, endpoint, callTimeout, noop.NewTracerProvider(), false)
	if err != nil {
		return nil, "", err
	}
	v, err := service.Version(ctx, "v1")
	if err != nil {
		_ = service.Close(ctx)
		return nil, "", err
	}
	return service, v.RuntimeName + " " + v.RuntimeVersion, nil
}

// Sandboxes are the identities of all sandboxes that the runtime at endpoint has.
func Sandboxes(ctx context.Context, endpoint string) ([]string, error) {
	service, _, err := version(ctx, endpoint)
	if err != nil {
		return nil, fmt.Errorf("list the sandboxes: %w", err)
	}
	defer service.Close(ctx)
	all, err := service.ListPodSandbox(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("list the sandboxes: %w", err)
	}
	ids := []string{}
	for _, s := range all {
		ids = append(ids, s.Id)
	}
	return ids, nil
}
