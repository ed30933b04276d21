package image

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/distribution/reference"
)

// What is wrong with a reference. Each is wrapped with the reference and the text that
// containerd has for it.
var (
	ErrInvalid  = errors.New("invalid reference format")
	ErrNotFound = errors.New("not found")
	ErrDenied   = errors.New("pull access denied, repository does not exist or may require authorization")
	ErrNoHost   = errors.New("no such host")
)

// Ref is a normalised reference.
type Ref struct {
	// Name is the repository with its registry: docker.io/library/nginx.
	Name string
	// Tag is "latest" if neither tag nor digest was given, and "" if only a digest was.
	Tag string
	// Digest is "sha256:…", or "".
	Digest string
}

// ParseRef normalises a reference as users write it. The error wraps ErrInvalid.
func ParseRef(text string) (Ref, error) {
	named, err := reference.ParseDockerRef(text)
	if err != nil {
		return Ref{}, fmt.Errorf("parse image reference %q: %w: %w", text, ErrInvalid, err)
	}
	ref := Ref{Name: named.Name()}
	if tagged, ok := named.(reference.Tagged); ok {
		ref.Tag = tagged.Tag()
	}
	if digested, ok := named.(reference.Digested); ok {
		ref.Digest = digested.Digest().String()
	}
	return ref, nil
}

// String is the reference in full.
func (r Ref) String() string {
	if r.Digest != "" {
		return r.Name + "@" + r.Digest
	}
	return r.Name + ":" + r.Tag
}

// host is the registry, without its port.
func (r Ref) host() string {
	host, _, _ := strings.Cut(r.Name, "/")
	host, _, _ = strings.Cut(host, ":")
	return host
}

// path is the repository without its registry.
func (r Ref) path() string {
	_, path, _ := strings.Cut(r.Name, "/")
	return path
}

// Private tells whether a registry wants a name and a password, which it says by its own name.
func (r Ref) Private() bool {
	return slices.Contains(strings.Split(strings.ToLower(r.host()), "."), "private")
}

// check applies the rules that hold for every repository; see the package's doc.
func (r Ref) check() error {
	host := strings.ToLower(r.host())
	labels := strings.Split(host, ".")
	top := labels[len(labels)-1]
	reserved := top == "invalid" || len(labels) > 1 && (top == "test" || top == "example")
	if n := len(labels); n > 2 && labels[n-2] == "example" && slices.Contains([]string{"com", "net", "org"}, top) {
		reserved = true
	}
	if reserved || slices.Contains(labels, "invalid") {
		path := strings.TrimPrefix(r.Name, r.host()+"/")
		version := r.Tag
		if r.Digest != "" {
			version = r.Digest
		}
		return fmt.Errorf("failed to do request: Head \"https://%s/v2/%s/manifests/%s\": dial tcp: lookup %s: %w",
			host, path, version, host, ErrNoHost)
	}
	if saysMissing(r.Name) {
		return fmt.Errorf("%w: server message: insufficient_scope: authorization failed", ErrDenied)
	}
	return nil
}
