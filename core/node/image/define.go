package image

import (
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

// Definition is an image that somebody adds to a cluster that runs.
type Definition struct {
	// Name is a repository's, without a tag: any tag of it exists.
	Name string
	// Env holds KEY=value pairs.
	Env []string
	// Ports are said to be exposed.
	Ports []int
	// Main is what its containers run.
	Main program.Program
}

// MainPath is where a defined image has its program.
const MainPath = "/app"

const (
	// maxDefined is how many images there may be that were defined.
	maxDefined = 256
	maxEnv     = 100
	maxEnvText = 4096
	maxPorts   = 16
)

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// Define adds an image, or gives one that was defined before its new program: for containers that start from now on.
// Images that the tab has of its own cannot be replaced, as its own parts run some. tools are as for Builtins.
func (r *Registry) Define(d Definition, tools map[string]program.Program) error {
	ref, err := ParseRef(d.Name)
	if err != nil {
		return err
	}
	if ref.Digest != "" || strings.HasSuffix(d.Name, ":"+ref.Tag) {
		return fmt.Errorf("%q is defined for all tags: leave out tag and digest", d.Name)
	}
	if err := ref.check(); err != nil {
		return fmt.Errorf("%q cannot be pulled: %w", d.Name, err)
	}
	if len(d.Ports) > maxPorts {
		return fmt.Errorf("%d ports; %d are possible", len(d.Ports), maxPorts)
	}
	img := Image{
		Names: []string{d.Name}, Entrypoint: []string{MainPath}, Env: []string{defaultPath},
		Files:    base("NAME=\"" + ref.Name + "\"\nID=tabernetes\nPRETTY_NAME=\"An image that a page has defined\"\n"),
		Programs: map[string]program.Program{MainPath: d.Main},
	}
	for i, port := range d.Ports {
		if port < 1 || port > 65535 {
			return fmt.Errorf("%d is no port", port)
		}
		img.ExposedPorts = append(img.ExposedPorts, fmt.Sprintf("%d/tcp", d.Ports[i]))
	}
	if len(d.Env) > maxEnv {
		return fmt.Errorf("%d variables; %d are possible", len(d.Env), maxEnv)
	}
	for _, v := range d.Env {
		if !envName.MatchString(v) || len(v) > maxEnvText || strings.ContainsRune(v, 0) {
			return fmt.Errorf("%.100q is no variable: NAME=value, of letters, digits and _, %d bytes at most", v, maxEnvText)
		}
		img.Env = append(img.Env, v)
	}
	img = userland(img, "/bin/busybox", maps.Clone(tools))
	r.mu.Lock()
	defer r.mu.Unlock()
	_, again := r.defined[ref.Name]
	if _, own := r.images[ref.Name]; own && !again {
		return fmt.Errorf("the tab has an image %s of its own: choose another name", ref.Name)
	}
	if !again && len(r.defined) >= maxDefined {
		return fmt.Errorf("%d images are defined, and more are not possible", maxDefined)
	}
	r.defined[ref.Name] = struct{}{}
	r.images[ref.Name] = &img
	return nil
}
