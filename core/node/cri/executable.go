package cri

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/program"
)

// errNoExecutable is what a shell knows as exit code 127.
var errNoExecutable = errors.New("executable file not found in $PATH")

// maxInterpreters is how often an interpreter may itself be a script (execve(2)).
const maxInterpreters = 5

// executables finds programs in a container's file system.
type executables struct {
	fs     *program.FS
	env    []string
	dir    string
	images *image.Registry
}

// find looks a program up. The error wraps errNoExecutable, fs.ErrNotExist, fs.ErrPermission or
// syscall.ENOEXEC.
func (x *executables) find(name string) (program.Program, error) {
	file, err := x.locate(name)
	if err != nil {
		return nil, err
	}
	return x.load(file, 0)
}

// locate looks name up in PATH, or takes it as a path if it has a slash.
func (x *executables) locate(name string) (file string, err error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	p := program.Process{Env: x.env}
	for dir := range strings.SplitSeq(p.Getenv("PATH"), ":") {
		file := path.Join(x.absolute(dir), name)
		if info, err := x.fs.Stat(file); err == nil && info.Mode().IsRegular() && x.fs.Access(file, 1) == nil {
			return file, nil
		}
	}
	return "", errNoExecutable
}

func (x *executables) absolute(name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return path.Join(x.dir, name)
}

// load makes a program of a file: one that the tab brings, or a script.
func (x *executables) load(name string, depth int) (program.Program, error) {
	file := x.absolute(name)
	info, err := x.fs.Stat(file)
	switch {
	case err != nil:
		return nil, fmt.Errorf("stat %s: %w", name, unwrapPath(err))
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a directory: %w", name, fs.ErrPermission)
	case x.fs.Access(file, 1) != nil:
		return nil, fs.ErrPermission
	case depth > maxInterpreters:
		return nil, syscall.ELOOP
	}
	f, err := x.fs.As(program.Credentials{}).Open(file) // what may be run need not be readable
	if err != nil {
		return nil, unwrapPath(err)
	}
	defer f.Close()
	head := make([]byte, image.MarkerSize)
	n, _ := f.Read(head) // an empty file reads as io.EOF, and is no program
	head = head[:n]
	if marker, ok := image.ParseMarker(head); ok {
		prog, ok := x.images.Program(marker)
		if !ok {
			return nil, fmt.Errorf("%s of image %s is gone from the tab: %w", marker.Path, marker.Image, syscall.ENOEXEC)
		}
		attrs := program.AttributesOf(info)
		if attrs.Mode&(fs.ModeSetuid|fs.ModeSetgid) == 0 {
			return prog, nil
		}
		return func(ctx context.Context, p *program.Process) int {
			return prog(ctx, p.As(p.FS.Credentials().Exec(attrs)))
		}, nil
	}
	line, ok := strings.CutPrefix(string(head), "#!")
	if !ok {
		return nil, syscall.ENOEXEC
	}
	line, _, _ = strings.Cut(line, "\n")
	interpreter, option, _ := strings.Cut(strings.TrimSpace(line), " ")
	run, err := x.load(interpreter, depth+1)
	if err != nil {
		return nil, fmt.Errorf("interpreter %s: %w", interpreter, err)
	}
	return func(ctx context.Context, p *program.Process) int {
		args := []string{interpreter}
		if option = strings.TrimSpace(option); option != "" {
			args = append(args, option)
		}
		args = append(append(args, file), p.Args[1:]...)
		return run(ctx, p.Child(args...))
	}, nil
}

// lookup is program.Process.Lookup: what exists but does not run becomes a program that says
// why, as a shell would.
func (x *executables) lookup(name string) (program.Program, bool) {
	file, err := x.locate(name)
	if err != nil {
		return nil, false
	}
	prog, err := x.load(file, 0)
	switch {
	case err == nil:
		return prog, true
	case errors.Is(err, fs.ErrNotExist):
		return nil, false
	case errors.Is(err, syscall.ENOEXEC):
		// POSIX: what execve refuses so, a shell runs as a script of its own.
		if sh, err := x.find("sh"); err == nil {
			return func(ctx context.Context, p *program.Process) int {
				return sh(ctx, p.Child(append([]string{"sh", x.absolute(file)}, p.Args[1:]...)...))
			}, true
		}
	}
	return func(_ context.Context, p *program.Process) int {
		text := program.Reason(err)
		if errors.Is(err, syscall.ENOEXEC) {
			text = "Exec format error"
		}
		fmt.Fprintf(p.Stderr, "sh: %s: %s\n", name, text)
		return 126
	}, true
}

// startError is err as the reason why a process could not be started, in runc's words.
func startError(name string, err error) error {
	return fmt.Errorf("unable to start container process: exec: %q: %w", name, reason(err))
}

func reason(err error) error {
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return errors.New("exec format error")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("permission denied")
	}
	return err
}

// missing is fs.ErrNotExist in Linux's words: the text differs between operating systems.
type missing struct{}

func (missing) Error() string        { return "no such file or directory" }
func (missing) Is(target error) bool { return target == fs.ErrNotExist }

// unwrapPath strips the path from an error of the file system.
func unwrapPath(err error) error {
	var pe *fs.PathError
	if errors.Is(err, fs.ErrNotExist) {
		return missing{}
	}
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
