package oidclogin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"path"
	"strings"
	"testing"
	"time"

	clientauthentication "k8s.io/client-go/pkg/apis/clientauthentication/v1"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// loopback is the network of a test's process.
type loopback struct{ program.Network }

func (loopback) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, address)
}

// person is a terminal at which somebody types what answer makes of what is shown.
type person struct{}

func (person) Size() (cols, rows int)   { return 80, 24 }
func (person) Raw(bool)                 {}
func (person) Resized() <-chan struct{} { return nil }

// desk is somebody's files, and what the login did.
type desk struct {
	fs     *program.FS
	bus    *trace.Bus
	stderr string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	return &desk{fs: program.NewFS(t.TempDir()), bus: trace.New()}
}

// run is one `kubectl oidc-login` line; types is what is typed, made of what has been shown, nil where nobody sits.
func (d *desk) run(t *testing.T, types func(shown string) string, args ...string) (code int, stdout string) {
	t.Helper()
	var out strings.Builder
	stderr := &screen{}
	p := &program.Process{
		Args: append([]string{"kubectl-oidc_login"}, args...), FS: d.fs, Dir: "/", Net: loopback{}, Env: []string{"HOME=/home/ada"},
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: stderr,
	}
	if types != nil {
		p.Terminal, p.Stdin = person{}, &keyboard{screen: stderr, types: types}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	code = New(d.bus)(ctx, p)
	d.stderr = stderr.String()
	return code, out.String()
}

type screen struct{ strings.Builder }

// keyboard types once something was asked.
type keyboard struct {
	screen *screen
	types  func(string) string
	rest   io.Reader
}

func (k *keyboard) Read(b []byte) (int, error) {
	if k.rest == nil {
		k.rest = strings.NewReader(k.types(k.screen.String()))
	}
	return k.rest.Read(b)
}

// tokenOf is the token of an ExecCredential.
func tokenOf(t *testing.T, stdout string) string {
	t.Helper()
	var got clientauthentication.ExecCredential
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || got.Status == nil || got.APIVersion != "client.authentication.k8s.io/v1" || got.Status.ExpirationTimestamp.IsZero() {
		t.Fatalf("no ExecCredential: %q, %v", stdout, err)
	}
	return got.Status.Token
}

func (i *issuer) login(more ...string) []string {
	return append([]string{"get-token", "--oidc-issuer-url=" + i.URL, "--oidc-client-id=kubernetes", "--certificate-authority-data=" + i.authority()}, more...)
}

// steps are the trace's, a line each.
func (d *desk) steps() string {
	var b strings.Builder
	all, _ := d.bus.All()
	for _, s := range all {
		b.Write(s.JSON(true))
		b.WriteByte('\n')
	}
	return b.String()
}

// kinds are the kinds of the trace's steps, in order.
func (d *desk) kinds() string {
	var kinds []string
	all, _ := d.bus.All()
	for _, s := range all {
		kinds = append(kinds, s.Kind.Key())
	}
	return strings.Join(kinds, " ")
}

func TestLogin(t *testing.T) {
	visited := func(i *issuer, shown string) {
		_, at, _ := strings.Cut(shown, "in your browser: ")
		i.mu.Lock()
		i.challenge, _, _ = strings.Cut(at, "\n")
		i.mu.Unlock()
	}
	for name, c := range map[string]struct {
		flags []string
		types func(i *issuer, shown string) string
		kinds string
		says  string
	}{
		"a code that is typed there": {
			kinds: "login.discovery login.authorization login.token login.token login.keys", // pending is told once
			says:  "/device?user_code=ABCD\n",
		},
		"a code that is typed here": {
			flags: []string{"--grant-type=authcode-keyboard"},
			types: func(i *issuer, shown string) string { visited(i, shown); return "code-canary\n" },
			kinds: "login.discovery login.authorization/code login.token login.keys",
			says:  "Enter code: ",
		},
		"a whole address is typed here": {
			flags: []string{"--grant-type=authcode-keyboard", "--oidc-redirect-url=http://localhost:8000"},
			types: func(i *issuer, shown string) string {
				visited(i, shown)
				_, state, _ := strings.Cut(shown, "state=")
				state, _, _ = strings.Cut(state, "\n")
				return "http://localhost:8000?code=code-canary&state=" + state + "\r"
			},
			kinds: "login.discovery login.authorization/code login.token login.keys",
		},
		"a password that is typed": {
			flags: []string{"--username=jane"},
			types: func(*issuer, string) string { return "x\x7fpassword-canary\r" },
			kinds: "login.discovery login.token login.keys",
			says:  "Password: ",
		},
		"a password of the kubeconfig": {
			flags: []string{"--username=jane", "--password=password-canary"},
			kinds: "login.discovery login.token login.keys",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i, d := newIssuer(t), newDesk(t)
			i.pending = 2
			var types func(string) string
			if c.types != nil {
				types = func(shown string) string { return c.types(i, shown) }
			}
			code, out := d.run(t, types, i.login(c.flags...)...)
			if code != 0 || !strings.Contains(d.stderr, c.says) || strings.ContainsRune(d.stderr, '\x1b') {
				t.Fatalf("exit code %d: %q", code, d.stderr)
			}
			token := tokenOf(t, out)
			if got := d.kinds(); got != c.kinds {
				t.Errorf("steps %s, want %s", got, c.kinds)
			}
			for _, secret := range []string{"canary", token, "ABCD"} {
				if strings.Contains(d.steps(), secret) {
					t.Errorf("the trace has %q:\n%s", secret, d.steps())
				}
			}
			// It is kept, and nobody is asked again.
			before := d.kinds()
			if code, again := d.run(t, nil, i.login(c.flags...)...); code != 0 || tokenOf(t, again) != token || d.kinds() != before {
				t.Errorf("exit code %d, another token, or a request: %s", code, d.stderr)
			}
			// Until it is to be another: by the refresh token, and nobody logs in.
			if code, again := d.run(t, nil, i.login(append(c.flags, "--force-refresh")...)...); code != 0 || tokenOf(t, again) == "" || i.asked[len(i.asked)-1] != "refresh_token" {
				t.Errorf("exit code %d, grants %v: %s", code, i.asked, d.stderr)
			}
			// Who is refused it logs in again.
			i.mu.Lock()
			i.instead["/token"] = `{"error": "invalid_grant"}`
			i.mu.Unlock()
			if code, _ := d.run(t, types, i.login(append(c.flags, "--force-refresh")...)...); code != 1 {
				t.Error("nobody logged in, and there is a token")
			}
			if code, _ := d.run(t, nil, "clean"); code != 0 {
				t.Errorf("clean: %s", d.stderr)
			}
			if _, err := d.fs.Stat("/home/ada/.kube/cache/oidc-login"); err == nil {
				t.Error("clean left the tokens")
			}
		})
	}
}

// TestOneRequestForAToken: a client says who it is as the issuer wants it, at once.
func TestOneRequestForAToken(t *testing.T) {
	for _, c := range []struct {
		methods any
		secret  string
		want    string
	}{
		{nil, "", "form "},
		{nil, "s", "header s"},
		{[]string{"client_secret_basic", "client_secret_post"}, "s", "header s"},
		{[]string{"client_secret_post"}, "s", "form s"},
	} {
		i, d := newIssuer(t), newDesk(t)
		if c.methods != nil {
			i.document = map[string]any{"token_endpoint_auth_methods_supported": c.methods}
		}
		code, _ := d.run(t, nil, i.login("--username=jane", "--password=password-canary", "--oidc-client-secret="+c.secret)...)
		if got := strings.Join(i.shown, ", "); code != 0 || got != c.want {
			t.Errorf("%v, %q: exit code %d, shown %q, want %q: %s", c.methods, c.secret, code, got, c.want, d.stderr)
		}
	}
}

// code is an issuer's answer to a device that is to ask every so many seconds.
func code(i *issuer, interval int64) string {
	return fmt.Sprintf(`{"device_code": "d", "user_code": "u", "verification_uri": "%s/device", "interval": %d}`, i.URL, interval)
}

// TestNobodyTypes: who is asked and says nothing is waited for as long as was said, and no longer.
func TestNobodyTypes(t *testing.T) {
	i, d := newIssuer(t), newDesk(t)
	never, typist := io.Pipe()
	defer time.AfterFunc(30*time.Second, func() { typist.Close() }).Stop()
	p := &program.Process{
		Args: append([]string{"kubectl-oidc_login"}, i.login("--grant-type=authcode-keyboard", "--authentication-timeout-sec=1")...),
		FS:   d.fs, Dir: "/", Net: loopback{}, Env: []string{"HOME=/home/ada"}, Terminal: person{}, Stdin: never, Stdout: io.Discard, Stderr: &strings.Builder{},
	}
	if exit := New(nil)(t.Context(), p); exit != 1 || !strings.Contains(fmt.Sprint(p.Stderr), "nobody has logged in for 1s: begin again") {
		t.Errorf("exit code %d, %v", exit, p.Stderr)
	}
}

// TestHostileIssuer: what an issuer says is a stranger's.
func TestHostileIssuer(t *testing.T) {
	other := newIssuer(t)
	for name, c := range map[string]struct {
		make func(i *issuer)
		want string
	}{
		"another's token":         {func(i *issuer) { i.claims = map[string]any{"aud": "somebody"} }, "check the ID token: "},
		"an old token":            {func(i *issuer) { i.claims = map[string]any{"exp": 1} }, "check the ID token: "},
		"another issuer's token":  {func(i *issuer) { i.claims = map[string]any{"iss": other.URL} }, "check the ID token: "},
		"another key":             {func(i *issuer) { i.key = other.key; i.instead["/keys"] = `{"keys": []}` }, "check the ID token: "},
		"another issuer's name":   {func(i *issuer) { i.document = map[string]any{"issuer": other.URL} }, "issuer did not match"},
		"no document":             {func(i *issuer) { i.instead["/.well-known/openid-configuration"] = "<html>\x1b]0;x\a" }, "ask the issuer "},
		"a document without end":  {func(i *issuer) { i.instead["/.well-known/openid-configuration"] = strings.Repeat("x", maxAnswer+1) }, "the issuer's answer is longer than 1048576 bytes"},
		"leads to another host":   {func(i *issuer) { i.instead["/.well-known/openid-configuration"] = "elsewhere" }, "the issuer leads to 127.0.0.1:1, which is another host"},
		"secrets to another host": {func(i *issuer) { i.instead["/token"] = "elsewhere" }, "which is another host"},
		"no token":                {func(i *issuer) { i.instead["/token"] = `{"access_token": "a", "token_type": "bearer"}` }, "the issuer gave no ID token"},
		"no JSON":                 {func(i *issuer) { i.instead["/token"] = "x" }, "log in by a code: "},
		"a script to be visited": {func(i *issuer) {
			i.instead["/device/code"] = `{"device_code": "d", "user_code": "u", "verification_uri": "javascript:alert(1)"}`
		}, "which is no address"},
		"null for a code":              {func(i *issuer) { i.instead["/device/code"] = " null" }, "ask for a code: "},
		"blanks for a code":            {func(i *issuer) { i.instead["/device/code"] = strings.Repeat(" ", maxAnswer) + "null" }, "no object in JSON"},
		"asked before it began":        {func(i *issuer) { i.instead["/device/code"] = code(i, -1) }, "wants to be asked every -1 seconds"},
		"asked in three hundred years": {func(i *issuer) { i.instead["/device/code"] = code(i, 9223372037) }, "wants to be asked every 9223372037 seconds"},
		"no way to log in by code":     {func(i *issuer) { i.document = map[string]any{"device_authorization_endpoint": ""} }, "has no device_authorization_endpoint"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i, d := newIssuer(t), newDesk(t)
			c.make(i)
			code, out := d.run(t, nil, i.login("--grant-type=device-code")...)
			if code != 1 || out != "" || !strings.Contains(d.stderr, c.want) || strings.ContainsAny(d.stderr, "\x1b\a") || len(d.stderr) > 2*maxShown {
				t.Errorf("exit code %d, %q: %q\nwant %s", code, out, d.stderr, c.want)
			}
		})
	}
}

// TestRefused: who asks for what cannot be is told what to do.
func TestRefused(t *testing.T) {
	i := newIssuer(t)
	for name, c := range map[string]struct {
		args []string
		env  string
		want string
	}{
		"no issuer":        {[]string{"get-token"}, "", "--oidc-issuer-url and --oidc-client-id are required"},
		"no address":       {[]string{"get-token", "--oidc-issuer-url=dex", "--oidc-client-id=k"}, "", "is no address of an issuer"},
		"another way":      {i.login("--grant-type=authcode"), "", "is not one of auto"},
		"nobody vouches":   {[]string{"get-token", "--oidc-issuer-url=" + i.URL, "--oidc-client-id=k"}, "", "Name the authority of its certificate: --certificate-authority=FILE"},
		"no such file":     {i.login("--certificate-authority=none"), "", "read --certificate-authority=none: "},
		"no certificate":   {i.login("--certificate-authority-data=!"), "", "is no base64"},
		"nobody sits here": {i.login("--grant-type=password", "--username=jane"), "", "password: nobody sits here to ask"},
		"another command":  {[]string{"setup"}, "", `unknown command "setup"`},
		"an unknown flag":  {i.login("--browser-command=x"), "", "unknown flag"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			if code, out := d.run(t, nil, c.args...); code != 1 || out != "" || !strings.Contains(d.stderr, c.want) {
				t.Errorf("exit code %d, %q: %q\nwant %s", code, out, d.stderr, c.want)
			}
		})
	}
}

// TestKeptTokens: what lies where tokens are kept is looked at before it is believed, and one login's is not another's.
func TestKeptTokens(t *testing.T) {
	i, d := newIssuer(t), newDesk(t)
	flags := i.login("--username=jane", "--password=password-canary")
	if code, _ := d.run(t, nil, flags...); code != 0 {
		t.Fatal(d.stderr)
	}
	const dir = "/home/ada/.kube/cache/oidc-login"
	entries, err := d.fs.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	name := path.Join(dir, entries[0].Name())
	if info, err := d.fs.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
	for what, text := range map[string]string{
		"no JSON": "x", "no token": `{"id_token": "a.b.c"}`, "too long": strings.Repeat("x", maxKept+1), "a refresh token of nobody's": `{"refresh_token": "x"}`,
	} {
		if err := d.fs.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out := d.run(t, nil, flags...); code != 0 || tokenOf(t, out) == "" {
			t.Errorf("%s: exit code %d: %s", what, code, d.stderr)
		}
	}
	if code, _ := d.run(t, nil, i.login("--username=ann", "--password=wrong")...); code != 1 {
		t.Error("jane's token is ann's")
	}
}
