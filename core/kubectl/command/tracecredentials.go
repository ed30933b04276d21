package command

import (
	"context"
	"errors"
	"path"
	"time"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/tabernetes/tabernetes/core/trace"
)

// Credentials are the details of kubectl.credentials: what a credential plugin gave, and nothing of it.
type Credentials struct {
	Program string `json:"program"`
	// Gave is "token", "certificate" or "token and certificate".
	Gave string `json:"gave,omitempty"`
	// Expires is when it counts no more, as RFC 3339 has it.
	Expires string `json:"expires,omitempty"`
	Error   string `json:"error,omitempty"`
}

// credentials has a context for the plugin's own steps, and tells how it ended.
func (t *tracer) credentials(ctx context.Context, config *clientcmdapi.ExecConfig) (within context.Context, tell func(*credential, error)) {
	if t == nil {
		return ctx, func(*credential, error) {}
	}
	id, begin := t.bus.Reserve(), time.Now()
	return trace.With(ctx, id), func(got *credential, err error) {
		d := &Credentials{Program: programName(config)}
		if err != nil {
			d.Error = trace.Text(err.Error())
			if quoting := (undecoded{}); errors.As(err, &quoting) {
				d.Error = "what it printed is no ExecCredential"
			}
		} else {
			d.Gave = got.kind()
			if !got.expires.IsZero() {
				d.Expires = got.expires.UTC().Format(time.RFC3339)
			}
		}
		t.bus.Add(trace.Step{ID: id, At: begin, Took: time.Since(begin), Kind: credentialed, Component: component, Cause: t.id, Details: d})
	}
}

func (c *credential) kind() string {
	switch {
	case len(c.cert) == 0:
		return "token"
	case c.token == "":
		return "certificate"
	}
	return "token and certificate"
}

// programName is the program, and of kubectl the plugin that it is asked for. No other argument is known to be no secret.
func programName(config *clientcmdapi.ExecConfig) string {
	name := path.Base(config.Command)
	if name == "kubectl" && len(config.Args) > 0 && nameShaped.MatchString(config.Args[0]) {
		name += " " + config.Args[0]
	}
	return trace.Text(name)
}
