package interp

import (
	"errors"
	"strconv"
	"strings"
	"syscall"

	"github.com/tabernetes/tabernetes/core/program"
)

func kill(s *Shell, args []string) int {
	sig := program.SIGTERM
	args = args[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		name := args[0][1:]
		args = args[1:]
		switch name {
		case "l", "L":
			for n := program.Signal(1); n < 32; n++ {
				s.printf("%2d) %s\n", n, n.Name())
			}
			return 0
		case "-":
			continue
		case "s", "n":
			if len(args) == 0 {
				s.errorf("kill: -%s: argument expected", name)
				return 2
			}
			name, args = args[0], args[1:]
		}
		var ok bool
		if sig, ok = program.ParseSignal(name); !ok {
			s.errorf("kill: bad signal name '%s'", name)
			return 1
		}
	}
	if len(args) == 0 {
		s.errorf("kill: you need to specify whom to kill")
		return 1
	}
	status := 0
	for _, arg := range args {
		pid, err := strconv.Atoi(arg)
		if job := s.jobs.find(arg); job != nil {
			pid, err = job.pid, nil
		}
		if err != nil {
			s.errorf("kill: invalid number '%s'", arg)
			status = 1
			continue
		}
		if err := s.p.Table.Signal(pid, sig); err != nil {
			what := reason(err)
			if !errors.Is(err, syscall.EPERM) {
				what = "No such process"
			}
			s.errorf("kill: can't kill pid %d: %s", pid, what)
			status = 1
		}
	}
	return status
}

func listJobs(s *Shell, args []string) int {
	for _, job := range s.jobs.all() {
		state := "Running"
		select {
		case <-job.done:
			state = doneText(job.status)
			s.jobs.remove(job)
		default:
		}
		if len(args) > 1 && args[1] == "-p" {
			s.printf("%d\n", job.pid)
		} else {
			s.printf("[%d]+  %s\t%s\n", job.number, state, job.text)
		}
	}
	return 0
}

func fg(s *Shell, args []string) int {
	spec := "%%"
	if len(args) > 1 {
		spec = args[1]
	}
	job := s.jobs.find(spec)
	if job == nil {
		s.errorf("%s: no such job", args[0])
		return 2
	}
	s.printf("%s\n", job.text)
	signals, ended := s.signals.child()
	defer func() { ended(s.status) }()
	for {
		select {
		case sig := <-signals:
			_ = s.p.Table.Signal(job.pid, sig)
		case <-job.done:
			s.jobs.remove(job)
			return job.status
		case <-s.plain.Done():
			return 128 + int(program.SIGINT)
		}
	}
}

func bg(s *Shell, args []string) int {
	if s.jobs.find("%%") == nil {
		s.errorf("bg: no current job")
		return 2
	}
	return 0 // no job can be stopped, so all of them run
}

func wait(s *Shell, args []string) int {
	if len(args) == 1 {
		for _, job := range s.jobs.all() {
			s.wait(job)
			if s.ctx.Err() != nil || s.signals.due() {
				return 128 + int(program.SIGTERM)
			}
		}
		return 0
	}
	status := 0
	for _, spec := range args[1:] {
		job := s.jobs.find(spec)
		if job == nil {
			s.errorf("wait: pid %s is not a child of this shell", spec)
			status = notFound
			continue
		}
		status = s.wait(job)
	}
	return status
}
