package oidclogin

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/coreos/go-oidc"
	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

// options are kubelogin's flags of get-token.
type options struct {
	issuer, client, secret, redirect string
	scopes                           []string
	grant, username, password        string
	cacheDir                         string
	forceRefresh                     bool
	patience                         time.Duration
	roots                            *x509.CertPool
	authorities                      []byte
}

// The ways to a token, as --grant-type names them.
const (
	grantAuto     = "auto"
	grantDevice   = "device-code"
	grantKeyboard = "authcode-keyboard"
	grantPassword = "password"
)

// outOfBand is the redirect URI of a client that a person carries the code to.
const outOfBand = "urn:ietf:wg:oauth:2.0:oob"

// maxAuthority is how much is read of a file of certificates, in bytes.
const maxAuthority = 1 << 20

// errHelp is no error: help was asked for and given.
var errHelp = errors.New("help")

func parse(p *program.Process, args []string) (*options, error) {
	o := &options{}
	var authorities, authorityData []string
	var seconds int
	f := pflag.NewFlagSet("get-token", pflag.ContinueOnError)
	f.SetOutput(p.Stdout)
	f.StringVar(&o.issuer, "oidc-issuer-url", "", "Issuer URL of the provider (mandatory)")
	f.StringVar(&o.client, "oidc-client-id", "", "Client ID of the provider (mandatory)")
	f.StringVar(&o.secret, "oidc-client-secret", "", "Client secret of the provider")
	f.StringVar(&o.redirect, "oidc-redirect-url", outOfBand, "Redirect URI of --grant-type=authcode-keyboard")
	f.StringSliceVar(&o.scopes, "oidc-extra-scope", nil, "Scopes to request to the provider, besides openid")
	f.StringVar(&o.grant, "grant-type", grantAuto, "One of auto, device-code, authcode-keyboard, password")
	f.StringVar(&o.username, "username", "", "Of --grant-type=password: the user")
	f.StringVar(&o.password, "password", "", "Of --grant-type=password: the password; it is asked for otherwise")
	cacheFlag(f, p, &o.cacheDir)
	f.BoolVar(&o.forceRefresh, "force-refresh", false, "Refresh the ID token, though it has not expired")
	f.IntVar(&seconds, "authentication-timeout-sec", 180, "How long somebody may take to log in, in seconds")
	f.StringArrayVar(&authorities, "certificate-authority", nil, "File of certificates that may sign the issuer's")
	f.StringArrayVar(&authorityData, "certificate-authority-data", nil, "The same, as base64")
	f.IntP("v", "v", 0, "Has no effect here")
	f.Bool("skip-open-browser", true, "Has no effect here: no browser is opened")
	if err := f.Parse(args); errors.Is(err, pflag.ErrHelp) {
		return nil, errHelp
	} else if err != nil {
		return nil, err
	}
	switch {
	case o.issuer == "" || o.client == "":
		return nil, errors.New("--oidc-issuer-url and --oidc-client-id are required")
	case !slices.Contains([]string{grantAuto, grantDevice, grantKeyboard, grantPassword}, o.grant):
		return nil, fmt.Errorf("--grant-type=%q is not one of auto, device-code, authcode-keyboard, password: a tab has no browser of its own that comes back to it", o.grant)
	case seconds < 1:
		return nil, errors.New("--authentication-timeout-sec is a number of seconds, at least 1")
	}
	if u, err := url.Parse(o.issuer); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("--oidc-issuer-url=%q is no address of an issuer, such as https://10.97.0.50/dex", o.issuer)
	}
	o.patience = time.Duration(min(seconds, 3600)) * time.Second
	if !slices.Contains(o.scopes, oidc.ScopeOpenID) {
		o.scopes = append([]string{oidc.ScopeOpenID}, o.scopes...)
	}
	return o, o.trust(p, authorities, authorityData)
}

// cacheFlag is the flag of all commands that know where tokens are kept.
func cacheFlag(f *pflag.FlagSet, p *program.Process, dir *string) {
	f.StringVar(dir, "token-cache-dir", p.Getenv("HOME")+"/.kube/cache/oidc-login", "Where tokens are kept")
}

// trust reads the authorities of the issuer's certificate; without any they are the system's, of which a tab has none.
func (o *options) trust(p *program.Process, files, data []string) error {
	for _, file := range files {
		info, err := p.FS.Stat(p.Path(file))
		if err == nil && info.Size() > maxAuthority {
			err = fmt.Errorf("it is larger than %d bytes", maxAuthority)
		}
		var text []byte
		if err == nil {
			text, err = p.FS.ReadFile(p.Path(file))
		}
		if err != nil {
			return fmt.Errorf("read --certificate-authority=%s: %w", file, err)
		}
		o.authorities = append(append(o.authorities, text...), '\n')
	}
	for _, text := range data {
		decoded, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return fmt.Errorf("--certificate-authority-data is no base64: %w", err)
		}
		o.authorities = append(append(o.authorities, decoded...), '\n')
	}
	if len(bytes.TrimSpace(o.authorities)) == 0 {
		return nil
	}
	o.roots = x509.NewCertPool()
	if !o.roots.AppendCertsFromPEM(o.authorities) {
		return errors.New("--certificate-authority has no certificate (PEM)")
	}
	return nil
}
