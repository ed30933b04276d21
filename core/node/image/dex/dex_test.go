package dex

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc"
	"golang.org/x/oauth2"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/programtest"
)

// password is what the hashes below are of, made by `htpasswd -bnBC 10 "" "open sesame"`.
const (
	password = "open sesame"
	hash     = "$2a$10$PsNAm2Mw.IUi3mmR8i1gouMgIQLL3UyCYFtHvPVXAKr30XtV/.pJu"
)

// configured is a configuration as people write it, with what is added.
func configured(more string) string {
	return `issuer: http://dex.test/dex
storage: {type: memory}
web: {http: "0.0.0.0:5556"}
signer: {config: {algorithm: ES256}}
enablePasswordDB: true
staticPasswords:
- {email: Ada@example.com, hash: "` + hash + `", username: ada, userID: "7", groups: [admins, "<b>"]}
- {email: bob@example.com, hash: "` + hash + `", username: bob, userID: "8"}
staticClients:
- {id: web, name: "Web <app>", secret: s3cret, redirectURIs: ["http://web.test/callback?x=1", /device/callback]}
- {id: other, name: Other, secret: 0ther, redirectURIs: ["http://other.test/callback"]}
- {id: kubectl, name: kubectl, public: true}
- {id: bound, name: Bound, public: true, redirectURIs: ["http://localhost:8000/here"]}
` + more
}

const asItComes = "oauth2: {passwordConnector: local}\n"

// pod is one dex, which answers as http://dex.test.
type pod struct {
	process *program.Process
	at      string
	log     *programtest.Output
	signals chan program.Signal
	ended   chan int
	client  *http.Client
}

func process(t *testing.T, files map[string]string, args ...string) (*program.Process, *programtest.Output) {
	t.Helper()
	root, log := program.NewFS(t.TempDir()), &programtest.Output{}
	if err := root.Mkdir("/etc", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := root.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &program.Process{Args: append([]string{"dex"}, args...), PID: 1, FS: root, Dir: "/", Stdout: log, Stderr: log}, log
}

func start(t *testing.T, config string) *pod {
	t.Helper()
	one := &pod{signals: make(chan program.Signal, 1), ended: make(chan int, 1)}
	one.process, one.log = process(t, map[string]string{"/etc/dex.yaml": config}, "serve", "/etc/dex.yaml")
	at := make(chan string, 1)
	one.process.Net, one.process.Signals = programtest.Loopback{At: at}, one.signals
	go func() { one.ended <- Main(t.Context(), one.process) }()
	t.Cleanup(func() {
		one.signals <- program.SIGTERM
		one.ended <- <-one.ended
	})
	select {
	case one.at = <-at:
	case code := <-one.ended:
		one.ended <- code
		t.Fatalf("it ended with %d: %s", code, one.log)
	}
	jar, _ := cookiejar.New(nil)
	one.client = &http.Client{Jar: jar, Transport: one, CheckRedirect: func(req *http.Request, _ []*http.Request) error {
		if req.URL.Host != "dex.test" {
			return http.ErrUseLastResponse // to the client's own address
		}
		return nil
	}}
	return one
}

// RoundTrip asks the pod, whatever name it is asked by.
func (p *pod) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.URL.Host = p.at
	return http.DefaultTransport.RoundTrip(req)
}

// answer is a response that is read.
type answer struct {
	status int
	body   string
	header http.Header
	// at is where redirects have led to.
	at *url.URL
}

func (p *pod) asked(t *testing.T, method, path string, form url.Values, headers ...string) answer {
	t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(t.Context(), method, "http://dex.test"+path, body)
	if err != nil {
		t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := p.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, string(all), res.Header, res.Request.URL}
}

var (
	action = regexp.MustCompile(`<form method="post" action="([^"]*)"`)
	hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)
)

// submitted sends the first form of a page, as a browser does, with fields.
func (p *pod) submitted(t *testing.T, page answer, fields url.Values) answer {
	t.Helper()
	form := action.FindStringSubmatch(page.body)
	if form == nil {
		t.Fatalf("no form: %d %s", page.status, page.body)
	}
	first, _, _ := strings.Cut(page.body, "</form>")
	for _, m := range hidden.FindAllStringSubmatch(first, -1) {
		fields.Set(m[1], m[2])
	}
	return p.asked(t, http.MethodPost, strings.ReplaceAll(form[1], "&amp;", "&"), fields)
}

func ada() url.Values { return url.Values{"login": {"ada@EXAMPLE.com"}, "password": {password}} }

// library is what a client of ours is: x/oauth2 and go-oidc, which know nothing of dex.
func (p *pod) library(t *testing.T, id, secret, returnTo string, scopes ...string) (context.Context, *oauth2.Config, *oidc.IDTokenVerifier, *oidc.Provider) {
	t.Helper()
	ctx := oidc.ClientContext(t.Context(), p.client)
	provider, err := oidc.NewProvider(ctx, "http://dex.test/dex")
	if err != nil {
		t.Fatal(err)
	}
	at := provider.Endpoint()
	at.DeviceAuthURL = "http://dex.test/dex/device/code"
	return ctx, &oauth2.Config{ClientID: id, ClientSecret: secret, Endpoint: at, RedirectURL: returnTo, Scopes: append([]string{"openid"}, scopes...)},
		provider.Verifier(&oidc.Config{ClientID: id, SupportedSigningAlgs: []string{"RS256", "ES256"}}), provider
}

// verified is what an ID token says.
func verified(ctx context.Context, t *testing.T, by *oidc.IDTokenVerifier, token *oauth2.Token) (*oidc.IDToken, map[string]any) {
	t.Helper()
	raw, _ := token.Extra("id_token").(string)
	id, err := by.Verify(ctx, raw)
	if err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	if err := id.VerifyAccessToken(token.AccessToken); err != nil {
		t.Error(err)
	}
	said := map[string]any{}
	if err := id.Claims(&said); err != nil {
		t.Fatal(err)
	}
	return id, said
}

func TestCode(t *testing.T) {
	p := start(t, configured(asItComes))
	const back = "http://web.test/callback?x=1"
	ctx, conf, by, provider := p.library(t, "web", "s3cret", back, "email", "profile", "groups", "offline_access")
	verifier := oauth2.GenerateVerifier()
	address := conf.AuthCodeURL("st&te", oauth2.S256ChallengeOption(verifier), oidc.Nonce("n0nce"))
	form := p.asked(t, "GET", strings.TrimPrefix(address, "http://dex.test"), nil)
	if form.at.Path != "/dex/auth/local/login" || !strings.Contains(form.body, "to go on to Web &lt;app&gt;") {
		t.Fatalf("%v: %s", form.at, form.body)
	}
	wrong := p.submitted(t, form, url.Values{"login": {`"><script>`}, "password": {"wr0ng"}})
	if !strings.Contains(wrong.body, "Invalid Email Address and password.") || strings.Contains(wrong.body, "<script>") || strings.Contains(wrong.body, "wr0ng") {
		t.Errorf("a wrong password: %s", wrong.body)
	}
	asks := p.submitted(t, wrong, ada())
	if asks.at.Path != "/dex/approval" || !strings.Contains(asks.body, "View your email address") {
		t.Fatalf("%v: %s", asks.at, asks.body)
	}
	done := p.submitted(t, asks, url.Values{})
	got, err := url.Parse(done.header.Get("Location"))
	if err != nil || done.status != http.StatusSeeOther || got.Host != "web.test" || got.Query().Get("x") != "1" || got.Query().Get("state") != "st&te" {
		t.Fatalf("it leads to %v: %v", got, err)
	}
	token, err := conf.Exchange(ctx, got.Query().Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	id, said := verified(ctx, t, by, token)
	if id.Subject != "CgE3EgVsb2NhbA" || id.Nonce != "n0nce" || said["email"] != "Ada@example.com" || said["email_verified"] != true ||
		said["name"] != "ada" || len(said["groups"].([]any)) != 2 || said["aud"] != "web" {
		t.Errorf("the token says %v", said)
	}
	info, err := provider.UserInfo(ctx, conf.TokenSource(ctx, token))
	if err != nil || info.Email != "Ada@example.com" || info.Subject != id.Subject {
		t.Errorf("userinfo: %v, %v", info, err)
	}
	again := conf.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken})
	next, err := again.Token()
	if err != nil || next.RefreshToken == token.RefreshToken {
		t.Fatalf("refreshed: %v, %v", next, err)
	}
	verified(ctx, t, by, next)
	if _, err := conf.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token(); err == nil {
		t.Error("a refresh token is good twice")
	}
	if _, err := conf.TokenSource(ctx, &oauth2.Token{RefreshToken: next.RefreshToken}).Token(); err != nil {
		t.Errorf("the next one is not good: %v", err)
	}
	log := p.log.String()
	if !strings.Contains(log, `msg="login successful" connector_id=local user_id=7 username=ada preferred_username="" email=Ada@example.com groups="[admins <b>]"`) {
		t.Errorf("the log: %s", log)
	}
	for _, secret := range []string{password, "wr0ng", got.Query().Get("code"), token.AccessToken, token.RefreshToken, next.RefreshToken, verifier, "s3cret"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %q: %s", secret, log)
		}
	}
}

func TestPassword(t *testing.T) {
	p := start(t, configured(asItComes))
	ctx, conf, by, _ := p.library(t, "kubectl", "", "", "email")
	token, err := conf.PasswordCredentialsToken(ctx, "ada@example.com", password)
	if err != nil {
		t.Fatal(err)
	}
	if _, said := verified(ctx, t, by, token); said["email"] != "Ada@example.com" || said["groups"] != nil || token.RefreshToken != "" {
		t.Errorf("it says %v", said)
	}
	for who, word := range map[string]string{"ada@example.com": "", "nobody@example.com": password} {
		if _, err := conf.PasswordCredentialsToken(ctx, who, word); err == nil || !strings.Contains(err.Error(), "access_denied") {
			t.Errorf("%s: %v", who, err)
		}
	}
}

func TestDevice(t *testing.T) {
	p := start(t, configured("oauth2: {skipApprovalScreen: true}\n"))
	ctx, conf, by, _ := p.library(t, "kubectl", "", "", "groups", "offline_access")
	verifier := oauth2.GenerateVerifier()
	begun, err := conf.DeviceAuth(ctx, oauth2.S256ChallengeOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$`).MatchString(begun.UserCode) || begun.Interval != 5 ||
		begun.VerificationURIComplete != "http://dex.test/dex/device?user_code="+begun.UserCode {
		t.Fatalf("%+v", begun)
	}
	poll := func() answer {
		return p.asked(t, "POST", "/dex/token", url.Values{"grant_type": {byDevice}, "device_code": {begun.DeviceCode}, "client_id": {"kubectl"}, "code_verifier": {verifier}})
	}
	if got := poll(); got.status != 400 || !strings.Contains(got.body, "authorization_pending") {
		t.Errorf("%+v", got)
	}
	if got := poll(); !strings.Contains(got.body, "slow_down") {
		t.Errorf("asked at once again: %+v", got)
	}
	form := p.asked(t, "GET", strings.TrimPrefix(begun.VerificationURIComplete, "http://dex.test"), nil)
	wrong := p.submitted(t, form, url.Values{"user_code": {"<i>-BBBB"}})
	if !strings.Contains(wrong.body, "Invalid or Expired User Code") || strings.Contains(wrong.body, "<i>") {
		t.Errorf("a wrong code: %s", wrong.body)
	}
	done := p.submitted(t, p.submitted(t, form, url.Values{"user_code": {strings.ToLower(begun.UserCode)}}), ada())
	if !strings.Contains(done.body, "Login Successful for kubectl") {
		t.Fatalf("%v: %s", done.at, done.body)
	}
	begun.Interval = 1
	token, err := conf.DeviceAccessToken(ctx, begun, oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	if _, said := verified(ctx, t, by, token); len(said["groups"].([]any)) != 2 || token.RefreshToken == "" {
		t.Errorf("it says %v", said)
	}
	if got := poll(); got.status != 400 || !strings.Contains(got.body, "Invalid Device code.") {
		t.Errorf("a device's code is good twice: %+v", got)
	}
}

// TestSecured: what the tab serves by TLS, and a certificate that is replaced.
func TestSecured(t *testing.T) {
	first, second := issued(t, "one"), issued(t, "two")
	p, log := process(t, map[string]string{
		"/etc/dex.yaml": strings.Replace(configured(""), `web: {http: "0.0.0.0:5556"}`, "web: {https: \":5554\", tlsCert: etc/tls.crt, tlsKey: etc/tls.key}", 1),
	}, "serve", "etc/dex.yaml")
	if code := Main(t.Context(), p); code != 2 || !strings.Contains(log.String(), "invalid config: get HTTP TLS: load TLS config: loading TLS keypair: ") {
		t.Fatalf("without a certificate: %d %s", code, log)
	}
	write := func(pair [2]string) {
		for i, name := range []string{"/etc/tls.crt", "/etc/tls.key"} {
			if err := p.FS.WriteFile(name, []byte(pair[i]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(first)
	at, signals, ended := make(chan string, 1), make(chan program.Signal, 1), make(chan int, 1)
	p.Net, p.Signals = programtest.Loopback{At: at}, signals
	go func() { ended <- Main(t.Context(), p) }()
	address := <-at
	for i, want := range []string{"one", "two", "two"} {
		switch i {
		case 1:
			write(second)
		case 2:
			write([2]string{"nonsense", "nonsense"})
		}
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := conn.ConnectionState().PeerCertificates[0].Subject.CommonName; got != want {
			t.Errorf("%d: it is %s, want %s", i, got, want)
		}
		conn.Close()
	}
	signals <- program.SIGTERM
	select {
	case code := <-ended:
		if code != 0 {
			t.Errorf("it ended with %d: %s", code, log)
		}
	case <-time.After(30 * time.Second):
		t.Error("it does not end")
	}
}
