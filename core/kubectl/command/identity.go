package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/kubectl/prompt"
	"github.com/tabernetes/tabernetes/core/program"
)

// identity is a name and a password that are asked for where a kubeconfig's user has nothing to be known by, once for a
// command. Upstream asks on the streams of the process (k8s.io/client-go/tools/clientcmd, PromptingAuthLoader); here it is
// the command's own terminal.
type identity struct {
	ctx context.Context
	p   *program.Process
	// typed: standard input is the command's manifest, and nobody's answer.
	typed bool
	// flag is --password.
	flag *string

	once           sync.Once
	name, password string
	err            error
}

// take has c be of whoever answers. Over a connection without TLS nobody is asked, as upstream has it.
func (i *identity) take(c *rest.Config) {
	if *i.flag != "" {
		c.Password = *i.flag
	}
	known := c.Username != "" || c.BearerToken != "" || c.BearerTokenFile != "" || c.CertFile != "" || len(c.CertData) > 0 ||
		c.ExecProvider != nil || c.AuthProvider != nil
	if known || !rest.IsConfigTransportTLS(*c) {
		return
	}
	i.once.Do(i.ask)
	if i.err != nil {
		c.Wrap(func(http.RoundTripper) http.RoundTripper {
			return roundTripper(func(*http.Request) (*http.Response, error) { return nil, i.err })
		})
		return
	}
	c.Username = i.name
	if *i.flag == "" {
		c.Password = i.password
	}
}

func (i *identity) ask() {
	p := i.p
	if i.typed {
		p = p.Child(p.Args...)
		p.Terminal = nil
	}
	if i.name, i.err = prompt.Line(i.ctx, p, i.p.Stdout, "Please enter Username: ", false); i.err == nil {
		i.password, i.err = prompt.Line(i.ctx, p, i.p.Stdout, "Please enter Password: ", true)
	}
	if errors.Is(i.err, prompt.ErrNobody) {
		i.err = fmt.Errorf("the kubeconfig's user has no credentials, and %w\n\nGive it some: kubectl config set-credentials NAME --token=TOKEN, or --client-certificate=FILE --client-key=FILE", i.err)
	}
}
