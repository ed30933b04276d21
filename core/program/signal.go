package program

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
)

// The other signals that scripts name.
const (
	SIGABRT  Signal = 6
	SIGUSR1  Signal = 10
	SIGUSR2  Signal = 12
	SIGPIPE  Signal = 13
	SIGALRM  Signal = 14
	SIGCHLD  Signal = 17
	SIGCONT  Signal = 18
	SIGSTOP  Signal = 19
	SIGTSTP  Signal = 20
	SIGWINCH Signal = 28
)

var signalNames = map[Signal]string{
	SIGHUP: "HUP", SIGINT: "INT", SIGQUIT: "QUIT", SIGABRT: "ABRT", SIGKILL: "KILL",
	SIGUSR1: "USR1", SIGUSR2: "USR2", SIGPIPE: "PIPE", SIGALRM: "ALRM", SIGTERM: "TERM",
	SIGCHLD: "CHLD", SIGCONT: "CONT", SIGSTOP: "STOP", SIGTSTP: "TSTP", SIGWINCH: "WINCH",
}

// Name is the signal's name without SIG, or its number.
func (s Signal) Name() string {
	if name, ok := signalNames[s]; ok {
		return name
	}
	return strconv.Itoa(int(s))
}

// ParseSignal reads "15", "TERM" or "SIGTERM", in any case.
func ParseSignal(text string) (Signal, bool) {
	if n, err := strconv.Atoi(text); err == nil {
		return Signal(n), n >= 0 && n <= 64
	}
	text = strings.TrimPrefix(strings.ToUpper(text), "SIG")
	for s, name := range signalNames {
		if name == text {
			return s, true
		}
	}
	return 0, false
}

// Ends tells whether a process that does not handle s is ended by it (signal(7)).
func (s Signal) Ends() bool {
	switch s {
	case SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGWINCH:
		return false
	}
	return true
}

// DefaultSignals gives a program that does not read p.Signals the signals' default
// disposition: what ends a process cancels its context, and its exit code becomes 128 + the
// signal; except in process 1, which Linux protects from signals that it does not handle.
func DefaultSignals(prog Program) Program {
	return func(ctx context.Context, p *Process) int {
		if p.Signals == nil || p.PID == 1 {
			return prog(ctx, p)
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		if _, isFile := p.Stdin.(io.Seeker); p.Stdin != nil && !isFile {
			p.Stdin = NewInput(p.Stdin).Reader(ctx)
		}
		done := make(chan struct{})
		defer close(done)
		go func() {
			for {
				select {
				case s := <-p.Signals:
					if s.Ends() {
						cancel(Killed{s})
						return
					}
				case <-done:
					return
				}
			}
		}()
		code := prog(ctx, p)
		if k, ok := errors.AsType[Killed](context.Cause(ctx)); ok {
			return 128 + int(k.Signal)
		}
		return code
	}
}
