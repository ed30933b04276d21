package program

import (
	"context"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// Program runs to completion and returns its exit code, as main does. It returns soon after
// ctx is done (SIGKILL); a Signal on Process.Signals asks it to end by itself first (SIGTERM).
// A program never spins without reaching a yielding point: js/wasm has no preemption (see Yield).
type Program func(ctx context.Context, p *Process) int

// Signal is a POSIX signal by number: 15 is SIGTERM, 2 is SIGINT.
type Signal int

// The signals that a runtime or a terminal sends.
const (
	SIGHUP  Signal = 1
	SIGINT  Signal = 2
	SIGQUIT Signal = 3
	SIGKILL Signal = 9
	SIGTERM Signal = 15
)

// Process is everything that a running program sees of the world.
type Process struct {
	// Args is argv: Args[0] is the name by which the program was called.
	Args []string
	// Env holds KEY=value pairs.
	Env []string
	// Dir is the absolute working directory, in FS.
	Dir string

	Stdin          io.Reader
	Stdout, Stderr io.Writer

	FS       *FS
	Net      Network
	Hostname string

	// Terminal is nil unless the standard streams are a terminal.
	Terminal Terminal
	// Console is the terminal that standard output is, with the keys that are typed there, even where
	// standard input is a pipe (`kubectl get pods | less`); nil where standard output is none.
	Console *Console
	// Signals delivers what was sent to this process; nil if nothing can be sent.
	Signals <-chan Signal
	// Lookup finds a program by name or absolute path, as the PATH does.
	Lookup func(name string) (Program, bool)
	// Absent says that what Lookup finds under a name only tells why the program is not here; nil if
	// nothing does.
	Absent func(name string) bool
	// Meant says in a sentence which program somebody may have meant by a name that Lookup does not find, "" if none is like
	// it; nil if nobody is told.
	Meant func(name string) string
	// Programs are the names that Lookup finds and people may want to know; empty if nobody says.
	Programs []string

	// PID is the process's number in its container: 1 is its first process, which the signals
	// that it does not handle leave alone; 0 is a process outside any Table.
	PID int
	// Table holds the container's processes; nil if nobody keeps one.
	Table *Table
	// OnWait is called by Waits; nil if nobody wants to know.
	OnWait func()
	// Cgroup is drawn from for what the process holds (see Memory); nil has no limits.
	Cgroup *Cgroup
}

// Terminal is the terminal behind the standard streams.
type Terminal interface {
	// Size is the window size in character cells.
	Size() (cols, rows int)
	// Raw switches between keystrokes one by one (true) and whole edited lines (false).
	Raw(on bool)
	// Resized is signalled (never closed) after the window changed its size.
	Resized() <-chan struct{}
}

// Console is a terminal with its keyboard.
type Console struct {
	Terminal
	Keys io.Reader
}

// Child returns a copy of p that runs args, with everything else inherited.
func (p *Process) Child(args ...string) *Process {
	c := *p
	c.Args = args
	return &c
}

// Waits tells that p, or what it has started, has come to where it waits for time or for a signal. What listens
// need not tell: its network knows.
func (p *Process) Waits() {
	if p.OnWait != nil {
		p.OnWait()
	}
}

// Getenv gives the value of the last entry for key in Env, or "".
func (p *Process) Getenv(key string) string {
	for _, kv := range slices.Backward(p.Env) {
		if k, v, ok := strings.Cut(kv, "="); ok && k == key {
			return v
		}
	}
	return ""
}

// Path makes name absolute, as seen from the working directory. A trailing slash is kept,
// and ".." too: what it means is up to the links before it.
func (p *Process) Path(name string) string {
	if strings.HasPrefix(name, "/") || name == "" {
		return name
	}
	return strings.TrimSuffix(p.Dir, "/") + "/" + name
}

// Open opens a file for reading; see OpenFile.
func (p *Process) Open(name string) (File, error) { return p.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile opens a file, as seen from the working directory. The names of the standard
// streams (/dev/stdin, /dev/fd/1, /proc/self/fd/2, /proc/1/fd/1 …) give these.
func (p *Process) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	if name == "" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
	}
	abs := p.Path(name)
	target := abs
	if at, err := p.FS.RealPath(abs); err == nil {
		target = at // /var/log/nginx/access.log is a link to /dev/stdout in many images
	}
	if s, ok := p.stream(target); ok {
		s.name = name
		return s, nil
	}
	if made, ok := p.procFile(target); ok && flag&(os.O_WRONLY|os.O_RDWR) == 0 {
		made.name = name
		return made, nil
	}
	file, err := p.FS.OpenFile(abs, flag, perm)
	return file, pathError("open", name, err)
}
