package interp

import (
	"context"
	"io"
	"strconv"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/tabernetes/tabernetes/core/program"
)

// job is a command in the background.
type job struct {
	number int // %1
	pid    int
	text   string
	done   chan struct{}
	status int // once done
}

// jobs are those of one shell.
type jobs struct {
	mu   sync.Mutex
	list []*job
}

func (j *jobs) add(text string) *job {
	j.mu.Lock()
	defer j.mu.Unlock()
	made := &job{number: 1, text: text, done: make(chan struct{})}
	for _, one := range j.list {
		select {
		case <-one.done: // its number is free; its status is kept for wait
		default:
			made.number = max(made.number, one.number+1)
		}
	}
	if len(j.list) >= maxJobs {
		for i, one := range j.list {
			select {
			case <-one.done:
				j.list = append(j.list[:i:i], j.list[i+1:]...)
			default:
				continue
			}
			break
		}
	}
	j.list = append(j.list, made)
	return made
}

func (j *jobs) remove(gone *job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i, one := range j.list {
		if one == gone {
			j.list = append(j.list[:i:i], j.list[i+1:]...)
			return
		}
	}
}

func (j *jobs) all() []*job {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]*job(nil), j.list...)
}

// find gives the job that %1, %%, %name or a process number stands for.
func (j *jobs) find(spec string) *job {
	list := j.all()
	rest, isJob := strings.CutPrefix(spec, "%")
	number, err := strconv.Atoi(rest)
	for i := len(list) - 1; i >= 0; i-- {
		one := list[i]
		switch {
		case !isJob:
			if err == nil && one.pid == number {
				return one
			}
		case err == nil && one.number == number,
			rest == "" || rest == "%" || rest == "+",
			err != nil && strings.HasPrefix(one.text, rest):
			return one
		}
	}
	return nil
}

// background starts st as a job.
func (s *Shell) background(st *syntax.Stmt) {
	job := s.launch(st)
	if job == nil {
		return
	}
	s.status = 0
	if s.opts[optInteractive] && !s.subshell {
		fprintf(s.stderr(), "[%d] %d\n", job.number, job.pid)
	}
}

// launch starts st as a process of its own, which is $! then. It is nil if it could not be forked; that has
// been said.
func (s *Shell) launch(st *syntax.Stmt) *job { return s.launchWith(st, false) }

// launchWith is launch; reading says that it reads what the shell reads now.
func (s *Shell) launchWith(st *syntax.Stmt, reading bool) *job {
	own := *st
	own.Background = false
	text := commandText(&own)
	sub := s.clone()
	sub.signals = newSignals()
	for sig, action := range s.signals.list() {
		if action == "" {
			sub.signals.set(sig, "", true)
		}
	}
	if !reading && !s.opts[optMonitor] && !s.opts[optInteractive] {
		sub.fds[0] = stream{r: closedInput{}} // POSIX: /dev/null without job control
	}
	for _, fd := range sub.fds {
		fd.retain()
	}
	_, sub.standalone = own.Cmd.(*syntax.CallExpr)

	job := s.jobs.add(text)
	p := *s.p
	p.Args, p.Signals, p.Terminal, p.Console = strings.Fields(text), nil, nil, nil
	started := make(chan int, 1)
	prog := func(ctx context.Context, p *program.Process) int {
		started <- p.PID
		sub.p = p
		stop := sub.begin(ctx)
		defer stop()
		sub.guard(func() { sub.foreground(&own) })
		sub.exiting = true
		return sub.finish()
	}
	go func() {
		defer close(job.done)
		job.status = s.p.Table.Run(s.base, prog, &p)
		close(started)
		sub.free()
		for _, fd := range sub.fds {
			fd.release()
		}
	}()
	pid, ok := <-started
	if !ok { // it could not be forked, and has said so
		s.jobs.remove(job)
		s.status = 2
		s.exiting = !s.opts[optInteractive] || s.subshell
		return nil
	}
	job.pid = pid
	s.lastJob = job.pid
	return job
}

// closedInput is /dev/null.
type closedInput struct{}

func (closedInput) Read([]byte) (int, error) { return 0, io.EOF }

// ReportJobs prints which jobs have ended since, as before a prompt.
func (s *Shell) ReportJobs() {
	for _, job := range s.jobs.all() {
		select {
		case <-job.done:
			s.jobs.remove(job)
			fprintf(s.stderr(), "[%d]+  %s\t%s\n", job.number, doneText(job.status), job.text)
		default:
		}
	}
}

func doneText(status int) string {
	switch {
	case status == 0:
		return "Done"
	case status > 128:
		return "Terminated"
	}
	return "Done(" + strconv.Itoa(status) + ")"
}

// wait waits for a job; a trapped signal that arrives meanwhile ends the wait.
func (s *Shell) wait(job *job) int {
	select {
	case <-job.done:
		s.jobs.remove(job)
		return job.status
	case <-s.signals.wake:
		return 128 + int(program.SIGTERM)
	case <-s.plain.Done():
		return 128 + int(program.SIGINT)
	}
}

// commandText is a statement on one line.
func commandText(st *syntax.Stmt) string {
	var b strings.Builder
	_ = syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, st)
	return strings.TrimSpace(b.String())
}
