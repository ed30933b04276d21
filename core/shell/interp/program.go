package interp

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"github.com/tabernetes/tabernetes/core/program"
)

// Exit codes of commands that cannot be run (POSIX, 2.8.2).
const (
	cannotRun = 126
	notFound  = 127
)

// program runs a command that is neither a function nor a builtin.
func (s *Shell) program(args []string) {
	prog, err := s.find(args[0])
	if err != nil {
		status := cannotRun
		text := reason(err)
		if errors.Is(err, fs.ErrNotExist) {
			status, text = notFound, "not found"
			if sentence := instead[args[0]]; sentence != "" {
				text += ": " + sentence
			} else if s.p.Meant != nil {
				if sentence := s.p.Meant(args[0]); sentence != "" {
					text += ". " + sentence
				}
			}
		}
		s.fail(status, "%s: %s", args[0], text)
		return
	}
	s.status = s.start(prog, args)
}

// start runs prog in the foreground and returns its exit code.
func (s *Shell) start(prog program.Program, args []string) int {
	ctx, cancel := context.WithCancelCause(s.plain)
	defer cancel(nil)
	child := s.process(ctx)
	child.Args, child.Env = args, s.environ()
	if w, ok := s.fds[1].w.(pipeWriter); ok {
		child.Stdout = &sigpipe{w, cancel}
	}
	if s.standalone {
		s.standalone = false
		s.signals.quiet() // the process and its signals are the program's now
		return prog(ctx, child)
	}
	signals, ended := s.signals.child()
	child.Signals = signals
	code := s.p.Table.Run(ctx, prog, child)
	ended(code)
	return code
}

// sigpipe ends a program that writes to a pipe whose reader is gone, as the signal would. It is a pointer: who gets it
// may compare it with another stream.
type sigpipe struct {
	io.Writer
	cancel context.CancelCauseFunc
}

func (w *sigpipe) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		w.cancel(program.Killed{Signal: program.SIGPIPE})
	}
	return n, err
}

// find gives the program that a command's name stands for: one that the system has, or a
// script in the file system.
func (s *Shell) find(name string) (program.Program, error) {
	if name == "" {
		return nil, fs.ErrNotExist
	}
	if strings.Contains(name, "/") {
		abs := s.p.Path(name)
		if !path.IsAbs(name) {
			abs = s.abs(name)
		}
		if prog, ok := s.p.Lookup(path.Clean(abs)); ok {
			return prog, nil
		}
		return s.script(abs, name)
	}
	if file, ok := s.inPath(name); ok {
		return s.script(file, file)
	}
	if prog, ok := s.p.Lookup(name); ok {
		return prog, nil
	}
	return nil, fs.ErrNotExist
}

// which gives the path that a command's name stands for.
func (s *Shell) which(name string) (string, bool) {
	if strings.Contains(name, "/") {
		_, err := s.find(name)
		return name, err == nil
	}
	if file, ok := s.inPath(name); ok {
		return file, true
	}
	if _, ok := s.p.Lookup(name); ok && (s.p.Absent == nil || !s.p.Absent(name)) {
		return "/bin/" + name, true
	}
	return "", false
}

// inPath looks for an executable file in PATH. A file of a program that Lookup knows too (an
// image may hold /bin/ls to be seen) does not count.
func (s *Shell) inPath(name string) (string, bool) {
	for dir := range strings.SplitSeq(s.lookup("PATH").String(), ":") {
		if s.ctx.Err() != nil { // there may be a million
			break
		}
		file := s.abs(path.Join(dir, name))
		info, err := s.p.FS.Stat(file)
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			continue
		}
		if _, ok := s.p.Lookup(file); ok {
			return "", false
		}
		if _, err := s.script(file, file); err == nil {
			return file, true
		}
	}
	return "", false
}

// script makes a program of an executable text file, called name: by its #! line, or as a
// shell script.
func (s *Shell) script(file, name string) (program.Program, error) {
	info, err := s.p.FS.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir() || info.Mode()&0o111 == 0:
		return nil, fs.ErrPermission
	}
	f, err := s.p.FS.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 256)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	head = head[:n]
	if strings.IndexByte(string(head), 0) >= 0 {
		return nil, syscall.ENOEXEC
	}
	interpreter := []string{"/bin/sh"}
	if line, ok := strings.CutPrefix(string(head), "#!"); ok {
		line, _, _ = strings.Cut(line, "\n")
		interpreter = strings.SplitN(strings.TrimSpace(line), " ", 2)
	}
	if path.Base(interpreter[0]) == "env" && len(interpreter) > 1 {
		interpreter = strings.Fields(interpreter[1])
	}
	prog, ok := s.p.Lookup(interpreter[0])
	if !ok {
		prog, ok = s.p.Lookup(path.Base(interpreter[0]))
	}
	if !ok || len(interpreter) == 0 {
		return nil, fs.ErrNotExist
	}
	return func(ctx context.Context, p *program.Process) int {
		p.Args = append(append(interpreter, name), p.Args[1:]...)
		return prog(ctx, p)
	}, nil
}

// abs is a path from the shell's working directory.
func (s *Shell) abs(name string) string {
	if path.IsAbs(name) {
		return name
	}
	return path.Join(s.dir, name)
}
