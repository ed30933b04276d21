// Package oidclogin is kubelogin (github.com/int128/kubelogin, `kubectl oidc-login`) for the terminal of a tab: a credential
// plugin that has a person log in at an OpenID Connect issuer and gives kubectl the ID token. Its flags, files and words are
// kubelogin's, as far as they make sense here; what it speaks is golang.org/x/oauth2's and github.com/coreos/go-oidc's, of
// which kubelogin is made, too. Each request of the handshake is a step of the trace, without what is secret in it.
//
// kubelogin itself dials and reads files of its process, and starts a browser and a server on localhost, which a tab has not:
// here a person goes to an address of the issuer and types a code there (device-code), or back (authcode-keyboard), or
// gives the password (password).
//
// It may import core/program, core/trace and core/kubectl/prompt.
package oidclogin
