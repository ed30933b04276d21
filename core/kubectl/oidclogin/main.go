package oidclogin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientauthentication "k8s.io/client-go/pkg/apis/clientauthentication/v1"
	"k8s.io/client-go/pkg/apis/clientauthentication/v1beta1"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// usage is what whoever asks for nothing is told.
const usage = `Log in at an OpenID Connect issuer, and give kubectl the token. (kubelogin's flags)

  kubectl config set-credentials oidc --exec-api-version=client.authentication.k8s.io/v1 \
    --exec-command=kubectl --exec-arg=oidc-login --exec-arg=get-token \
    --exec-arg=--oidc-issuer-url=ISSUER --exec-arg=--oidc-client-id=CLIENT
  kubectl --user=oidc get pods

Commands:
  get-token   log in, unless a token is kept, and print an ExecCredential
  clean       forget the tokens that are kept
`

// New is the program; bus is told of the handshake's steps, nil for nobody.
func New(bus *trace.Bus) program.Program {
	return func(ctx context.Context, p *program.Process) int {
		words := p.Args[1:]
		if len(words) == 0 || words[0] == "help" || words[0] == "--help" || words[0] == "-h" {
			fmt.Fprint(p.Stdout, usage)
			return 0
		}
		var err error
		switch words[0] {
		case "get-token":
			err = getToken(ctx, p, words[1:], bus)
		case "clean":
			err = clean(p, words[1:])
		default:
			err = fmt.Errorf("unknown command %q for \"kubelogin\"\n\n%s", words[0], usage)
		}
		switch {
		case errors.Is(err, errHelp):
			return 0
		case err != nil:
			fmt.Fprintf(p.Stderr, "error: %s: %s\n", words[0], shown(err))
			return 1
		}
		return 0
	}
}

// getToken prints a token: the one that is kept, or else one for the refresh token that is kept, or else of a login.
func getToken(ctx context.Context, p *program.Process, args []string, bus *trace.Bus) error {
	o, err := parse(p, args)
	if err != nil {
		return err
	}
	version, err := o.version(p)
	if err != nil {
		return err
	}
	kept := o.kept(p)
	held := kept.read()
	if expires, ok := expiry(held.IDToken); ok && !o.forceRefresh && time.Now().Before(expires) {
		return give(p, version, held.IDToken, expires)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.patience, fmt.Errorf("nobody has logged in for %s: begin again", o.patience))
	defer cancel()
	s, err := o.discover(ctx, p, bus)
	if err != nil {
		return err
	}
	got, err := s.tokens(ctx, held.RefreshToken)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	expires, _ := expiry(got.IDToken)
	if err := kept.write(got); err != nil {
		fmt.Fprintf(p.Stderr, "the token is not kept, so that the next command asks again: %v\n", err)
	}
	return give(p, version, got.IDToken, expires)
}

// give writes an ExecCredential. (k8s.io/client-go/pkg/apis/clientauthentication)
func give(p *program.Process, version, token string, expires time.Time) error {
	status := &clientauthentication.ExecCredentialStatus{Token: token, ExpirationTimestamp: &metav1.Time{Time: expires}}
	text, err := json.Marshal(clientauthentication.ExecCredential{TypeMeta: metav1.TypeMeta{Kind: "ExecCredential", APIVersion: version}, Status: status})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.Stdout, string(text))
	return err
}

// version is the version of ExecCredential that kubectl asks for, or kubelogin's if nobody does.
func (o *options) version(p *program.Process) (string, error) {
	info := p.Getenv("KUBERNETES_EXEC_INFO")
	if info == "" {
		return clientauthentication.SchemeGroupVersion.String(), nil
	}
	var asked metav1.TypeMeta
	if err := json.Unmarshal([]byte(info), &asked); err != nil {
		return "", fmt.Errorf("read KUBERNETES_EXEC_INFO: %w", err)
	}
	switch asked.APIVersion {
	case clientauthentication.SchemeGroupVersion.String(), v1beta1.SchemeGroupVersion.String():
		return asked.APIVersion, nil
	}
	return "", fmt.Errorf("ExecCredentials of %q are asked for: the kubeconfig's user has to say client.authentication.k8s.io/v1", asked.APIVersion)
}
