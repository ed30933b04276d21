package kubectl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/kubectl/command"
	"github.com/tabernetes/tabernetes/core/kubectl/oidclogin"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell"
	"github.com/tabernetes/tabernetes/core/trace"
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
	// Trace is told what kubectl does; nil for nobody.
	Trace *trace.Bus
	// Before is called before a kubectl runs, with what follows its name; nil for nobody.
	Before func(args []string)
	// Nodes are those that `minikube node` handles; nil where there are none.
	Nodes Nodes
	// Hostname is what `hostname` and the prompt say; "tabernetes" if empty.
	Hostname string
}

// Terminal holds sessions by their id.
type Terminal struct {
	opts     Options
	programs map[string]program.Program
	cgroup   *program.Cgroup // of all sessions

	mu       sync.Mutex
	sessions map[string]*Session
	written  []byte // ~/.kube/config as it was written last
}

// New returns a terminal, having made the home directory.
func New(opts Options) (*Terminal, error) {
	if opts.RESTConfig == nil || opts.FS == nil {
		return nil, errors.New("kubectl: Options.RESTConfig and Options.FS are required")
	}
	opts.Home = cmp.Or(opts.Home, "/root")
	opts.Hostname = cmp.Or(opts.Hostname, "tabernetes")
	for _, dir := range []string{opts.Home, "/tmp"} {
		if err := opts.FS.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("make the terminal's directories: %w", err)
		}
	}
	t := &Terminal{
		opts: opts, programs: shell.Tools(), sessions: map[string]*Session{},
		cgroup: program.NewCgroup(nil, program.Limits{Memory: terminalMemory}, nil),
	}
	upstream := command.New(command.Options{
		Kubeconfig: t.kubeconfigPath(),
		CacheDir:   path.Join(opts.Home, ".kube", "cache"),
		Trace:      opts.Trace,
	})
	kubectl := func(ctx context.Context, p *program.Process) int {
		if err := t.ensureKubeconfig(); err != nil {
			fmt.Fprintf(p.Stderr, "error: %v\n", err)
			return 1
		}
		if t.opts.Before != nil {
			t.opts.Before(p.Args[1:])
		}
		if p.Terminal == nil {
			return upstream(ctx, p)
		}
		said := &listening{w: p.Stderr}
		child := p.Child(p.Args...)
		child.Stderr = said
		code := upstream(ctx, child)
		sentence := note(string(said.kept))
		if code != 0 {
			sentence = hint(p.Args[1:], string(said.kept))
		}
		if sentence != "" {
			fmt.Fprintln(p.Stderr, oneALine(sentence))
		}
		return code
	}
	t.programs["kubectl"] = program.DefaultSignals(kubectl)
	for _, name := range []string{"vi", "vim", "nano", "edit"} {
		t.programs[name] = program.DefaultSignals(edit)
	}
	t.programs["sudo"], t.programs["bash"] = sudo, t.programs["sh"]
	for name := range notHere {
		t.programs[name] = absent(name)
	}
	t.programs["kubectl-oidc_login"] = program.DefaultSignals(oidclogin.New(opts.Trace))
	t.programs["minikube"], t.programs["cel"] = t.minikube, program.DefaultSignals(celTool)
	for _, name := range []string{"complete", "compopt"} {
		t.programs[name] = completes
	}
	return t, nil
}

// maxSessions is how many sessions a terminal keeps. Each is a shell with its variables and jobs,
// and whoever embeds the page names them.
const maxSessions = 64

// Session returns the session named id, making it if need be. When there are too many, it is one
// that is not kept and says so to whoever runs something in it.
func (t *Terminal) Session(id string) *Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.sessions[id]
	if ok {
		return s
	}
	if len(t.sessions) >= maxSessions {
		return &Session{terminal: t, refused: true}
	}
	s = &Session{terminal: t, name: id}
	s.begin()
	t.sessions[id] = s
	return s
}

// Close ends the session named id: the line that runs, the jobs in the background and what they
// hold. The name may be used again, for a new shell. A name that is not known is no error.
func (t *Terminal) Close(id string) {
	t.mu.Lock()
	s := t.sessions[id]
	delete(t.sessions, id)
	t.mu.Unlock()
	if s != nil {
		s.close()
	}
}

// CloseAll ends every session: whoever had them is gone. It does not wait for them.
func (t *Terminal) CloseAll() {
	t.mu.Lock()
	gone := t.sessions
	t.sessions = map[string]*Session{}
	t.mu.Unlock()
	for _, s := range gone {
		go s.close()
	}
}

// lookup finds a program by its name, or by its path where programs usually are.
func (t *Terminal) lookup(name string) (program.Program, bool) {
	if dir, base := path.Split(name); dir != "" {
		if !strings.Contains(" /bin/ /usr/bin/ /usr/local/bin/ /sbin/ /usr/sbin/ ", " "+dir+" ") {
			return nil, false
		}
		name = base
	}
	prog, ok := t.programs[name]
	return prog, ok
}
