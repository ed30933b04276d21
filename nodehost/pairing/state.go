package pairing

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// State is a directory with the files of one hub.
type State struct{ Dir string }

// Default is the user's own: tabernetes in the user's configuration directory.
func Default() (State, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return State{}, fmt.Errorf("find the configuration directory: %w; name one with --state", err)
	}
	return State{filepath.Join(dir, "tabernetes")}, nil
}

func (s State) secretFile() string  { return filepath.Join(s.Dir, "pairing-secret") }
func (s State) addressFile() string { return filepath.Join(s.Dir, "hub.json") }

// Socket is the path of the hub's unix socket.
func (s State) Socket() string { return filepath.Join(s.Dir, "hub.sock") }

// Gateway is the path of the unix socket through which a native cluster reaches its etcd.
func (s State) Gateway() string { return filepath.Join(s.Dir, "etcd.sock") }

// Make reads the secret, or makes one: the same for every run, so that tabs find their hub again
// after it was restarted.
func (s State) Make() (secret string, err error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return "", fmt.Errorf("make the hub's directory: %w", err)
	}
	if secret, err = s.Secret(); !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	// Whole or not at all, and the first one wins: another hub may be starting, too.
	f, err := os.CreateTemp(s.Dir, "pairing-secret-*")
	if err != nil {
		return "", fmt.Errorf("keep the pairing secret: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(rand.Text() + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("keep the pairing secret: %w", err)
	}
	if err := os.Link(f.Name(), s.secretFile()); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("keep the pairing secret: %w", err)
	}
	return s.Secret()
}

// Secret reads the secret; an error with fs.ErrNotExist says that no hub has run yet. A file
// that others can read is refused.
func (s State) Secret() (string, error) {
	st, err := os.Stat(s.secretFile())
	if err != nil {
		return "", fmt.Errorf("read the pairing secret: %w", err)
	}
	if st.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("read the pairing secret: others can read %s; remove it, then start the hub again", s.secretFile())
	}
	b, err := os.ReadFile(s.secretFile())
	if err != nil {
		return "", fmt.Errorf("read the pairing secret: %w", err)
	}
	secret := strings.TrimSpace(string(b))
	if secret == "" {
		return "", fmt.Errorf("read the pairing secret: %s is empty; remove it, then start the hub again", s.secretFile())
	}
	return secret, nil
}

// Address is where a hub is.
type Address struct {
	// Page is the URL of the page, which is also the hub's.
	Page string `json:"page"`
	PID  int    `json:"pid"`
	// CertHash is the pin of its certificate; empty if clients have somebody else to trust, or without TLS.
	CertHash string `json:"certHash,omitempty"`
}

// SameHub says whether a URL is another way to this hub: by one of its machine's other names, most
// likely, because the port is the same.
func (a Address) SameHub(hub string) bool {
	own, err := url.Parse(a.Page)
	if err != nil {
		return false
	}
	other, err := url.Parse(hub)
	return err == nil && own.Scheme == other.Scheme && own.Port() == other.Port()
}

// Announce writes where the hub is, for programs of the same user.
func (s State) Announce(a Address) error {
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.addressFile(), append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("announce the hub: %w", err)
	}
	return nil
}

// Withdraw removes what Announce wrote.
func (s State) Withdraw() { _ = os.Remove(s.addressFile()) }

// Find reads where the hub is.
func (s State) Find() (Address, error) {
	var a Address
	b, err := os.ReadFile(s.addressFile())
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err != nil {
		return a, fmt.Errorf("find the hub: %w; start it with `nodehost serve`, or name it with --hub", err)
	}
	return a, nil
}
