package image

import (
	"fmt"
	"maps"
	"sync"

	"github.com/tabernetes/tabernetes/core/program"
)

// StandInScheme begins the image reference of a container that runs a stand-in: what the tab has in the
// place of an image that it does not have. A pod's status is where everybody can
// read that, for as long as it is so; to the kubelet a reference is any text.
const StandInScheme = "stand-in://"

// Registry is the set of images that can be pulled. Names that are not registered run a stand-in, or are
// not found. Its methods may be called from any
// goroutine.
type Registry struct {
	mu      sync.RWMutex
	images  map[string]*Image   // by full repository name
	defined map[string]struct{} // those of them that Define has added
	unknown *Image              // for all other names; nil: they are refused
}

// NewRegistry returns a registry in which every name that is not registered is refused.
func NewRegistry() *Registry {
	return &Registry{images: map[string]*Image{}, defined: map[string]struct{}{}}
}

// Register adds img, or replaces what its names stood for. Containers that run are not
// touched. The error wraps ErrInvalid.
func (r *Registry) Register(img Image) error {
	names := make([]string, len(img.Names))
	for i, name := range img.Names {
		ref, err := ParseRef(name)
		if err != nil {
			return fmt.Errorf("register image: %w", err)
		}
		names[i] = ref.Name
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		r.images[name] = &img
	}
	return nil
}

// SetUnknown makes img stand for every name that is not registered.
func (r *Registry) SetUnknown(img Image) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unknown = &img
}

// RefuseUnknown makes every name that is not registered fail to be found, as a misspelt one does.
func (r *Registry) RefuseUnknown() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unknown = nil
}

// Known tells whether a repository is registered.
func (r *Registry) Known(ref Ref) bool {
	_, known := r.find(ref.Name)
	return known
}

func (r *Registry) find(name string) (img *Image, known bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if img, ok := r.images[name]; ok {
		return img, true
	}
	if ref := (Ref{Name: name}); ref.Private() {
		for _, prefix := range []string{"docker.io/library/", "docker.io/"} {
			if img, ok := r.images[prefix+ref.path()]; ok {
				return img, true
			}
		}
	}
	return r.unknown, false
}

// Resolve finds what a reference means, for whoever may have it. Errors wrap ErrInvalid, ErrNotFound, ErrDenied or
// ErrNoHost, in containerd's words.
func (r *Registry) Resolve(text string) (*Resolved, error) { return r.Pull(text, true) }

// Pull is Resolve for whoever has a name and a password at the image's registry, or none: what is in a private one is
// then refused with ErrDenied. Which password is right the tab cannot know: any is.
func (r *Registry) Pull(text string, loggedIn bool) (*Resolved, error) {
	ref, err := ParseRef(text)
	if err != nil {
		return nil, err
	}
	img, err := r.resolve(ref)
	if err == nil && ref.Private() && !loggedIn {
		err = fmt.Errorf("%w: authorization failed: no basic auth credentials", ErrDenied)
	}
	if err != nil {
		return nil, fmt.Errorf("failed to pull and unpack image %q: failed to resolve reference %q: %w", ref, ref, err)
	}
	return img, nil
}

func (r *Registry) resolve(ref Ref) (*Resolved, error) {
	if err := ref.check(); err != nil {
		return nil, err
	}
	base, _ := r.find(ref.Name)
	if base == nil {
		return nil, fmt.Errorf("%s: %w: the tab does not have this image, and this cluster has no stand-ins", ref, ErrNotFound)
	}
	if ref.Tag != "" && ref.Digest == "" && !base.Tags.Exists(ref.Tag) {
		return nil, fmt.Errorf("%s: %w", ref, ErrNotFound)
	}
	img := *base
	if img.ForTag != nil {
		tag := ref.Tag
		if tag == "" {
			tag = "latest"
		}
		img.ForTag(tag, &img)
	}
	return newResolved(ref, &img), nil
}

// Program finds a program by what the file that stands for it says.
func (r *Registry) Program(marker Marker) (program.Program, bool) {
	img, _ := r.find(marker.Image)
	if img == nil {
		return nil, false
	}
	prog, ok := img.Programs[marker.Path]
	return prog, ok
}

// Names lists the registered repositories.
func (r *Registry) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	names := make([]string, 0, len(r.images))
	for name := range maps.Keys(r.images) {
		names = append(names, name)
	}
	return names
}
