package image

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Resolved is an image under one reference.
type Resolved struct {
	*Image
	Ref Ref
	// ID is the digest of the configuration: "sha256:…".
	ID string
	// Digest is what the registry knows it by: "sha256:…".
	Digest string
	// Size is the sum of the sizes of its files, in bytes; never 0.
	Size int64
	// SharedID names what lies below Image.Shared: same content, same name. "" if there is
	// nothing.
	SharedID string
}

// RepoDigest is the reference by digest.
func (r *Resolved) RepoDigest() string { return r.Ref.Name + "@" + r.Digest }

// RepoTag is the reference by tag, or "" if it was pulled by digest.
func (r *Resolved) RepoTag() string {
	if r.Ref.Tag == "" || r.Ref.Digest != "" {
		return ""
	}
	return r.Ref.Name + ":" + r.Ref.Tag
}

// UID is the numeric user that the image runs as, if User has one.
func (r *Resolved) UID() (int64, bool) {
	user, _, _ := strings.Cut(r.User, ":")
	uid, err := strconv.ParseInt(user, 10, 64)
	return uid, err == nil
}

// Username is the user's name, if User has one.
func (r *Resolved) Username() string {
	user, _, _ := strings.Cut(r.User, ":")
	if _, ok := r.UID(); ok {
		return ""
	}
	return user
}

func newResolved(ref Ref, img *Image) *Resolved {
	r := &Resolved{Image: img, Ref: ref}
	id, shared := sha256.New(), sha256.New()
	version := ref.Tag
	if ref.Digest != "" {
		version = ref.Digest
	}
	config := json.NewEncoder(id)
	// A fixed type of strings, slices and maps: encoding cannot fail, and maps are sorted.
	_ = config.Encode(struct {
		Name, Version        string
		Entrypoint, Cmd, Env []string
		WorkingDir, User     string
		ExposedPorts         []string
		StopSignal           int
		Labels               map[string]string
	}{
		ref.Name, version, img.Entrypoint, img.Cmd, img.Env, img.WorkingDir, img.User,
		img.ExposedPorts, int(img.StopSignal), img.Labels,
	})
	sum := func(path string) io.Writer {
		if r.shares(path) {
			r.SharedID = "some"
			return io.MultiWriter(id, shared)
		}
		return id
	}
	for _, path := range slices.Sorted(maps.Keys(img.Files)) {
		f := img.Files[path]
		w := sum(path)
		fmt.Fprintf(w, "%s %o %q %d\n", path, f.Mode, f.Link, len(f.Data))
		_, _ = w.Write(f.Data) // a hash never fails
		r.Size += int64(len(f.Data) + len(f.Link))
	}
	for _, path := range slices.Sorted(maps.Keys(img.Programs)) {
		fmt.Fprintf(sum(path), "program %s of %s %o\n", path, ref.Name, img.Modes[path])
		r.Size += int64(len(Marker{Image: ref.Name, Path: path}.Bytes()))
	}
	r.Size = max(r.Size, 1)
	if r.SharedID != "" {
		r.SharedID = hex.EncodeToString(shared.Sum(nil))
	}
	config256 := id.Sum(nil)
	r.ID = "sha256:" + hex.EncodeToString(config256)
	if r.Digest = ref.Digest; r.Digest == "" {
		manifest := sha256.Sum256(append([]byte("manifest\n"), config256...))
		r.Digest = "sha256:" + hex.EncodeToString(manifest[:])
	}
	return r
}
