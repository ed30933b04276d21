package image

import (
	"io/fs"

	"github.com/tabernetes/tabernetes/core/program"
)

// Image is a repository of images: what its tags have in common.
type Image struct {
	// Names are its repository names, such as "nginx" or "registry.k8s.io/pause".
	Names []string
	// Tags says which tags exist. The zero value: all.
	Tags Tags
	// ForTag, if not nil, changes a copy of the image to what it is under tag, such as a
	// version in Env. It must not write to the maps and slices that it finds.
	ForTag func(tag string, img *Image)

	Entrypoint, Cmd []string
	// Env holds KEY=value pairs.
	Env        []string
	WorkingDir string
	// User is "", a name or a uid, optionally with ":group".
	User string
	// ExposedPorts are written like "80/tcp".
	ExposedPorts []string
	// StopSignal is what asks the first process to end; 0 is SIGTERM.
	StopSignal program.Signal
	Labels     map[string]string

	// Files are by absolute path; directories above them need no entry.
	Files map[string]File
	// Programs are by absolute path; in the root directory a small executable file stands
	// for each.
	Programs map[string]program.Program
	// Modes are those of Programs, by path; 0755 where nothing is said. A set-user-ID program runs as
	// root.
	Modes map[string]fs.FileMode
	// Shared are absolute paths of directories, without a trailing slash, that all containers
	// of the image have in common and cannot write: they are unpacked once, and not for each
	// container anew. A directory with a hundred tools is worth it.
	Shared []string
	// Fallback runs as a container's first process if its executable is not in the image.
	// nil: the container fails to start.
	Fallback program.Program
	// Pinned images are not for garbage collection.
	Pinned bool
}

// File is a file of an image. The zero value is an empty file of mode 0644.
type File struct {
	Data []byte
	// Mode has permission bits, and fs.ModeDir for a directory. 0 is 0644, or 0755 for a
	// directory.
	Mode fs.FileMode
	// Link is the target of a symbolic link, if it is one.
	Link string
}

// Text is a File with text as its content.
func Text(text string) File { return File{Data: []byte(text)} }

// Dir is an empty directory.
func Dir(perm fs.FileMode) File { return File{Mode: fs.ModeDir | perm} }

// Link is a symbolic link.
func Link(target string) File { return File{Link: target} }
