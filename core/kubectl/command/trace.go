package command

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/trace"
)

var (
	begun = trace.Declare(trace.Kubectl, "kubectl.command", trace.Place{
		Package: "k8s.io/kubectl/pkg/cmd", Func: "NewKubectlCommand", Text: "PersistentPreRunE: func(cmd *cobra.Command, args []string) error {",
	})
	configured = trace.Declare(trace.Kubectl, "kubectl.config", trace.Place{
		Package: "k8s.io/cli-runtime/pkg/genericclioptions", Func: "ConfigFlags.ToRESTConfig", Text: "c, err := f.ToRawKubeConfigLoader().ClientConfig()",
	})
	discovered = trace.Declare(trace.Kubectl, "kubectl.discovery", trace.Place{
		Package: "k8s.io/client-go/discovery", Func: "DiscoveryClient.GroupsAndMaybeResources", Text: "apiGroups, apiResources, failedApisGVs, aerr := d.downloadAPIs()",
	})
	credentialed = trace.Declare(trace.Kubectl, "kubectl.credentials", trace.Place{
		Package: "k8s.io/client-go/plugin/pkg/client/auth/exec", Func: "Authenticator.refreshCredsLocked", Text: "err = cmd.Run()",
	})
	asked = trace.Declare(trace.Kubectl, "kubectl.request", trace.Place{
		Package: "k8s.io/client-go/rest", Func: "Request.request", Text: "resp, err := client.Do(req)",
	})
	finished = trace.Declare(trace.Kubectl, "kubectl.exit", trace.Place{
		Package: "k8s.io/kubectl/pkg/cmd/util", Func: "CheckErr", Text: "checkErr(err, fatalErrHandler)",
	})
)

// Begun are the details of kubectl.command.
type Begun struct {
	// Line is the command as it was given, without values that could be secrets.
	Line string `json:"line"`
	// Command is upstream's name of it: "kubectl create deployment".
	Command string `json:"command"`
	// Session is the shell whose line it was: one of a page's terminals. Empty if it was no shell's.
	Session string `json:"session,omitempty"`
}

type sessionKey struct{}

// InSession is ctx for the commands of a shell, by the name that whoever opened it has given it.
func InSession(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, sessionKey{}, trace.Text(name))
}

// Asked are the details of kubectl.request and kubectl.discovery.
type Asked struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Query  string `json:"query,omitempty"`
	// Headers are those that say how, never those that say who.
	Headers map[string]string `json:"headers,omitempty"`
	// Bytes is the length of what was sent; -1 if it is not known.
	Bytes int64  `json:"bytes,omitempty"`
	Code  int    `json:"code,omitempty"`
	Error string `json:"error,omitempty"`
	// Of kubectl.discovery, where nothing was asked: Cached is set if what was fetched before was read of its
	// files, Unneeded if nobody wanted to know.
	Cached   bool `json:"cached,omitempty"`
	Unneeded bool `json:"unneeded,omitempty"`
}

// Ended are the details of kubectl.exit.
type Ended struct {
	Code int `json:"code"`
	// Took is how long the whole command did, in milliseconds.
	Took float64 `json:"took"`
}

const component = "kubectl"

// tracer tells of one command; nil if nobody is told.
type tracer struct {
	bus   *trace.Bus
	id    trace.ID
	begin time.Time
	// session is the shell's.
	session string

	mu         sync.Mutex
	configured bool
	discovered bool
	// command, args and line are what was typed, once that is known, and how it is told; sent is set with the
	// first request.
	command *cobra.Command
	args    []string
	line    string
	sent    bool
	// within is set for a plugin that a step of another command started: nothing is told of a command then.
	within bool
	// typed gives a text the paths that were typed.
	typed func(text string) string
}

// startTrace tells that a command begins.
func startTrace(ctx context.Context, bus *trace.Bus) *tracer {
	if bus == nil {
		return nil
	}
	session, _ := ctx.Value(sessionKey{}).(string)
	return &tracer{bus: bus, id: bus.Reserve(), begin: time.Now(), session: session}
}

// name tells what the command is, once upstream's tree is there to say it.
func (t *tracer) name(root *cobra.Command, args []string, typed func(line string) string) {
	if t == nil {
		return
	}
	c, rest := found(root, args)
	d := &Begun{Line: typed(line(c, rest)), Command: c.CommandPath(), Session: t.session}
	t.mu.Lock()
	t.command, t.args, t.line, t.typed = c, args, d.Line, typed
	t.mu.Unlock()
	t.bus.Add(trace.Step{ID: t.id, At: t.begin, Kind: begun, Component: component, Details: d})
}

// found is the command that is meant, with its arguments; the root's, without any, if there is none such:
// upstream is about to say so.
func found(root *cobra.Command, args []string) (c *cobra.Command, rest []string) {
	c, rest, err := root.Find(args)
	if err != nil {
		return root, nil
	}
	return c, rest
}

// plugin tells that the command is a plugin of that name, unless it runs within a step already, and gives the step that
// what it does is of.
func (t *tracer) plugin(name string, within trace.ID) trace.ID {
	switch {
	case t == nil:
		return within
	case within != 0:
		t.mu.Lock()
		t.within = true
		t.mu.Unlock()
		return within
	}
	name = trace.Text(name)
	t.bus.Add(trace.Step{ID: t.id, At: t.begin, Kind: begun, Component: component, Details: &Begun{Line: name, Command: name, Session: t.session}})
	return t.id
}

func (t *tracer) exit(code int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	within := t.within
	t.mu.Unlock()
	if within {
		return
	}
	t.bus.Add(trace.Step{Kind: finished, Component: component, Cause: t.id, Details: &Ended{
		Code: code, Took: float64(time.Since(t.begin).Microseconds()) / 1000,
	}})
}

// wrapper tells of each request of the command, and names the command to the server by an audit ID.
func (t *tracer) wrapper(c *rest.Config, by *choices) func(http.RoundTripper) http.RoundTripper {
	if t == nil {
		return func(next http.RoundTripper) http.RoundTripper { return next }
	}
	t.mu.Lock()
	first := !t.configured
	t.configured = true
	t.mu.Unlock()
	if first {
		t.bus.Add(trace.Step{Kind: configured, Component: component, Cause: t.id, Details: by.configuredBy(c)})
	}
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) { return t.roundTrip(r, next, by) })
	}
}

func credentials(c *rest.Config) string {
	switch {
	case c.ExecProvider != nil:
		return "a program's"
	case c.BearerToken != "" || c.BearerTokenFile != "":
		return "bearer token"
	case c.Username != "":
		return "user name and password"
	case len(c.CertData) > 0 || c.CertFile != "":
		return "client certificate"
	}
	return "none"
}

// told are the headers of a request that a step has.
var told = []string{"Accept", "Content-Type", "User-Agent", "Kubectl-Command"}

func (t *tracer) roundTrip(r *http.Request, next http.RoundTripper, by *choices) (*http.Response, error) {
	begin := time.Now()
	discovery := r.URL.Path == "/api" || r.URL.Path == "/apis" || strings.HasPrefix(r.URL.Path, "/openapi/")
	t.mu.Lock()
	first := !t.discovered
	t.sent, t.discovered = true, true
	command := ""
	if t.command != nil {
		command = t.command.CommandPath()
	}
	t.mu.Unlock()
	if first && !discovery && strings.HasPrefix(r.URL.Path, "/api") {
		cached := by.cached()
		t.bus.Add(trace.Step{At: begin, Kind: discovered, Component: component, Cause: t.id, Details: &Asked{Cached: cached, Unneeded: !cached}})
	}
	if kind, details := brought(r, command); kind != nil {
		t.bus.Add(trace.Step{At: begin, Kind: kind, Component: component, Cause: t.id, Details: details})
	}
	// What comes before the request has a number before it.
	id := t.bus.Reserve()
	sent := r.Clone(r.Context())
	sent.Header.Set("Audit-ID", t.bus.Audit(id))
	response, err := next.RoundTrip(sent)
	d := &Asked{
		Method: r.Method, Path: trace.Text(r.URL.Path), Query: trace.Query(r.URL.Query()), Bytes: r.ContentLength,
		Headers: map[string]string{},
	}
	for _, name := range told {
		if value := r.Header.Get(name); value != "" {
			d.Headers[name] = trace.Text(value)
		}
	}
	if response != nil {
		d.Code = response.StatusCode
		// The answer is upstream's to look at, without an ID that it did not send.
		response.Header.Del("Audit-ID")
	}
	if err != nil {
		d.Error = trace.Text(err.Error())
	}
	kind := asked
	if discovery {
		kind = discovered
	}
	t.bus.Add(trace.Step{ID: id, At: begin, Took: time.Since(begin), Kind: kind, Component: component, Cause: t.id, Details: d})
	return response, err
}
