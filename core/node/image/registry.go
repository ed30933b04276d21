package image

import "github.com/tabernetes/tabernetes/core/program"

// Registry is the set of images that can be pulled. Its methods may be called from any goroutine.
type Registry struct{}

// Builtins returns a registry with the images that the tab knows. tools are the shell ("sh")
// and the small tools by name, as core/shell's Tools returns them.
func Builtins(tools map[string]program.Program) *Registry { return &Registry{} }
