package oidclogin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc"
	"golang.org/x/oauth2"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// session is one login at an issuer.
type session struct {
	*options
	p        *program.Process
	told     *telling
	client   *http.Client
	oauth    *oauth2.Config
	verifier *oidc.IDTokenVerifier
}

// answerPatience bounds one request to the issuer.
const answerPatience = 30 * time.Second

// discover asks the issuer where its endpoints are.
func (o *options) discover(ctx context.Context, p *program.Process, bus *trace.Bus) (*session, error) {
	if p.Net == nil {
		return nil, errors.New("there is no network here")
	}
	s := &session{options: o, p: p, told: newTelling(bus, trace.Carried(ctx), discoveryOf(o.issuer))}
	s.client = &http.Client{Timeout: answerPatience, CheckRedirect: stays, Transport: &transport{telling: s.told, next: dialling(p, o)}}
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, s.client), o.issuer)
	if err != nil {
		return nil, fmt.Errorf("ask the issuer %s for its endpoints: %w", o.issuer, hinted(err))
	}
	var more struct {
		Device string `json:"device_authorization_endpoint"`
		Keys   string `json:"jwks_uri"`
		// Methods are how a client says who it is; client_secret_basic where it is not said (OpenID Connect Discovery, 3).
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := provider.Claims(&more); err != nil {
		return nil, fmt.Errorf("read the issuer's endpoints: %w", err)
	}
	s.verifier = provider.Verifier(&oidc.Config{ClientID: o.client})
	s.oauth = &oauth2.Config{ClientID: o.client, ClientSecret: o.secret, Endpoint: provider.Endpoint(), Scopes: o.scopes, RedirectURL: o.redirect}
	s.oauth.Endpoint.DeviceAuthURL = more.Device
	// x/oauth2 would try both ways for each token, and a device that asks twice at once is told to slow down.
	s.oauth.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if o.secret == "" || len(more.Methods) > 0 && !slices.Contains(more.Methods, "client_secret_basic") {
		s.oauth.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	s.told.endpoints(map[string]*trace.Kind{more.Device: authorized, s.oauth.Endpoint.TokenURL: exchanged, more.Keys: keyed})
	return s, nil
}

func discoveryOf(issuer string) string {
	return strings.TrimSuffix(issuer, "/") + "/.well-known/openid-configuration"
}

// tokens are what the issuer gives: for the refresh token, if there is one and it still counts, or for a login.
func (s *session) tokens(ctx context.Context, refresh string) (tokens, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, s.client)
	if refresh != "" {
		token, err := s.oauth.TokenSource(ctx, &oauth2.Token{RefreshToken: refresh}).Token()
		if err == nil {
			return s.verified(ctx, token, "")
		}
		if refused := (*oauth2.RetrieveError)(nil); !errors.As(err, &refused) {
			return tokens{}, fmt.Errorf("refresh the token: %w", err)
		}
	}
	token, nonce, err := s.login(ctx)
	if err != nil {
		return tokens{}, err
	}
	return s.verified(ctx, token, nonce)
}

// verified is what a token's ID token says to be: of this issuer, for this client, signed by its key, and of this login.
func (s *session) verified(ctx context.Context, token *oauth2.Token, nonce string) (tokens, error) {
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return tokens{}, errors.New("the issuer gave no ID token: has the client the scope openid?")
	}
	checked, err := s.verifier.Verify(oidc.ClientContext(ctx, s.client), raw)
	if err != nil {
		return tokens{}, fmt.Errorf("check the ID token: %w", err)
	}
	if nonce != "" && checked.Nonce != nonce {
		return tokens{}, errors.New("check the ID token: it is of another login (nonce)")
	}
	return tokens{IDToken: raw, RefreshToken: token.RefreshToken}, nil
}
