package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/pkg/apis/clientauthentication"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/tabernetes/tabernetes/core/program"
)

// plugins are the exec credential plugins of one command. A kubeconfig names a program, which upstream starts as one of
// the machine (k8s.io/client-go/plugin/pkg/client/auth/exec). Here it is one of the command's own: a tool of its shell,
// or a script in its file system. What the program is told and what may come of it is upstream's.
type plugins struct {
	ctx context.Context
	p   *program.Process
	t   *tracer
	// typed: standard input is the command's manifest, and no plugin's.
	typed bool
	// streams tells whether the command makes connections of its own, which know the TLS configuration and no transport.
	streams func() bool

	mu    sync.Mutex
	known []*plugin
}

// plugin is what one user of a kubeconfig has.
type plugin struct {
	*plugins
	config  *clientcmdapi.ExecConfig
	cluster *clientauthentication.Cluster // nil if the plugin is not told

	mu   sync.Mutex // held while the program runs: once for all who wait for it
	held *credential
}

// credential is what a plugin gave: a token, a key pair, or both.
type credential struct {
	token     string
	cert, key []byte
	expires   time.Time // zero: never
	pair      http.RoundTripper
}

// take has c ask its plugin, if it has one, for each request. below is for beneath all that looks at requests, above for
// above it. A client that says by itself who it is asks no plugin (exec.Authenticator, UpdateTransportConfig).
func (ps *plugins) take(c *rest.Config) (below, above func(http.RoundTripper) http.RoundTripper) {
	same := func(next http.RoundTripper) http.RoundTripper { return next }
	exec, provider := c.ExecProvider, c.AuthProvider
	c.ExecProvider, c.AuthProvider, c.AuthConfigPersister = nil, nil, nil
	if exec == nil && provider == nil {
		return same, same
	}
	if c.BearerToken != "" || c.BearerTokenFile != "" || c.Username != "" || c.CertFile != "" || len(c.CertData) > 0 {
		return same, same
	}
	failing := func(err error) func(http.RoundTripper) http.RoundTripper {
		return func(http.RoundTripper) http.RoundTripper {
			return roundTripper(func(*http.Request) (*http.Response, error) { return nil, err })
		}
	}
	switch {
	case exec == nil:
		return same, failing(noProvider(provider.Name))
	case provider != nil:
		return same, failing(errors.New("execProvider and authProvider cannot be used in combination"))
	}
	pl, err := ps.of(c, exec)
	if err != nil {
		return same, failing(err)
	}
	if ps.streams() {
		got, err := pl.get()
		if err != nil {
			return same, failing(fmt.Errorf("getting credentials: %w", err))
		}
		c.CertData, c.KeyData = got.cert, got.key
		return same, pl.identify
	}
	anonymous := rest.AnonymousClientConfig(c)
	return pl.present(anonymous), pl.identify
}

// noProvider is why an auth-provider, such as client-go's oidc, is not used. kube-scheduler's command brings it into the
// program; whoever the kubeconfig is from would have the process itself read files and dial by it.
func noProvider(name string) error {
	return fmt.Errorf("the auth-provider %q of the kubeconfig's user is not used here: upstream's reads files and dials past this terminal's\n\n"+
		"Give kubectl the token (kubectl config set-credentials NAME --token=TOKEN), or a credential plugin that asks for it (--exec-command)", name)
}

// of is the plugin of a user: one for all clients of the command, so that it runs once.
func (ps *plugins) of(c *rest.Config, exec *clientcmdapi.ExecConfig) (*plugin, error) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for _, pl := range ps.known {
		if reflect.DeepEqual(pl.config, exec) { // a command has one cluster
			return pl, nil
		}
	}
	pl := &plugin{plugins: ps, config: exec}
	if exec.ProvideClusterInfo {
		told := *c
		told.ExecProvider = exec
		cluster, err := rest.ConfigToExecCluster(&told)
		if err != nil {
			return nil, err
		}
		pl.cluster = cluster
	}
	ps.known = append(ps.known, pl)
	return pl, nil
}

// identify says in each request who asks, and forgets what the server does not accept.
func (pl *plugin) identify(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Header.Get("Authorization") != "" {
			return next.RoundTrip(r)
		}
		got, err := pl.get()
		if err != nil {
			return nil, fmt.Errorf("getting credentials: %w", err)
		}
		if got.token != "" {
			r = r.Clone(r.Context())
			r.Header.Set("Authorization", "Bearer "+got.token)
		}
		response, err := next.RoundTrip(r)
		if err == nil && response.StatusCode == http.StatusUnauthorized {
			if err := pl.renew(got); err != nil {
				fmt.Fprintf(pl.p.Stderr, "refreshing credentials: %v\n", err)
			}
		}
		return response, err
	})
}

// present has a request go by a connection that shows the plugin's certificate, if it gave one.
func (pl *plugin) present(c *rest.Config) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			got, err := pl.get()
			if err != nil {
				return nil, fmt.Errorf("getting credentials: %w", err)
			}
			if len(got.cert) == 0 {
				return next.RoundTrip(r)
			}
			pl.mu.Lock()
			if got.pair == nil {
				with := *c
				with.CertData, with.KeyData = got.cert, got.key
				got.pair, err = rest.TransportFor(&with)
			}
			pair := got.pair
			pl.mu.Unlock()
			if err != nil {
				return nil, fmt.Errorf("getting credentials: %w", err)
			}
			return pair.RoundTrip(r)
		})
	}
}

// get is what the plugin gave, as long as that is good.
func (pl *plugin) get() (*credential, error) {
	pl.mu.Lock()
	defer pl.mu.Unlock()
	if pl.held != nil && (pl.held.expires.IsZero() || time.Now().Before(pl.held.expires)) {
		return pl.held, nil
	}
	return pl.ask()
}

// renew runs the plugin again unless somebody has since refused was given.
func (pl *plugin) renew(refused *credential) error {
	pl.mu.Lock()
	defer pl.mu.Unlock()
	if pl.held != refused {
		return nil
	}
	_, err := pl.ask()
	return err
}

// streamingCommands upgrade connections, which know the TLS configuration of their client and not its transport.
var streamingCommands = []string{"exec", "attach", "cp", "port-forward", "run", "debug"}

// streams tells whether a line is of a command that makes such connections.
func streams(root *cobra.Command, args []string) func() bool {
	return func() bool {
		c, _, err := root.Find(args)
		return err == nil && slices.Contains(streamingCommands, c.Name())
	}
}
