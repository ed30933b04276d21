package pairing

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabernetes/tabernetes/core/wholefile"
	"github.com/tabernetes/tabernetes/nodehost/trusted"
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

// SecretFile is the path of the file with the secret.
func (s State) SecretFile() string { return filepath.Join(s.Dir, "pairing-secret") }

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
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", fmt.Errorf("keep the pairing secret: %w", err)
	}
	if err := os.Link(f.Name(), s.SecretFile()); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("keep the pairing secret: %w", err)
	}
	if err := wholefile.SyncDir(s.Dir); err != nil {
		return "", fmt.Errorf("keep the pairing secret: %w", err)
	}
	return s.Secret()
}

// private fails if anybody but root and its user could put a file into the directory: another hub's
// socket, which is told the secret. The sticky bit is no help, as the socket may not be there.
func (s State) private() error {
	dir, err := os.Open(s.Dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	st, err := dir.Stat()
	if err != nil {
		return err
	}
	if st.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("others can put files into %s; take that right away (chmod go-w), or name another directory with --state", s.Dir)
	}
	if err := trusted.CheckFile(dir); err != nil {
		return fmt.Errorf("others can put files into %s: %w; name another directory with --state", s.Dir, err)
	}
	return nil
}

// Secret reads the secret; an error with fs.ErrNotExist says that no hub has run yet. A file
// that others can read is refused, and a directory that others can write.
func (s State) Secret() (string, error) {
	if err := s.private(); err != nil {
		return "", fmt.Errorf("read the pairing secret: %w", err)
	}
	st, err := os.Stat(s.SecretFile())
	if err != nil {
		return "", fmt.Errorf("read the pairing secret: %w", err)
	}
	if st.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("read the pairing secret: others can read %s; remove it, then start the hub again", s.SecretFile())
	}
	b, err := os.ReadFile(s.SecretFile())
	if err != nil {
		return "", fmt.Errorf("read the pairing secret: %w", err)
	}
	secret := strings.TrimSpace(string(b))
	if secret == "" {
		return "", fmt.Errorf("read the pairing secret: %s is empty; remove it, then start the hub again", s.SecretFile())
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

// Find reads where the hub is, and that it is there: who was killed could not withdraw what it had
// announced, and somebody else may listen there now.
func (s State) Find() (Address, error) {
	var a Address
	b, err := os.ReadFile(s.addressFile())
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err != nil {
		return a, fmt.Errorf("find the hub: %w; start it with `nodehost serve`, or name it with --hub", err)
	}
	conn, err := net.Dial("unix", s.Socket())
	if err != nil {
		return Address{}, fmt.Errorf("find the hub: it was at %s and does not answer on its socket any more: %w; start it with `nodehost serve`, or name one with --hub", a.Page, err)
	}
	_ = conn.Close()
	return a, nil
}

// Client speaks to the hub on its socket, whatever address it is given: the socket is in a directory
// that strangers cannot write to, so that none of them can answer and be told the secret.
func (s State) Client() *http.Client {
	return &http.Client{Transport: &onSocket{&http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", s.Socket())
		},
	}}}
}

// onSocket sends requests without TLS, for which there is nobody in between.
type onSocket struct{ *http.Transport }

func (o *onSocket) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme = "http"
	return o.Transport.RoundTrip(r)
}
