package cri

import (
	"context"
	"net"
	"path/filepath"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace/noop"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	criclient "k8s.io/cri-client/pkg"
)

// old is a runtime that pins nothing.
type old struct {
	runtimeapi.UnimplementedImageServiceServer
}

func (old) ListImages(context.Context, *runtimeapi.ListImagesRequest) (*runtimeapi.ListImagesResponse, error) {
	return &runtimeapi.ListImagesResponse{Images: []*runtimeapi.Image{
		{Id: "sha256:1", RepoTags: []string{"docker.io/library/pause:3", "other/pause:3"}},
		{Id: "sha256:2", RepoTags: []string{"docker.io/library/pause:4"}},
		{Id: "sha256:3", RepoTags: []string{"docker.io/library/nginx:latest"}, Pinned: true},
	}}, nil
}

func (old) ImageFsInfo(context.Context, *runtimeapi.ImageFsInfoRequest) (*runtimeapi.ImageFsInfoResponse, error) {
	return &runtimeapi.ImageFsInfoResponse{}, nil
}

func (old) PullImage(_ context.Context, r *runtimeapi.PullImageRequest) (*runtimeapi.PullImageResponse, error) {
	return nil, status.Errorf(codes.NotFound, "nobody has %s", r.Image.Image)
}

// The kubelet's own client sees one image pinned that the runtime did not pin, and the runtime's errors.
func TestTheImageOfSandboxesIsPinned(t *testing.T) {
	dir := t.TempDir()
	runtime := filepath.Join(dir, "runtime.sock")
	ln, err := net.Listen("unix", runtime)
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	runtimeapi.RegisterImageServiceServer(s, old{})
	go func() { _ = s.Serve(ln) }()
	defer s.Stop()

	ctx, cancel := context.WithCancel(t.Context())
	socket, ended := filepath.Join(dir, "images.sock"), make(chan error, 1)
	served, err := ListenImages("unix://"+runtime, socket, "pause:3", Tap{})
	if err != nil {
		t.Fatal(err)
	}
	go func() { ended <- served.Serve(ctx) }()
	client, err := criclient.NewRemoteImageService(t.Context(), "unix://"+socket, callTimeout, noop.NewTracerProvider(), false)
	if err != nil {
		t.Fatal(err)
	}
	list, err := client.ListImages(t.Context(), nil)
	if err != nil || len(list) != 3 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, image := range list {
		if want := image.Id != "sha256:2"; image.Pinned != want {
			t.Errorf("%v: pinned is %v", image.RepoTags, image.Pinned)
		}
	}
	if _, err := client.PullImage(t.Context(), &runtimeapi.ImageSpec{Image: "x"}, nil, nil); status.Code(err) != codes.NotFound {
		t.Errorf("the runtime's error came as %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := ListenImages("unix://"+runtime, socket, "A B", Tap{}); err == nil {
		t.Error("a name that is none")
	}
}

// A runtime that takes a connection and greets late, as on a machine that is busy, is waited for: a kubelet that is told
// of an error while it starts ends.
func TestARuntimeThatGreetsLate(t *testing.T) {
	dir := t.TempDir()
	runtime := filepath.Join(dir, "runtime.sock")
	ln, err := net.Listen("unix", runtime)
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	runtimeapi.RegisterImageServiceServer(s, old{})
	served, err := ListenImages("unix://"+runtime, filepath.Join(dir, "images.sock"), "pause:3", Tap{})
	if err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(500*time.Millisecond, func() { _ = s.Serve(ln) })
	defer late.Stop()
	defer s.Stop()
	defer served.runtime.Close()
	defer served.listener.Close()
	if _, err := served.service.ImageFsInfo(t.Context(), &runtimeapi.ImageFsInfoRequest{}); err != nil {
		t.Error(err)
	}
}
