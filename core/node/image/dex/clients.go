package dex

import (
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"

	"github.com/tabernetes/tabernetes/core/program"
)

const (
	// outOfBand stands for an address where the person is to carry the code over.
	outOfBand = "urn:ietf:wg:oauth:2.0:oob"
	// deviceCallback is where a device's login ends, below the issuer's path.
	deviceCallback = "/device/callback"
)

// client is a program that people log in to.
type client struct {
	ID           string   `json:"id"`
	IDEnv        string   `json:"idEnv"`
	Secret       string   `json:"secret"`
	SecretEnv    string   `json:"secretEnv"`
	RedirectURIs []string `json:"redirectURIs"`
	TrustedPeers []string `json:"trustedPeers"`
	Public       bool     `json:"public"`
	Name         string   `json:"name"`
}

// check is dex's (cmd/dex/serve.go), in its words.
func (c *client) check(p *program.Process) error {
	switch {
	case c.Name == "":
		return fmt.Errorf("Name field is required for a client")
	case c.ID == "" && c.IDEnv == "":
		return fmt.Errorf("ID or IDEnv field is required for a client")
	case c.ID != "" && c.IDEnv != "":
		return fmt.Errorf("ID and IDEnv fields are exclusive for client %q", c.ID)
	case c.Secret == "" && c.SecretEnv == "" && !c.Public:
		return fmt.Errorf("Secret or SecretEnv field is required for client %q", c.ID)
	case c.Secret != "" && c.SecretEnv != "":
		return fmt.Errorf("Secret and SecretEnv fields are exclusive for client %q", c.ID)
	}
	if c.IDEnv != "" {
		if c.ID = p.Getenv(c.IDEnv); c.ID == "" {
			return fmt.Errorf("the variable %s, of idEnv, is not set", c.IDEnv)
		}
	}
	if c.SecretEnv != "" {
		if c.Secret = p.Getenv(c.SecretEnv); c.Secret == "" {
			return fmt.Errorf("the variable %s, of secretEnv of client %q, is not set", c.SecretEnv, c.ID)
		}
	}
	return nil
}

// proves tells whether secret is the client's. A public one has none, and has to give none.
func (c *client) proves(secret string) bool {
	return subtle.ConstantTimeCompare([]byte(c.Secret), []byte(secret)) == 1
}

// mayReturnTo is dex's rule (validateRedirectURI): an address of the client's, to the letter; a public client without any
// may have its code out of band, as a device, or at whatever listens on its user's own machine.
func (c *client) mayReturnTo(address string) bool {
	if slices.Contains(c.RedirectURIs, address) {
		return true
	}
	if !c.Public || len(c.RedirectURIs) > 0 {
		return false
	}
	if address == outOfBand || address == deviceCallback {
		return true
	}
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "http" && u.User == nil && isOwnMachine(u.Host)
}

func isOwnMachine(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// authenticate is the client that a request is of: by the header, or by fields of the form.
func (s *server) authenticate(r *http.Request) (*client, *refusal) {
	id, secret := r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	if name, word, ok := r.BasicAuth(); ok {
		var err error
		if id, err = url.QueryUnescape(name); err != nil {
			return nil, &refusal{http.StatusBadRequest, "invalid_request", "client_id improperly encoded"}
		}
		if secret, err = url.QueryUnescape(word); err != nil {
			return nil, &refusal{http.StatusBadRequest, "invalid_request", "client_secret improperly encoded"}
		}
	}
	one, ok := s.clients[id]
	if !ok || !one.proves(secret) {
		s.log.Info("invalid client credentials", "client_id", short(id))
		return nil, &refusal{http.StatusUnauthorized, "invalid_client", "Invalid client credentials."}
	}
	return one, nil
}
