package hostpath

import (
	"os"

	securejoin "github.com/cyphar/filepath-securejoin"

	"github.com/tabernetes/tabernetes/core/program"
)

// below is a node's path where it really is: symbolic links are resolved as if root were "/".
func below(root, path string) (string, error) { return securejoin.SecureJoinVFS(root, path, links{}) }

// links reads a node's links, those that programs have made among them.
type links struct{}

func (links) Lstat(name string) (os.FileInfo, error) { return os.Lstat(name) }
func (links) Readlink(name string) (string, error)   { return program.ReadLink(name) }
