package cri

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/distribution/reference"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// maxMessage is what an answer of a runtime may take, in bytes, as in upstream's client.
const maxMessage = 16 << 20

// Images serves the image service of a runtime with one image pinned, that of sandboxes. The kubelet
// collects what no container uses, and relies on runtimes to say that sandboxes need theirs; containerd
// does from 1.7.3 on, if it has pulled the image itself (its issue 9726).
type Images struct {
	listener net.Listener
	runtime  *grpc.ClientConn
	service  images
	tap      Tap
}

// ListenImages listens on a socket (a path) for those of the runtime at endpoint ("unix:///…"), whose
// sandboxes are made of image.
func ListenImages(endpoint, socket, image string, tap Tap) (*Images, error) {
	pinned, err := reference.ParseDockerRef(image)
	if err != nil {
		return nil, fmt.Errorf("the image of sandboxes %q: %w", image, err)
	}
	conn, err := connect(endpoint)
	if err != nil {
		return nil, fmt.Errorf("reach the images of %s: %w", endpoint, err)
	}
	ln, err := listenUnix(socket)
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("serve the runtime's images: %w", err)
	}
	return &Images{listener: ln, runtime: conn, service: images{of: runtimeapi.NewImageServiceClient(conn), pinned: pinned.String()}, tap: tap}, nil
}

// connectPatience is how long a runtime that has taken a connection may take to greet, as in grpc by default: a machine
// that is busy takes longer than the first wait between two attempts, which grpc has instead if this is left out.
const connectPatience = 20 * time.Second

// connect makes a client of a runtime, which may be started again: it is not waited for any longer than by
// the kubelet itself.
func connect(endpoint string) (*grpc.ClientConn, error) {
	return grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)),
		grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: connectPatience, Backoff: backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 3 * time.Second}}))
}

// listenUnix listens on a socket that may be left of an earlier process, for root alone.
func listenUnix(socket string) (net.Listener, error) {
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	ln, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(socket, 0o600); err != nil {
		_ = ln.Close()
		return nil, err
	}
	return ln, nil
}

// Serve serves until ctx is done.
func (i *Images) Serve(ctx context.Context) error {
	defer i.runtime.Close()
	s := grpc.NewServer(grpc.MaxRecvMsgSize(maxMessage), grpc.UnaryInterceptor(i.tell))
	runtimeapi.RegisterImageServiceServer(s, &i.service)
	defer context.AfterFunc(ctx, s.Stop)()
	if err := s.Serve(i.listener); err != nil && ctx.Err() == nil {
		return fmt.Errorf("serve the runtime's images: %w", err)
	}
	return nil
}

// tell tells of a call.
func (i *Images) tell(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	began := time.Now()
	response, err := handle(ctx, request)
	if i.tap.Messages == nil {
		return response, err
	}
	method := info.FullMethod[strings.LastIndex(info.FullMethod, "/")+1:]
	if _, _, unwanted := i.tap.Messages(method); unwanted == nil {
		c := Call{Method: method, Began: began, Took: time.Since(began), Err: err}
		c.Request, _ = request.(proto.Message)
		if err == nil {
			c.Response, _ = response.(proto.Message)
		}
		i.tap.Call(c)
	}
	return response, err
}

// images is a runtime's image service, whose errors and answers are passed on. What is new in the CRI is
// not implemented, upon which clients do without (StreamImages).
type images struct {
	runtimeapi.UnimplementedImageServiceServer
	of     runtimeapi.ImageServiceClient
	pinned string // a name as runtimes have it
}

func (i *images) pin(image *runtimeapi.Image) {
	if image != nil && slices.Contains(append(image.RepoTags, image.RepoDigests...), i.pinned) {
		image.Pinned = true
	}
}

func (i *images) ListImages(ctx context.Context, r *runtimeapi.ListImagesRequest) (*runtimeapi.ListImagesResponse, error) {
	list, err := i.of.ListImages(ctx, r)
	for _, image := range list.GetImages() {
		i.pin(image)
	}
	return list, err
}

func (i *images) ImageStatus(ctx context.Context, r *runtimeapi.ImageStatusRequest) (*runtimeapi.ImageStatusResponse, error) {
	status, err := i.of.ImageStatus(ctx, r)
	i.pin(status.GetImage())
	return status, err
}

func (i *images) PullImage(ctx context.Context, r *runtimeapi.PullImageRequest) (*runtimeapi.PullImageResponse, error) {
	return i.of.PullImage(ctx, r)
}

func (i *images) RemoveImage(ctx context.Context, r *runtimeapi.RemoveImageRequest) (*runtimeapi.RemoveImageResponse, error) {
	return i.of.RemoveImage(ctx, r)
}

func (i *images) ImageFsInfo(ctx context.Context, r *runtimeapi.ImageFsInfoRequest) (*runtimeapi.ImageFsInfoResponse, error) {
	return i.of.ImageFsInfo(ctx, r)
}
