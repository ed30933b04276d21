package kubectl

import (
	"context"
	"errors"
	"io"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/program"
)

// Options is what a terminal needs.
type Options struct {
	// RESTConfig gives the way to the apiserver as the terminal's user: its Host, CA data and
	// client certificate are written to ~/.kube/config. It is asked before each command, so
	// that it may change; a nil result means that there is no apiserver yet.
	RESTConfig func() *rest.Config
	// FS is the terminal's file system, shared by its sessions.
	FS *program.FS
	// Home is the user's home directory in FS; "/root" if empty.
	Home string
	// Net is the network of the small tools (wget, nc); may be nil.
	Net program.Network
	// Hostname is what `hostname` and the prompt say; "tabernetes" if empty.
	Hostname string
}

// Terminal holds sessions by their id.
type Terminal struct {
	opts     Options
	mu       sync.Mutex
	sessions map[string]*Session
}

// New returns a terminal, having made the home directory.
func New(opts Options) (*Terminal, error) {
	if opts.RESTConfig == nil || opts.FS == nil {
		return nil, errors.New("kubectl: Options.RESTConfig and Options.FS are required")
	}
	return &Terminal{opts: opts, sessions: map[string]*Session{}}, nil
}

// Session returns the session named id, making it if need be.
func (t *Terminal) Session(id string) *Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.sessions[id]
	if !ok {
		s = &Session{terminal: t}
		t.sessions[id] = s
	}
	return s
}

// Streams are the standard streams of one line. Terminal and Signals are nil unless a person
// sits at it; a program.SIGINT on Signals ends the foreground commands.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Terminal       program.Terminal
	Signals        <-chan program.Signal
}

// Session is one shell: its variables, functions, aliases, working directory and history. One
// line runs at a time; other sessions are not disturbed.
type Session struct {
	terminal *Terminal
}

// Run runs one line (or a whole script: newlines and here-documents are read as a shell does)
// and returns its exit code; 130 if ctx was cancelled or SIGINT came.
func (s *Session) Run(ctx context.Context, line string, streams Streams) int { return 127 }

// Complete gives the words that may stand at the byte offset cursor of line, each to replace
// line[from:cursor].
func (s *Session) Complete(ctx context.Context, line string, cursor int) (from int, words []string) {
	return cursor, nil
}
