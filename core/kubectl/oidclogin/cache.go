package oidclogin

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

// tokens are what is kept of a login, as kubelogin's files have it.
type tokens struct {
	IDToken      string `json:"id_token,omitempty"`
	RefreshToken string `json:"refresh_token,omitempty"`
}

// file is where the tokens of one login are kept.
type file struct {
	fs   *program.FS
	name string
}

// kept is the file of those who log in with these options: another issuer, client, scope, user or authority is another.
func (o *options) kept(p *program.Process) file {
	sum := sha256.New()
	for _, part := range []string{o.issuer, o.client, o.secret, o.redirect, o.username, strings.Join(o.scopes, " "), string(o.authorities)} {
		fmt.Fprintf(sum, "%d %s\n", len(part), part)
	}
	return file{p.FS, path.Join(p.Path(o.cacheDir), hex.EncodeToString(sum.Sum(nil)))}
}

// maxKept is how much is read of such a file, in bytes.
const maxKept = 256 << 10

// read is nothing where nothing is kept, or what cannot be read: the person logs in again.
func (f file) read() (t tokens) {
	if info, err := f.fs.Stat(f.name); err != nil || info.Size() > maxKept {
		return tokens{}
	}
	text, err := f.fs.ReadFile(f.name)
	if err != nil || json.Unmarshal(text, &t) != nil {
		return tokens{}
	}
	return t
}

func (f file) write(t tokens) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if err := f.fs.MkdirAll(path.Dir(f.name), 0o700); err != nil {
		return err
	}
	return f.fs.WriteFile(f.name, text, 0o600)
}

// clean forgets the tokens that are kept.
func clean(p *program.Process, args []string) error {
	var dir string
	f := pflag.NewFlagSet("clean", pflag.ContinueOnError)
	f.SetOutput(p.Stdout)
	cacheFlag(f, p, &dir)
	if err := f.Parse(args); errors.Is(err, pflag.ErrHelp) {
		return errHelp
	} else if err != nil {
		return err
	}
	if err := p.FS.RemoveAll(p.Path(dir)); err != nil {
		return err
	}
	fmt.Fprintf(p.Stderr, "Deleted the token cache at %s\n", dir)
	return nil
}

// expiry is when a token counts no more, by its own word; who it is given to checks it. (A JWT's exp, RFC 7519, 4.1.4)
func expiry(token string) (at time.Time, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return at, false
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return at, false
	}
	var claims struct {
		Expires float64 `json:"exp"`
	}
	if json.Unmarshal(text, &claims) != nil || claims.Expires <= 0 {
		return at, false
	}
	return time.Unix(int64(claims.Expires), 0), true
}
