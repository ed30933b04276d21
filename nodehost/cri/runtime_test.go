package cri

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace/noop"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	criclient "k8s.io/cri-client/pkg"
)

// behind is a runtime that a kubelet reaches through ours.
type behind struct {
	runtimeapi.UnimplementedRuntimeServiceServer
}

func (behind) Version(context.Context, *runtimeapi.VersionRequest) (*runtimeapi.VersionResponse, error) {
	return &runtimeapi.VersionResponse{Version: "0.1.0", RuntimeName: "behind", RuntimeVersion: "1", RuntimeApiVersion: "v1"}, nil
}

func (behind) RunPodSandbox(_ context.Context, r *runtimeapi.RunPodSandboxRequest) (*runtimeapi.RunPodSandboxResponse, error) {
	return &runtimeapi.RunPodSandboxResponse{PodSandboxId: "sandbox of " + r.Config.Metadata.Name}, nil
}

func (behind) StartContainer(context.Context, *runtimeapi.StartContainerRequest) (*runtimeapi.StartContainerResponse, error) {
	return nil, status.Error(codes.NotFound, "nobody has it")
}

func (behind) StopContainer(ctx context.Context, _ *runtimeapi.StopContainerRequest) (*runtimeapi.StopContainerResponse, error) {
	<-ctx.Done() // the kubelet's patience comes through
	return nil, status.FromContextError(ctx.Err()).Err()
}

func (behind) GetContainerEvents(_ *runtimeapi.GetEventsRequest, s grpc.ServerStreamingServer[runtimeapi.ContainerEventResponse]) error {
	for i := range 3 {
		if err := s.Send(&runtimeapi.ContainerEventResponse{ContainerId: fmt.Sprint(i)}); err != nil {
			return err
		}
	}
	<-s.Context().Done()
	return nil
}

// TestTheRuntimeIsReachedAsItIs: the kubelet's own client sees answers, errors, streams and the end of its
// patience as without us, and the calls that are wanted are told with their messages.
func TestTheRuntimeIsReachedAsItIs(t *testing.T) {
	dir := t.TempDir()
	ln, err := net.Listen("unix", filepath.Join(dir, "behind.sock"))
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	runtimeapi.RegisterRuntimeServiceServer(s, behind{})
	go func() { _ = s.Serve(ln) }()
	defer s.Stop()
	calls := make(chan Call, 10)
	r, err := ListenRuntime("unix://"+ln.Addr().String(), RuntimeSocket(dir, "unix:///run/behind.sock"), Tap{
		Messages: func(method string) (request, response proto.Message, err error) {
			switch method {
			case "RunPodSandbox":
				return &runtimeapi.RunPodSandboxRequest{}, &runtimeapi.RunPodSandboxResponse{}, nil
			case "StartContainer":
				return &runtimeapi.StartContainerRequest{}, &runtimeapi.StartContainerResponse{}, nil
			}
			return nil, nil, errors.New("not wanted")
		},
		Call: func(c Call) { calls <- c },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Serve(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	client, err := criclient.NewRemoteRuntimeService(ctx, "unix://"+filepath.Join(dir, "runtime.sock"), callTimeout, noop.NewTracerProvider(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(ctx)

	if v, err := client.Version(ctx, "v1"); err != nil || v.RuntimeName != "behind" {
		t.Errorf("%v, %v", v, err)
	}
	config := &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Name: "web"}}
	if id, err := client.RunPodSandbox(ctx, config, ""); err != nil || id != "sandbox of web" {
		t.Errorf("%q, %v", id, err)
	}
	c := <-calls
	if c.Method != "RunPodSandbox" || c.Err != nil || c.Request.(*runtimeapi.RunPodSandboxRequest).Config.Metadata.Name != "web" || c.Response.(*runtimeapi.RunPodSandboxResponse).PodSandboxId != "sandbox of web" {
		t.Errorf("%+v", c)
	}
	if err := client.StartContainer(ctx, "c"); status.Code(err) != codes.NotFound {
		t.Errorf("%v", err)
	}
	if c = <-calls; c.Request.(*runtimeapi.StartContainerRequest).ContainerId != "c" || c.Response != nil || status.Code(c.Err) != codes.NotFound {
		t.Errorf("%+v", c)
	}
	patience, stop := context.WithTimeout(ctx, 20*time.Millisecond)
	defer stop()
	if err := client.StopContainer(patience, "c", 0); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("%v", err)
	}
	events := make(chan *runtimeapi.ContainerEventResponse)
	following, enough := context.WithCancel(ctx)
	go func() {
		_ = client.GetContainerEvents(following, events, func(runtimeapi.RuntimeService_GetContainerEventsClient) {})
	}()
	for i := range 3 {
		if e := <-events; e.ContainerId != fmt.Sprint(i) {
			t.Errorf("event %d is %v", i, e)
		}
	}
	enough()
	if _, err := client.Status(ctx, false); status.Code(err) != codes.Unimplemented {
		t.Errorf("what the runtime does not have: %v", err)
	}
	if got := RuntimeSocket("/run/x", "unix:///run/crio/crio.sock"); got != "/run/x/crio.sock" {
		t.Errorf("CRI-O is served at %s", got)
	}
}
