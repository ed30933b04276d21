package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"
)

// signalBuffer is how many signals a process may leave unread before more are dropped; Linux
// keeps one of each kind.
const signalBuffer = 16

// Table is the process table of one container: it numbers what runs in it, from 1, and sends
// signals. The zero value is not usable; see NewTable.
type Table struct {
	mu      sync.Mutex
	last    int
	entries map[int]*entry
}

type entry struct {
	Info
	process *Process
	signals chan Signal
	kill    context.CancelCauseFunc
}

// Info describes a running process.
type Info struct {
	PID, PPID int
	Args      []string
	Started   time.Time
	TTY       bool
	// UID is whom it runs as, effectively.
	UID int
}

// NewTable returns an empty table.
func NewTable() *Table { return &Table{entries: map[int]*entry{}} }

// Killed is the cancellation cause of a process's context that a signal ended.
type Killed struct{ Signal Signal }

func (k Killed) Error() string { return fmt.Sprintf("killed by signal %d", k.Signal) }

// Run runs prog as a process of the table and returns its exit code; 128 + 9 if it was killed
// by SIGKILL. It sets p.PID, p.Table and, to let the table send signals, p.Signals; what
// arrives on the p.Signals that was there is passed on. A panic of the program is printed on
// its standard error and becomes exit code 134, as of SIGABRT, so that it ends nothing else.
// Without room in p.Cgroup the process does not begin: 126.
func (t *Table) Run(ctx context.Context, prog Program, p *Process) int { return t.Begin(ctx, p)(prog) }

// Begin is the first half of Run: p has its number, and can be sent signals, before its program runs. Whoever begins
// later has a higher one. What it returns is the other half, and has to be called once.
func (t *Table) Begin(ctx context.Context, p *Process) (run func(Program) int) {
	exit, err := p.Cgroup.Fork()
	if err != nil {
		return func(Program) int {
			fmt.Fprintf(p.Stderr, "%s: can't fork: %s\n", p.Args[0], Reason(err))
			return 126
		}
	}
	ctx, kill := context.WithCancelCause(p.Cgroup.Context(ctx))
	e := &entry{process: p, signals: make(chan Signal, signalBuffer), kill: kill}
	e.Info = Info{PPID: p.PID, Args: slices.Clone(p.Args), Started: time.Now(), TTY: p.Terminal != nil, UID: p.credentials().EUID}
	t.mu.Lock()
	t.last++
	e.PID = t.last
	t.entries[e.PID] = e
	t.mu.Unlock()
	outer := p.Signals
	p.PID, p.Table, p.Signals = e.PID, t, e.signals
	return func(prog Program) int {
		defer exit()
		defer kill(nil)
		defer func() {
			t.mu.Lock()
			delete(t.entries, e.PID)
			t.mu.Unlock()
		}()
		if outer != nil {
			done := make(chan struct{})
			defer close(done)
			go func() {
				for {
					select {
					case s := <-outer:
						_ = t.Signal(e.PID, s)
					case <-done:
						return
					}
				}
			}()
		}
		return guarded(ctx, prog, p)
	}
}

// Adopt lists p as a process of the table although it was not started by it: the shell of a
// terminal, which starts all others. Signals sent to it have no effect.
func (t *Table) Adopt(p *Process) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	t.entries[t.last] = &entry{process: p, kill: func(error) {}, Info: Info{
		PID: t.last, Args: slices.Clone(p.Args), Started: time.Now(), TTY: p.Terminal != nil, UID: p.credentials().EUID,
	}}
}

func guarded(ctx context.Context, prog Program, p *Process) (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(p.Stderr, "%s: panic: %v\n%s", p.Args[0], r, debug.Stack())
			code = 128 + 6
		}
	}()
	code = prog(ctx, p)
	if k, ok := errors.AsType[Killed](context.Cause(ctx)); ok {
		return 128 + int(k.Signal)
	}
	return code
}

// Signal sends s to the process pid; 0 only asks whether it exists. SIGKILL cancels its
// context. The error is os.ErrProcessDone if there is no such process, EPERM for a SIGKILL to
// process 1 (from within the container that has no effect on Linux either).
func (t *Table) Signal(pid int, s Signal) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.entries[pid]
	switch {
	case !ok:
		return os.ErrProcessDone
	case s == 0:
	case s == SIGKILL && pid == 1:
		return syscall.EPERM
	case s == SIGKILL:
		e.kill(Killed{s})
	default:
		select {
		case e.signals <- s:
		default:
		}
	}
	return nil
}

// List gives the running processes by number.
func (t *Table) List() []Info {
	t.mu.Lock()
	defer t.mu.Unlock()
	var infos []Info
	for _, e := range t.entries {
		infos = append(infos, e.Info)
	}
	slices.SortFunc(infos, func(a, b Info) int { return a.PID - b.PID })
	return infos
}

func (t *Table) process(pid int) (*Process, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.entries[pid]; ok {
		return e.process, true
	}
	return nil, false
}
