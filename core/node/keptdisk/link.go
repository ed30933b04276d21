package keptdisk

import (
	"path/filepath"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

// inside is the text of the link at name, below root. Programs' links are sealed, and the kubelet's lead
// downwards, to its neighbours ("../pods/…") or to a volume of the node. Any other is somebody else's, or of a
// time before links were sealed, and is sealed now.
func inside(root, name, target string) string {
	if program.LinkIsSealed(target) {
		return target
	}
	if filepath.IsAbs(target) {
		rel, err := filepath.Rel(root, target)
		if err == nil && filepath.IsLocal(rel) && filepath.Clean(target) == target {
			return target
		}
		return program.SealLink(target)
	}
	down := target
	if filepath.Dir(name) != "." {
		down = strings.TrimPrefix(target, "../")
	}
	if program.SealLink(down) != down {
		return program.SealLink(target)
	}
	return target
}
