package overlay

import "strings"

// Roots of Entry.Path: a directory of the vendored dependencies, and the Go distribution.
const (
	vendorRoot = "vendor/"
	gorootRoot = "GOROOT/"
)

// Entry is one file that the wasm build sees differently from what lies on disk.
type Entry struct {
	// Path of the file, below "vendor/" or "GOROOT/".
	Path string
	// From is set for a twin or an added file, which upstream does not have at Path: the
	// upstream file that it is copied from, or beside which it was written.
	From string
	// SHA256 lists the accepted hashes (hex) of the upstream file: From if set, else Path.
	SHA256 []string
	// Added says that the content is our own file at _files/<Path>.
	Added bool
	// Edits change the upstream file's text; none for an added file.
	Edits []Edit
	// Missing says what js lacks, or what differs there at run time.
	Missing string
	// Instead says what the build uses.
	Instead string
}

// Edit replaces Old, which must occur exactly once, by New.
type Edit struct{ Old, New string }

// upstream is the path of the file whose hash is checked.
func (e Entry) upstream() string {
	if e.From != "" {
		return e.From
	}
	return e.Path
}

// isNew reports whether upstream must have no file at Path.
func (e Entry) isNew() bool { return e.From != "" }

// first inserts a statement at the head of the function with the given signature.
func first(signature, statement string) Edit {
	old := signature + "\n"
	return Edit{Old: old, New: old + "\t" + strings.ReplaceAll(statement, "\n", "\n\t") + "\n"}
}
