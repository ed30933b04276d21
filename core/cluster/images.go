package cluster

import (
	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/shell"
)

// DefineImage adds an image to what in-tab nodes can pull, or gives one that was defined before its new program:
// for containers that start from now on. With it come the shell and its tools, for kubectl exec.
func (c *Cluster) DefineImage(d image.Definition) error {
	return c.config.Images.Define(d, shell.Tools())
}
