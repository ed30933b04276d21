//go:build !unix

package persist

import "os"

// lockFile does nothing: on js the files are in this program's own memory.
func lockFile(*os.File) error { return nil }
