package cri

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	crierrors "k8s.io/cri-api/pkg/errors"

	"github.com/tabernetes/tabernetes/core/program"
)

// mounts turns the kubelet's mounts and the sandbox's files into the file system's, and makes
// the mount points in the root directory.
func (r *Runtime) mounts(c *container) ([]program.Mount, error) {
	mounts, err := r.sharedMounts(c.image)
	if err != nil {
		return nil, status.Errorf(codes.Unknown, "failed to unpack image: %v", err)
	}
	mounts = append(mounts, r.cgroupMount(c), r.sysctlMount(c.sandbox))
	for _, m := range c.config.GetMounts() {
		pm, err := r.mount(c, m)
		if err != nil {
			return nil, err
		}
		mounts = append(mounts, pm)
	}
	for _, name := range sandboxFiles {
		if !slices.ContainsFunc(mounts, func(m program.Mount) bool { return path.Clean(m.Path) == name }) {
			mounts = append(mounts, program.Mount{Path: name, HostPath: filepath.Join(c.sandbox.dir, name)})
		}
	}
	if c.config.GetLinux().GetSecurityContext().GetReadonlyRootfs() {
		// Makes the mount points while the root can still be written.
		if _, err := program.NewFS(c.rootfs, mounts...).Stat("/"); err != nil {
			return nil, status.Errorf(codes.Unknown, "failed to make mount points: %v", err)
		}
		mounts = append(mounts, program.Mount{Path: "/", HostPath: c.rootfs, ReadOnly: true})
	}
	return mounts, nil
}

// sharedMounts are the image's directories that its containers share, unpacked once.
func (r *Runtime) sharedMounts(img *pulledImage) ([]program.Mount, error) {
	if img.SharedID == "" {
		return nil, nil
	}
	dir, err := r.images.shared(img, filepath.Join(r.imagesDir(), "shared"))
	if err != nil {
		return nil, err
	}
	var mounts []program.Mount
	for _, name := range img.Shared {
		mounts = append(mounts, program.Mount{Path: name, HostPath: filepath.Join(dir, name), ReadOnly: true})
	}
	return mounts, nil
}

// mount resolves one of the kubelet's mounts. A host path that is missing becomes a directory,
// as containerd has it.
func (r *Runtime) mount(c *container, m *runtimeapi.Mount) (program.Mount, error) {
	out := program.Mount{
		Path: m.GetContainerPath(), HostPath: m.GetHostPath(), ReadOnly: m.GetReadonly(), Within: r.nodeRoot,
	}
	if m.GetImage().GetImage() != "" {
		dir, err := r.imageVolume(c, m)
		out.HostPath, out.ReadOnly, out.Within = dir, true, ""
		return out, err
	}
	if m.GetRecursiveReadOnly() && !m.GetReadonly() {
		return out, status.Errorf(codes.InvalidArgument, "recursive_read_only of mount %q requires readonly", out.Path)
	}
	real, err := filepath.EvalSymlinks(out.HostPath)
	if os.IsNotExist(err) {
		if err = os.MkdirAll(out.HostPath, 0o755); err == nil {
			real, err = filepath.EvalSymlinks(out.HostPath)
		}
	}
	if err == nil && r.nodeRoot != "" {
		if rel, relErr := filepath.Rel(r.nodeRoot, real); relErr != nil || !filepath.IsLocal(rel) {
			err = fmt.Errorf("%s is outside of the node", real)
		}
	}
	if err != nil {
		return out, status.Errorf(codes.Unknown, "failed to generate container spec: failed to mount %q at %q: %v", m.GetHostPath(), out.Path, err)
	}
	if r.opts.Kind != nil {
		out.Kind = r.opts.Kind(out.HostPath)
	}
	out.HostPath = real
	return out, nil
}

// imageVolume unpacks an image for a volume and gives the directory of its sub-path. The
// kubelet looks for the error's name at the beginning of its text.
func (r *Runtime) imageVolume(c *container, m *runtimeapi.Mount) (string, error) {
	fail := func(err error) (string, error) {
		return "", fmt.Errorf("%w: image %q at %q: %w", crierrors.ErrImageVolumeMountFailed, m.Image.Image, m.ContainerPath, err)
	}
	img, ok := r.images.get(m.Image.Image)
	if !ok {
		return fail(status.Errorf(codes.NotFound, "not found"))
	}
	root := filepath.Join(c.dir, "volumes", strings.ReplaceAll(strings.Trim(m.ContainerPath, "/"), "/", "_"))
	if err := os.MkdirAll(root, 0o755); err != nil {
		return fail(err)
	}
	if err := img.Unpack(root); err != nil {
		return fail(err)
	}
	dir, _, err := program.NewFS(root).Resolve("/" + m.GetImageSubPath())
	if err == nil {
		_, err = os.Stat(dir)
	}
	if err != nil {
		return fail(err)
	}
	return dir, nil
}
