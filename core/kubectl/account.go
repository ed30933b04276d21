package kubectl

import (
	"fmt"

	"github.com/tabernetes/tabernetes/core/program"
)

// Limits of what terminals hold. They are the owner's, not a stranger's, but a slip of the owner
// (`while :; do a=$a$a; done`) would end the cluster as well.
var (
	// SessionLimits are those of one session, which are a container's (core/node/cri,
	// DefaultLimits) for the same reason: what is held may be gone through in one step.
	SessionLimits = program.Limits{Memory: 64 << 20, Pids: 256, Files: 1024}
	// terminalMemory is what all sessions hold together, in bytes; beyond, the largest ends.
	terminalMemory int64 = 256 << 20
)

// account gives a shell that begins what it may draw from, and makes s end when that is used up.
// s.mu is held.
func (s *Session) account() {
	s.cgroup.Close() // what the last shell leaves is on its way out
	s.exceeded = false
	var own *program.Cgroup
	own = program.NewCgroup(s.terminal.cgroup, SessionLimits, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.cgroup != own {
			return
		}
		s.exceeded = true
		if s.stopLine != nil {
			s.stopLine() // at once: the shell goes on until its context ends
		}
		s.end()
	})
	s.cgroup = own
}

// outOfMemory tells whether the session's shell was ended for its memory.
func (s *Session) outOfMemory() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.exceeded
}

// outgrown says what happened to a shell that was ended for its memory, and what now.
func outgrown() string {
	return fmt.Sprintf("sh: out of memory: the shell of a terminal may hold %d MiB, all of them %d MiB. "+
		"This one has ended, with its variables, functions and jobs, and a new one begins.\n",
		SessionLimits.Memory>>20, terminalMemory>>20)
}
