package interp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxSubstitutes bounds the files of one process's substitutions.
const maxSubstitutes = 1000

// processSubstitution is <(…) among a command's words: the name of a file with what its commands print, there
// until the command ends. bash gives the name of a pipe, which kubectl, that knows files only, could not open;
// here the commands have ended before the file is read.
func (s *Shell) processSubstitution(ps *syntax.ProcSubst) (string, error) {
	file, err := s.substitute()
	if err != nil {
		return "", fmt.Errorf("what %s…) %s has no file: %s", ps.Op, map[bool]string{true: "prints", false: "reads"}[ps.Op == syntax.CmdIn], reason(err))
	}
	s.substitutes = append(s.substitutes, substitute{name: file.Name(), reads: readsLater(ps)})
	defer file.Close()
	if ps.Op == syntax.CmdOut {
		return file.Name(), nil // its commands run when the command has written it: see forget
	}
	sub, end, ok := s.fork()
	if !ok {
		return "", errors.New("<(…) cannot be started")
	}
	defer end()
	sub.fds[1] = stream{w: file}
	sub.guard(func() {
		sub.stmts(ps.Stmts)
		sub.exitTrap()
	})
	return file.Name(), s.ctx.Err()
}

// substitute makes a file that only this process knows.
func (s *Shell) substitute() (program.File, error) {
	for n := range maxSubstitutes {
		name := fmt.Sprintf("/tmp/sh-%d-%d", s.p.PID, n)
		if slices.ContainsFunc(s.substitutes, func(one substitute) bool { return one.name == name }) {
			continue
		}
		file, err := s.process(s.plain).OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
	return nil, fs.ErrExist
}

// substitute is the file of a substitution, or commands that read from a pipe.
type substitute struct {
	name string
	job  *job
	// reads are the commands of >(…), which read what the command has written; nil for <(…).
	reads *syntax.ProcSubst
}

func readsLater(ps *syntax.ProcSubst) *syntax.ProcSubst {
	if ps.Op == syntax.CmdOut {
		return ps
	}
	return nil
}

// forget removes the files of substitutions but for the first n, as their command has ended; those of >(…) are read
// before, by their commands.
func (s *Shell) forget(n int) {
	ended := slices.Clone(s.substitutes[n:])
	for _, one := range ended {
		switch {
		case one.job != nil:
			select {
			case <-one.job.done:
			case <-s.ctx.Done():
			}
		case one.reads != nil && s.ctx.Err() == nil:
			s.readBack(one)
		}
	}
	for _, one := range ended {
		if one.name != "" {
			_ = s.p.FS.Remove(one.name)
		}
	}
	s.substitutes = s.substitutes[:n]
}

// readBack runs the commands of >(…) over what was written for them. The status stays that of the command.
func (s *Shell) readBack(one substitute) {
	file, err := s.process(s.plain).OpenFile(one.name, os.O_RDONLY, 0)
	if err != nil {
		s.errorf("what >(…) reads is gone: %s", reason(err))
		return
	}
	defer file.Close()
	sub, end, ok := s.fork()
	if !ok {
		return
	}
	defer end()
	sub.fds[0] = stream{r: file}
	sub.guard(func() {
		sub.stmts(one.reads.Stmts)
		sub.exitTrap()
	})
}

// toProcess is >(…) as what a redirection writes: a pipe, to commands that run meanwhile. They are waited for when the
// command has ended, so that what they print comes before what comes after it.
func (s *Shell) toProcess(ps *syntax.ProcSubst) (stream, error) {
	_ = s.flight.Grow(2 * pipeSize) // until the command ends
	p, stop := newPipe(s.plain)
	saved := s.fds[0]
	in := stream{r: pipeReader{p}, handle: newHandle(pipeReader{p})}
	s.fds[0] = in
	job := s.launchWith(together(ps), true)
	s.fds[0] = saved
	in.release()
	if job == nil {
		stop()
		return stream{}, errors.New(">(…) cannot be started")
	}
	s.jobs.remove(job) // it is none that fg, jobs or wait know
	s.substitutes = append(s.substitutes, substitute{job: job})
	return stream{w: pipeWriter{p}, handle: newHandle(writeCloser{pipeWriter{p}, stop})}, nil
}

// writeCloser closes a pipe's end and lets go of what would have broken it.
type writeCloser struct {
	pipeWriter
	stop func() bool
}

func (c writeCloser) Close() error {
	c.stop()
	return c.pipeWriter.Close()
}

// letRun has commands of >(…) go on that the shell itself writes to from now on: exec > >(…).
func (s *Shell) letRun() {
	s.substitutes = slices.DeleteFunc(s.substitutes, func(one substitute) bool { return one.job != nil })
}

// fromProcess is <(…) as what a redirection reads: a pipe, from commands that run meanwhile.
func (s *Shell) fromProcess(ps *syntax.ProcSubst) (stream, error) {
	_ = s.flight.Grow(2 * pipeSize) // until the command ends
	p, stop := newPipe(s.plain)
	saved := s.fds[1]
	out := stream{w: pipeWriter{p}, handle: newHandle(pipeWriter{p})}
	s.fds[1] = out
	job := s.launch(together(ps))
	s.fds[1] = saved
	out.release()
	if job == nil {
		stop()
		return stream{}, errors.New("<(…) cannot be started")
	}
	s.jobs.remove(job) // it is none that fg, jobs or wait know
	return stream{r: pipeReader{p}, handle: newHandle(closers{pipeReader{p}, stop})}, nil
}

// together is what <(…) has as one statement.
func together(ps *syntax.ProcSubst) *syntax.Stmt {
	if len(ps.Stmts) == 1 && !ps.Stmts[0].Background {
		return ps.Stmts[0]
	}
	return &syntax.Stmt{Position: ps.Pos(), Cmd: &syntax.Block{Stmts: ps.Stmts}}
}

// closers closes a pipe and lets go of what would have broken it.
type closers struct {
	pipeReader
	stop func() bool
}

func (c closers) Close() error {
	c.stop()
	return c.pipeReader.Close()
}

// onlySubstitution is the <(…) or >(…) that a word consists of, or nil.
func onlySubstitution(word *syntax.Word) *syntax.ProcSubst {
	if word == nil || len(word.Parts) != 1 {
		return nil
	}
	ps, ok := word.Parts[0].(*syntax.ProcSubst)
	if !ok {
		return nil
	}
	return ps
}
