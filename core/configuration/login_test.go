package configuration_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"html"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/configuration"
	core "github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// TestLogin: the guide's chapter on authentication has somebody log in at a dex in a pod. What it types ends as it says,
// with its configuration and without; each request of the handshake is a step, and nothing secret is in one.
func TestLogin(t *testing.T) {
	configure(t, nil)
	text, err := os.ReadFile("../../web/guide/chapters/02-authentication.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Aside: a login, as the handshake it is\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)```shell\n(.*?)```").FindAllStringSubmatch(section, -1)
	if len(blocks) != 2 {
		t.Fatalf("the chapter's section has %d blocks", len(blocks))
	}
	issues, asks := blocks[0][1], blocks[1][1]
	d := newDesk(t)
	t.Cleanup(func() {
		d.run(context.WithoutCancel(t.Context()), "kubectl delete deployment/dex service/dex secret/dex configmap/dex --ignore-not-found --now", nil)
	})
	if shown, code := d.run(t.Context(), issues, nil); code != 0 {
		t.Fatalf("ends with %d:\n%s", code, shown)
	}
	defer logOf(t, "kubectl logs deployment/dex")

	// Nobody has told the server of the issuer.
	if shown, code := d.run(t.Context(), asks, nil); code != 1 || !strings.Contains(shown, "You must be logged in to the server") {
		t.Fatalf("ends with %d:\n%s", code, shown)
	}
	certificate, _ := d.run(t.Context(), "cat dex.crt", nil)
	// As the configuration's template says.
	begins := "# certificateAuthority: |\n    #   -----BEGIN CERTIFICATE-----"
	trusts := ""
	for _, c := range templates(t) {
		if c.Name == "jwt" {
			trusts = c.Files[configuration.Authentication]
		}
	}
	if !strings.Contains(trusts, begins) {
		t.Fatalf("the template has no place for the certificate:\n%s", trusts)
	}
	trusts = strings.Replace(trusts, begins, "certificateAuthority: |\n      "+strings.ReplaceAll(strings.TrimSpace(certificate), "\n", "\n      "), 1)
	configure(t, configuration.Files{configuration.Authentication: []byte(trusts)})
	t.Cleanup(func() { _, _ = running.Configure(context.WithoutCancel(t.Context()), nil) })
	const ada = "oidc:ada@example.com"
	eventually.True(t, "the issuer is trusted", func() bool {
		ctx := t.Context()
		shown, code := d.run(ctx, "kubectl auth whoami --user=ada", nil)
		return code == 0 && strings.Contains(shown, ada) && strings.Contains(shown, "[oidc:readers system:authenticated]")
	})

	// By a code that is typed at the page that the program names.
	asks = "kubectl oidc-login clean\n" + strings.NewReplacer(" --exec-arg=--username=ada@example.com", "", " --exec-arg=--password=password", "").Replace(asks)
	if shown, code := d.run(t.Context(), asks, d.logIn(t)); code != 0 || !strings.Contains(shown, ada) {
		t.Fatalf("ends with %d:\n%s", code, shown)
	}
	d.checkSteps(t)
}

// checkSteps: each request of a login is of the plugin's step, and none has a secret.
func (d *desk) checkSteps(t *testing.T) {
	t.Helper()
	all, _ := d.bus.All()
	plugins, seen := map[trace.ID]bool{}, map[string]bool{}
	for _, s := range all {
		plugins[s.ID] = s.Kind.Name == "kubectl.credentials"
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range all {
		seen[s.Kind.Name] = true
		if strings.HasPrefix(s.Kind.Name, "login.") && !plugins[s.Cause] {
			t.Errorf("%s is of no plugin's step: %s", s.Kind.Name, s.JSON(true))
		}
		for _, secret := range append(d.secrets, "=password", "eyJ") {
			if strings.Contains(string(s.JSON(true)), secret) {
				t.Errorf("a step has %s: %s", secret, s.JSON(true))
			}
		}
	}
	for _, kind := range []string{"login.discovery", "login.authorization", "login.token", "login.keys"} {
		if !seen[kind] {
			t.Errorf("there is no step %s", kind)
		}
	}
}

// desk is a terminal of its own, whose trace is looked at, and a browser beside it.
type desk struct {
	session *core.Session
	bus     *trace.Bus

	mu      sync.Mutex
	secrets []string // the codes that were typed
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{bus: trace.New()}
	terminal, err := core.New(core.Options{
		RESTConfig: running.AdminConfig, FS: program.NewFS(t.TempDir()).Plain(), Net: core.HostNetwork{Laptop: running}, Trace: d.bus,
	})
	if err != nil {
		t.Fatal(err)
	}
	d.session = terminal.Session("desk")
	return d
}

// run types a line, and gives what is shown; reads, if it is not nil, sees that as it comes.
func (d *desk) run(ctx context.Context, line string, reads func(shown string)) (shown string, code int) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	out := &watched{reads: reads}
	code = d.session.Run(ctx, line, core.Streams{Stdout: out, Stderr: out})
	out.mu.Lock()
	defer out.mu.Unlock()
	return out.text.String(), code
}

// watched is what a terminal shows, and who looks at it.
type watched struct {
	mu    sync.Mutex
	text  bytes.Buffer
	reads func(string)
}

// Write implements io.Writer.
func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	n, err := w.text.Write(p)
	shown := w.text.String()
	w.mu.Unlock()
	if w.reads != nil {
		w.reads(shown)
	}
	return n, err
}

var (
	addressed = regexp.MustCompile(`in your browser: (\S+)\n`)
	formed    = regexp.MustCompile(`(?s)<form.*?</form>`)
	action    = regexp.MustCompile(`<form[^>]* action="([^"]*)"`)
	input     = regexp.MustCompile(`<input[^>]*>`)
	named     = regexp.MustCompile(`name="([^"]*)"`)
	valued    = regexp.MustCompile(`value="([^"]*)"`)
)

// logIn goes to where the program sends a person, and fills in what is asked there, as in the page's browser.
func (d *desk) logIn(t *testing.T) func(shown string) {
	var once sync.Once
	return func(shown string) {
		if m := addressed.FindStringSubmatch(shown); m != nil {
			once.Do(func() { go d.visit(t, m[1]) })
		}
	}
}

// visit fills in one form after the other, until there is none.
func (d *desk) visit(t *testing.T, at string) {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // as the page's browser, which tells that it does
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return nil, err
			}
			conn, _, err := running.Visit(ctx, to)
			return conn, err
		},
	}}
	ask := func() (*http.Response, error) { return client.Get(at) }
	const pages = 6
	for range pages {
		response, err := ask()
		if err != nil {
			t.Error(err)
			return
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("%s: %s, %v\n%s", response.Request.URL, response.Status, err, text)
			return
		}
		form := formed.Find(text)
		if form == nil {
			return
		}
		values := url.Values{}
		for _, in := range input.FindAll(form, -1) {
			name, value := named.FindSubmatch(in), valued.FindSubmatch(in)
			if name == nil {
				continue
			}
			typed, types := map[string]string{"login": "ada@example.com", "password": "password"}[string(name[1])]
			if !types && value != nil {
				typed = html.UnescapeString(string(value[1]))
			}
			values.Set(string(name[1]), typed)
		}
		if code := values.Get("user_code"); code != "" {
			d.mu.Lock()
			d.secrets = append(d.secrets, code)
			d.mu.Unlock()
		}
		to := response.Request.URL
		if m := action.FindSubmatch(form); m != nil {
			if to, err = to.Parse(html.UnescapeString(string(m[1]))); err != nil {
				t.Error(err)
				return
			}
		}
		ask = func() (*http.Response, error) { return client.PostForm(to.String(), values) }
	}
	t.Error("the issuer asks and asks")
}
