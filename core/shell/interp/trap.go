package interp

import (
	"maps"
	"slices"

	"github.com/tabernetes/tabernetes/core/program"
)

// runTraps runs the actions of the signals that have arrived.
func (s *Shell) runTraps() {
	for !s.trapping {
		_, action, ok := s.signals.next()
		if !ok {
			return
		}
		select {
		case <-s.signals.wake:
		default:
		}
		s.runTrap(action)
		if s.exiting {
			return
		}
	}
}

// runTrap runs an action; $? is afterwards what it was, unless it exits.
func (s *Shell) runTrap(action string) {
	if s.trapping {
		return
	}
	status := s.status
	s.trapping = true
	s.eval(action)
	s.trapping = false
	if !s.exiting {
		s.status = status
	}
}

// exitTrap runs the EXIT trap, once.
func (s *Shell) exitTrap() {
	action := s.traps["EXIT"]
	if action == "" {
		return
	}
	delete(s.traps, "EXIT")
	exiting, status := s.exiting, s.status
	s.exiting, s.returning, s.breaks, s.continues = false, false, 0, 0
	s.eval(action)
	if !s.exiting {
		s.status = status
	}
	s.exiting = exiting
}

// trap is the builtin: trap [action] condition…
func trap(s *Shell, args []string) int {
	args = args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 || args[0] == "-p" {
		s.printTraps()
		return 0
	}
	if args[0] == "-l" {
		for sig := program.Signal(1); sig < 32; sig++ {
			s.printf("%2d) %s\n", sig, sig.Name())
		}
		return 0
	}
	action, reset := args[0], args[0] == "-"
	conditions := args[1:]
	if _, isSignal := program.ParseSignal(action); isSignal && len(args) == 1 || len(args) == 1 && action == "EXIT" {
		reset, conditions = true, args // POSIX: trap TERM restores the default
	} else if len(args) == 1 {
		s.errorf("trap: usage: trap [action] condition...")
		return 2
	}
	status := 0
	for _, condition := range conditions {
		sig, isSignal := program.ParseSignal(condition)
		switch {
		case condition == "EXIT" || condition == "ERR" || isSignal && sig == 0:
			if isSignal {
				condition = "EXIT"
			}
			if reset {
				delete(s.traps, condition)
			} else {
				_ = s.kept.Grow(len(action) - len(s.traps[condition]))
				s.traps[condition] = action
			}
		case isSignal:
			s.signals.set(sig, action, !reset)
		default:
			s.errorf("trap: %s: invalid signal specification", condition)
			status = 1
		}
	}
	return status
}

func (s *Shell) printTraps() {
	for _, name := range slices.Sorted(maps.Keys(s.traps)) {
		s.printf("trap -- %s %s\n", quote(s.traps[name]), name)
	}
	actions := s.signals.list()
	for _, sig := range slices.Sorted(maps.Keys(actions)) {
		s.printf("trap -- %s %s\n", quote(actions[sig]), sig.Name())
	}
}
