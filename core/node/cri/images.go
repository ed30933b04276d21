package cri

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/image"
)

// pulledImage is an image that the node has.
type pulledImage struct {
	*image.Resolved
	known   bool // to the tab
	handler string
	pulled  time.Time
}

// ref is what the image's containers say that they run, and what becomes imageID of a container's status:
// its digest, and before it, for an image that the tab does not have, StandInScheme.
func (i *pulledImage) ref() string {
	if i.known {
		return i.RepoDigest()
	}
	return image.StandInScheme + i.RepoDigest()
}

// imageStore is what the node has pulled.
type imageStore struct {
	registry *image.Registry

	mu   sync.Mutex
	byID map[string]*pulledImage

	sharedMu sync.Mutex // serialises unpacking
	unpacked map[string]bool
}

// shared gives the directory with what the image's containers share, below dir. It stays when
// the image goes: containers may still use it, and the next tag of the image has the same.
func (s *imageStore) shared(img *pulledImage, dir string) (string, error) {
	dir = filepath.Join(dir, img.SharedID)
	s.sharedMu.Lock()
	defer s.sharedMu.Unlock()
	if s.unpacked[dir] {
		return dir, nil
	}
	if err := os.RemoveAll(dir); err != nil { // half of it, from a failure before
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := img.UnpackShared(dir); err != nil {
		return "", err
	}
	if s.unpacked == nil {
		s.unpacked = map[string]bool{}
	}
	s.unpacked[dir] = true
	return dir, nil
}

// get finds an image by id, with or without "sha256:", or by reference.
func (s *imageStore) get(text string) (*pulledImage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text == "" {
		return nil, false
	}
	if img, ok := s.byID[text]; ok {
		return img, true
	}
	if img, ok := s.byID["sha256:"+text]; ok {
		return img, true
	}
	ref, err := image.ParseRef(text)
	if err != nil {
		return nil, false
	}
	for _, img := range s.byID {
		if !img.known && s.registry.Known(img.Ref) {
			continue // a stand-in for what has been defined since: it is pulled anew
		}
		if img.RepoTag() == ref.String() || img.RepoDigest() == ref.String() {
			return img, true
		}
	}
	return nil, false
}

func (s *imageStore) list() []*pulledImage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Values(s.byID), func(a, b *pulledImage) int {
		return strings.Compare(a.Ref.String(), b.Ref.String())
	})
}

// toCRI is the image as the CRI shows it.
func (i *pulledImage) toCRI() *runtimeapi.Image {
	out := &runtimeapi.Image{
		Id:          i.ID,
		RepoDigests: []string{i.RepoDigest()},
		Size:        uint64(i.Size),
		Spec:        &runtimeapi.ImageSpec{Image: i.ID, RuntimeHandler: i.handler},
		Pinned:      i.Pinned,
		Username:    i.Username(),
	}
	if tag := i.RepoTag(); tag != "" {
		out.RepoTags = []string{tag}
	}
	if uid, ok := i.UID(); ok {
		out.Uid = &runtimeapi.Int64Value{Value: uid}
	}
	return out
}

// PullImage takes an image from the registry of the tab and returns its id. Credentials are asked for by private
// registries only, which take any. Codes are containerd's: NotFound for a tag that does not exist,
// InvalidArgument for a reference that does not parse, else Unknown.
func (r *Runtime) PullImage(ctx context.Context, spec *runtimeapi.ImageSpec, auth *runtimeapi.AuthConfig, _ *runtimeapi.PodSandboxConfig) (string, error) {
	if err := r.enter(); err != nil {
		return "", err
	}
	if err := ctx.Err(); err != nil {
		return "", status.FromContextError(err).Err()
	}
	loggedIn := auth.GetUsername() != "" && auth.GetPassword() != "" || auth.GetAuth() != "" || auth.GetIdentityToken() != "" || auth.GetRegistryToken() != ""
	img, err := r.images.registry.Pull(spec.GetImage(), loggedIn)
	switch {
	case errors.Is(err, image.ErrNotFound):
		return "", status.Error(codes.NotFound, err.Error())
	case errors.Is(err, image.ErrInvalid):
		return "", status.Error(codes.InvalidArgument, err.Error())
	case err != nil:
		return "", status.Error(codes.Unknown, err.Error())
	}
	pulled := &pulledImage{
		Resolved: img, known: r.images.registry.Known(img.Ref), handler: spec.GetRuntimeHandler(), pulled: time.Now(),
	}
	r.images.mu.Lock()
	defer r.images.mu.Unlock()
	r.images.byID[img.ID] = pulled
	_ = r.keepPulled() // on a full disk: it is pulled again after a loss of power
	return img.ID, nil
}

// ListImages implements internalapi.ImageManagerService.
func (r *Runtime) ListImages(_ context.Context, filter *runtimeapi.ImageFilter) ([]*runtimeapi.Image, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	if want := filter.GetImage().GetImage(); want != "" {
		if img, ok := r.images.get(want); ok {
			return []*runtimeapi.Image{img.toCRI()}, nil
		}
		return nil, nil
	}
	var list []*runtimeapi.Image
	for _, img := range r.images.list() {
		list = append(list, img.toCRI())
	}
	return list, nil
}

// ImageStatus implements internalapi.ImageManagerService; an image that is not there is nil.
func (r *Runtime) ImageStatus(_ context.Context, spec *runtimeapi.ImageSpec, verbose bool) (*runtimeapi.ImageStatusResponse, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	img, ok := r.images.get(spec.GetImage())
	if !ok {
		return &runtimeapi.ImageStatusResponse{}, nil
	}
	resp := &runtimeapi.ImageStatusResponse{Image: img.toCRI()}
	if verbose {
		resp.Info = map[string]string{"info": toJSON(map[string]any{"imageSpec": map[string]any{"config": map[string]any{
			"Entrypoint": img.Entrypoint, "Cmd": img.Cmd, "Env": img.Env, "WorkingDir": img.WorkingDir,
			"User": img.User, "ExposedPorts": img.ExposedPorts, "Labels": img.Labels,
		}}, "known": img.known})}
	}
	return resp, nil
}

// RemoveImage forgets an image; containers made from it keep their files. Of one that is not
// there it is no error.
func (r *Runtime) RemoveImage(_ context.Context, spec *runtimeapi.ImageSpec) error {
	if err := r.enter(); err != nil {
		return err
	}
	if img, ok := r.images.get(spec.GetImage()); ok {
		r.images.mu.Lock()
		defer r.images.mu.Unlock()
		delete(r.images.byID, img.ID)
		_ = r.keepPulled() // on a full disk: it is there again after a loss of power
	}
	return nil
}

// ImageFsInfo says what images take (the sum of their sizes: they are kept once, in the tab)
// and what containers take on disk.
func (r *Runtime) ImageFsInfo(context.Context) (*runtimeapi.ImageFsInfoResponse, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	now := time.Now().UnixNano()
	var bytes, files uint64
	for _, img := range r.images.list() {
		bytes += uint64(img.Size)
		files += uint64(len(img.Files) + len(img.Programs))
	}
	var onDisk disk
	for _, c := range r.listContainers("", "", nil) {
		layer, _, err := c.usage.measure(c.rootfs)
		if err != nil {
			return nil, status.Errorf(codes.Unknown, "failed to measure container file systems: %v", err)
		}
		onDisk.bytes += c.usage.base.bytes + layer.bytes
		onDisk.inodes += c.usage.base.inodes + layer.inodes
	}
	return &runtimeapi.ImageFsInfoResponse{
		ImageFilesystems: []*runtimeapi.FilesystemUsage{{
			Timestamp:  now,
			FsId:       &runtimeapi.FilesystemIdentifier{Mountpoint: r.imagesDir()},
			UsedBytes:  &runtimeapi.UInt64Value{Value: bytes},
			InodesUsed: &runtimeapi.UInt64Value{Value: files},
		}},
		ContainerFilesystems: []*runtimeapi.FilesystemUsage{{
			Timestamp:  now,
			FsId:       &runtimeapi.FilesystemIdentifier{Mountpoint: r.imagesDir()},
			UsedBytes:  &runtimeapi.UInt64Value{Value: onDisk.bytes},
			InodesUsed: &runtimeapi.UInt64Value{Value: onDisk.inodes},
		}},
	}, nil
}
