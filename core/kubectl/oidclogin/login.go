package oidclogin

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/coreos/go-oidc"
	"golang.org/x/oauth2"

	"github.com/tabernetes/tabernetes/core/kubectl/prompt"
)

// login has a person log in, in the way that is asked for. nonce is what the ID token has to have, if anything.
func (s *session) login(ctx context.Context) (token *oauth2.Token, nonce string, err error) {
	grant := s.grant
	if grant == grantAuto {
		switch {
		case s.username != "":
			grant = grantPassword
		case s.oauth.Endpoint.DeviceAuthURL != "":
			grant = grantDevice
		default:
			grant = grantKeyboard
		}
	}
	switch grant {
	case grantPassword:
		token, err = s.byPassword(ctx)
	case grantDevice:
		token, err = s.byDevice(ctx)
	default:
		return s.byKeyboard(ctx)
	}
	return token, "", err
}

// maxInterval is how far apart two questions whether somebody has logged in may be, in seconds.
const maxInterval = 3600

// byDevice has the person type a code at the issuer, and asks until that is done (RFC 8628).
func (s *session) byDevice(ctx context.Context) (*oauth2.Token, error) {
	if s.oauth.Endpoint.DeviceAuthURL == "" {
		return nil, errors.New("the issuer has no device_authorization_endpoint: try --grant-type=authcode-keyboard")
	}
	asking := *s.client
	asking.Transport = objects{asking.Transport}
	code, err := s.oauth.DeviceAuth(context.WithValue(ctx, oauth2.HTTPClient, &asking))
	if err != nil {
		return nil, fmt.Errorf("ask for a code: %w", err)
	}
	// x/oauth2 makes a ticker of it as it stands, which none or one that has run over ends.
	if code.Interval < 0 || code.Interval > maxInterval {
		return nil, fmt.Errorf("ask for a code: the issuer wants to be asked every %d seconds; 0 to %d can be", code.Interval, maxInterval)
	}
	at := code.VerificationURIComplete
	if at == "" {
		at = code.VerificationURI
	}
	if err := s.visit(at); err != nil {
		return nil, err
	}
	fmt.Fprintf(s.p.Stderr, "The code is %s.\n", plain(code.UserCode))
	s.p.Waits()
	token, err := s.oauth.DeviceAccessToken(ctx, code)
	if err != nil {
		return nil, fmt.Errorf("log in by a code: %w", err)
	}
	return token, nil
}

// byKeyboard has the person log in at the issuer, and type the code that it shows (RFC 6749, 4.1, with PKCE).
func (s *session) byKeyboard(ctx context.Context) (token *oauth2.Token, nonce string, err error) {
	verifier, state := oauth2.GenerateVerifier(), rand.Text()
	nonce = rand.Text()
	at := s.oauth.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))
	if err := s.visit(at); err != nil {
		return nil, "", err
	}
	s.told.sent(s.oauth.Endpoint.AuthURL)
	typed, err := s.ask(ctx, "Enter code: ", false)
	if err != nil {
		return nil, "", err
	}
	// A whole address may be pasted, where the issuer leads back to one that is not there.
	if u, err := url.Parse(typed); err == nil && u.Query().Get("code") != "" {
		if got := u.Query().Get("state"); subtle.ConstantTimeCompare([]byte(got), []byte(state)) != 1 {
			return nil, "", errors.New("the address is of another login (state)")
		}
		typed = u.Query().Get("code")
	}
	token, err = s.oauth.Exchange(ctx, typed, oauth2.VerifierOption(verifier))
	if err != nil {
		return nil, "", fmt.Errorf("exchange the code for a token: %w", err)
	}
	return token, nonce, nil
}

// byPassword gives the person's password to the issuer (RFC 6749, 4.3).
func (s *session) byPassword(ctx context.Context) (*oauth2.Token, error) {
	name, password := s.username, s.password
	var err error
	if name == "" {
		if name, err = s.ask(ctx, "Username: ", false); err != nil {
			return nil, err
		}
	}
	if password == "" {
		if password, err = s.ask(ctx, "Password: ", true); err != nil {
			return nil, err
		}
	}
	token, err := s.oauth.PasswordCredentialsToken(ctx, name, password)
	if err != nil {
		return nil, fmt.Errorf("log in by a password: %w", err)
	}
	return token, nil
}

// ask has the person type a line.
func (s *session) ask(ctx context.Context, text string, hidden bool) (string, error) {
	line, err := prompt.Line(ctx, s.p, s.p.Stderr, text, hidden)
	if err != nil {
		return "", fmt.Errorf("%s%w", strings.ToLower(text), err)
	}
	return line, nil
}

// visit tells the person where to go: an address that the issuer said.
func (s *session) visit(at string) error {
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fmt.Errorf("the issuer sends people to %q, which is no address", plain(at))
	}
	fmt.Fprintf(s.p.Stderr, "Please visit the following URL in your browser: %s\n", plain(u.String()))
	fmt.Fprintln(s.p.Stderr, "(An address of this cluster is for the page's browser: Open on its Service.)")
	return nil
}

// maxShown is how much of what an issuer says is shown, in bytes.
const maxShown = 1000

// shown is an error for a terminal: what an issuer says stands in it.
func shown(err error) string { return plain(err.Error()) }

// plain is a text without what a terminal would take for more than a text, and not too long.
func plain(text string) string {
	if len(text) > maxShown {
		text = text[:maxShown] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}
