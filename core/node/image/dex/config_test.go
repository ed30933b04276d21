package dex

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/programtest"
)

func parsed(t *testing.T, text string, env ...string) (*config, error) {
	t.Helper()
	return parse(&program.Process{Env: env}, "dex.yaml", []byte(text), func(*config) {})
}

// offline is a server that listens nowhere.
func offline(t testing.TB, text string) *server {
	t.Helper()
	c, err := parse(&program.Process{}, "dex.yaml", []byte(text), func(*config) {})
	if err != nil {
		t.Fatal(err)
	}
	k, err := newKey(t.Context(), c.Signer.Config.Algorithm)
	if err != nil {
		t.Fatal(err)
	}
	return newServer(&program.Process{}, c, slog.New(slog.DiscardHandler), k)
}

func TestConfig(t *testing.T) {
	if _, err := parsed(t, Example); err != nil {
		t.Errorf("the image's own: %v", err)
	}
	const costly, cheap = "$2a$13$PsNAm2Mw.IUi3mmR8i1gouMgIQLL3UyCYFtHvPVXAKr30XtV/.pJu", "$2a$04$PsNAm2Mw.IUi3mmR8i1gouMgIQLL3UyCYFtHvPVXAKr30XtV/.pJu"
	for _, c := range []struct{ old, change, want string }{
		{"issuer: http://dex.test/dex", "issuer: ''", "no issuer specified in config file"},
		{"issuer: http://dex.test/dex", "issuer: dex.test", "it has to be an address"},
		{"issuer: http://dex.test/dex", "issuer: 'https://dex.test/?a=b'", "it has to be an address"},
		{"storage: {type: memory}", "", "no storage supplied in config file"},
		{"storage: {type: memory}", "storage: {type: floppy}", `unknown storage type "floppy"`},
		{`web: {http: "0.0.0.0:5556"}`, "", "must supply a HTTP/HTTPS  address to listen on"},
		{`web: {http: "0.0.0.0:5556"}`, `web: {https: ":1"}`, "no cert specified for HTTPS\n\t-\tno private key specified for HTTPS"},
		{`web: {http: "0.0.0.0:5556"}`, `web: {http: ":1", tlsMinVersion: "1.1"}`, "supported TLS versions are: 1.2, 1.3"},
		{`web: {http: "0.0.0.0:5556"}`, `web: {http: ":1", tlsMinVersion: "1.3", tlsMaxVersion: "1.2"}`, "TLSMinVersion greater than TLSMaxVersion"},
		{"enablePasswordDB: true", "", "cannot specify static passwords without enabling password db"},
		{hash, "nonsense!", "Ada@example.com: malformed bcrypt hash"},
		{hash, costly, "is above upper bound cost = 12, because the tab stands still"},
		{hash, cheap, "does not meet minimum cost requirement = 10"},
		{`hash: "` + hash + `"`, "hashFromEnv: NONE", "no password hash provided"},
		{"email: Ada@example.com, ", "", "no email provided"},
		{"id: kubectl, ", "", "ID or IDEnv field is required for a client"},
		{"name: kubectl, ", "", "Name field is required for a client"},
		{"public: true", "public: false", `Secret or SecretEnv field is required for client "kubectl"`},
		{"id: kubectl, ", "idEnv: NONE, ", "the variable NONE, of idEnv, is not set"},
		{"secret: s3cret", "secretEnv: NONE", `the variable NONE, of secretEnv of client "web", is not set`},
		{"secret: s3cret", "secret: x, secretEnv: NONE", "exclusive"},
		{"algorithm: ES256", "algorithm: none", `invalid config value "none" for local signer algorithm`},
		{"signer: {", "signer: {type: vault, ", `signer type "vault" is not here`},
		{"enablePasswordDB: true", "enablePasswordDB: true\nconnectors: [{type: ldap, id: ldap, name: LDAP}]", `connector type "ldap" is not here: in the tab there are the local passwords only`},
		{"enablePasswordDB: true", "enablePasswordDB: true\nconnectors: [{type: telepathy}]", `unknown connector type "telepathy"`},
		{"enablePasswordDB: true", "enablePasswordDB: true\noauth2: {passwordConnector: ldap}", `oauth2.passwordConnector is "ldap"`},
		{"enablePasswordDB: true", "enablePasswordDB: true\noauth2: {responseTypes: [token]}", `here there is "code" only`},
		{"enablePasswordDB: true", "enablePasswordDB: true\noauth2: {responseTypes: [x]}", `unsupported response_type "x"`},
		{"enablePasswordDB: true", "enablePasswordDB: true\noauth2: {pkce: {codeChallengeMethodsSupported: [x]}}", `unsupported PKCE challenge method "x"`},
		{"enablePasswordDB: true", "enablePasswordDB: true\nexpiry: {idTokens: soon}", `invalid config value "soon" for id token expiry`},
		{"enablePasswordDB: true", "enablePasswordDB: true\nexpiry: {deviceRequests: -1m}", `invalid config value "-1m" for device request expiry`},
		{"enablePasswordDB: true", "enablePasswordDB: true\nlogger: {format: xml}", "log format is not one of the supported values (json, text): xml"},
		{"enablePasswordDB: true", "enablePasswordDB: true\nlogger: {level: loud}", "error unmarshalling config file dex.yaml"},
		{"enablePasswordDB: true", "enablePasswordDB: [", "error parse config file dex.yaml"},
		{"enablePasswordDB: true", `enablePasswordDB: {{ getenv "X" "true" }}`, "gomplate"},
		{"staticClients:", "staticClients:\n-", "staticClients[0] is empty"},
		{"staticPasswords:", "staticPasswords:\n-", "staticPasswords[0] is empty"},
	} {
		text := strings.Replace(configured(""), c.old, c.change, 1)
		if text == configured("") {
			t.Errorf("%q is not there", c.old)
		}
		if _, err := parsed(t, text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.change, err, c.want)
		}
	}
	if _, err := parsed(t, strings.Replace(Example, "enablePasswordDB: true", "", 1)); err == nil || !strings.Contains(err.Error(), "no connectors specified") {
		t.Error(err)
	}
	text := strings.NewReplacer("type: memory", "type: kubernetes, config: {inCluster: true}", "id: web", "idEnv: ID", "secret: s3cret", "secretEnv: SECRET", `hash: "`+hash+`", username: ada`, "hashFromEnv: HASH").Replace(configured(
		"grpc: {addr: ':5557'}\nunknown: {key: 1}\noauth2: {responseTypes: [code, id_token], grantTypes: [authorization_code, implicit]}\nexpiry: {idTokens: 10m, signingKeys: 6h}\n"))
	c, err := parsed(t, text, "ID=one", "SECRET=two", "HASH="+hash)
	if err != nil {
		t.Fatal(err)
	}
	if c.StaticClients[0].ID != "one" || c.StaticClients[0].Secret != "two" || c.StaticPasswords[0].Hash != hash || c.idTokens != 10*time.Minute || c.devices != 5*time.Minute || strings.Join(c.grants(), " ") != byCode {
		t.Errorf("%+v", c)
	}
	if words := strings.Join(c.absent(), "\n"); !strings.Contains(words, "kept in memory") || !strings.Contains(words, "grpc has no effect") || !strings.Contains(words, "there is code only") {
		t.Error(words)
	}
}

// TestCommands: what is typed, and what is refused before it serves.
func TestCommands(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"version"}, 0, "Dex Version: " + Version},
		{nil, 2, "Available Commands"},
		{[]string{"--help"}, 0, "Available Commands"},
		{[]string{"nonsense"}, 2, `unknown command "nonsense"`},
		{[]string{"serve"}, 2, "accepts 1 arg(s), received 0"},
		{[]string{"serve", "--help"}, 0, "--web-http-addr"},
		{[]string{"serve", "--nonsense"}, 2, "unknown flag"},
		{[]string{"serve", "/etc/none.yaml"}, 2, "failed to read config file /etc/none.yaml"},
		{[]string{"serve", "/etc/empty.yaml"}, 2, "no issuer specified in config file"},
		{[]string{"serve", "/etc/large.yaml"}, 2, "it is larger than"},
		{[]string{"serve", "/etc"}, 2, "failed to read config file /etc"},
	} {
		p, log := process(t, map[string]string{"/etc/empty.yaml": "", "/etc/large.yaml": strings.Repeat("#", maxConfig+1)}, c.args...)
		if code := Main(t.Context(), p); code != c.code || !strings.Contains(log.String(), c.want) {
			t.Errorf("%q: %d %s, want %d %s", c.args, code, log, c.code, c.want)
		}
	}
}

// TestListens: where flags say, with probes for whoever has none of the issuer's path, and until a signal.
func TestListens(t *testing.T) {
	p, log := process(t, map[string]string{"/etc/dex.yaml": configured("logger: {format: json}\n")}, "serve", "--telemetry-addr=:5558", "--web-http-addr=:80", "/etc/dex.yaml")
	at, signals, ended := make(chan string, 2), make(chan program.Signal, 1), make(chan int, 1)
	p.Net, p.Signals = programtest.Loopback{At: at}, signals
	go func() { ended <- Main(t.Context(), p) }()
	telemetry, web := <-at, <-at
	for _, address := range []string{telemetry + "/healthz", telemetry + "/healthz/ready", web + "/dex/healthz", web + "/", web + "/dex"} {
		res, err := http.Get("http://" + address)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusOK || !strings.Contains(string(body), "Health check passed") && !strings.Contains(string(body), `<a href="/dex/device">`) {
			t.Errorf("%s: %d %s", address, res.StatusCode, body)
		}
	}
	signals <- program.SIGTERM
	if code := <-ended; code != 0 {
		t.Errorf("it ended with %d: %s", code, log)
	}
	if !strings.Contains(log.String(), `"msg":"listening on","server":"http","address":":80"`) || !strings.Contains(log.String(), `"msg":"shutdown now"`) {
		t.Error(log)
	}
	// Who is killed ends, too.
	ctx, kill := context.WithCancel(t.Context())
	go func() { ended <- Main(ctx, p) }()
	<-at
	kill()
	<-ended
}

// TestIssuers: every path of an issuer is its own, with what a pattern would take for more.
func TestIssuers(t *testing.T) {
	for issuer, want := range map[string]string{
		"http://dex.test": "/device/code", "http://dex.test/": "/device/code", "http://dex.test/a/b/": "/a/b/device/code", "http://dex.test/{x}": "/%7Bx%7D/device/code", "http://dex.test/{": "/%7B/device/code",
	} {
		s := offline(t, strings.Replace(configured(""), "http://dex.test/dex", issuer, 1))
		for name, path := range map[string]string{"an issuer's own": want, "another": "/x" + want} {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader("client_id=kubectl"))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			s.handler().ServeHTTP(w, r)
			if (w.Code == http.StatusOK) != (path == want) || w.Code == http.StatusOK && !strings.Contains(w.Body.String(), strings.TrimSuffix(want, "/code")+`"`) {
				t.Errorf("%s: %s %s: %d %s", issuer, name, path, w.Code, w.Body)
			}
		}
	}
}

// TestExpires: what is issued has its time.
func TestExpires(t *testing.T) {
	s := offline(t, configured("expiry: {idTokens: 1h, deviceRequests: 5m, authRequests: 10m, refreshTokens: {validIfNotUsedFor: 1h, absoluteLifetime: 2h, reuseInterval: 3s}}\n"))
	synctest.Test(t, func(t *testing.T) {
		one := device{client: s.clients["kubectl"], user: newUserCode(), until: time.Now().Add(s.config.devices)}
		s.devices.add("name", one)
		s.userCodes.add(one.user, "name")
		time.Sleep(6 * time.Minute)
		if _, ok := s.waiting(one.user); ok {
			t.Error("a user's code is good for longer")
		}
		if _, why := s.byDevice(url.Values{"device_code": {"name"}}); why.kind != "expired_token" {
			t.Errorf("%+v", why)
		}
		time.Sleep(6 * time.Minute)
		if _, why := s.byDevice(url.Values{"device_code": {"name"}}); why.kind != "invalid_request" {
			t.Errorf("%+v", why)
		}

		from := permit{client: s.clients["web"], who: s.people["bob@example.com"], scopes: []string{scopeOpenID}}
		refreshed := func(token string) (string, string) {
			got, why := s.byRefresh(from.client, url.Values{"refresh_token": {token}})
			if why != nil {
				return "", why.text
			}
			return got.Refresh, ""
		}
		first := s.newRefresh(from)
		time.Sleep(50 * time.Minute)
		second, text := refreshed(first)
		if text != "" || second == first {
			t.Fatalf("%q", text)
		}
		time.Sleep(2 * time.Second)
		if again, _ := refreshed(first); again != second {
			t.Error("within the interval the same token is the answer")
		}
		time.Sleep(2 * time.Second)
		if again, _ := refreshed(first); again != "" {
			t.Error("the former token is good for longer")
		}
		third, text := refreshed(second)
		if text != "" {
			t.Fatal(text)
		}
		time.Sleep(61 * time.Minute)
		if _, text := refreshed(third); text != "Refresh token expired." {
			t.Errorf("not used for an hour: %q", text)
		}
		token := s.newRefresh(from)
		for range 3 {
			time.Sleep(45 * time.Minute)
			token, text = refreshed(token)
		}
		if text != "Refresh token expired." {
			t.Errorf("after two hours: %q", text)
		}

		made, err := s.issue(from, "")
		if err != nil {
			t.Fatal(err)
		}
		said, err := s.key.verify(made.Access)
		if err != nil || s.valid(said) != nil {
			t.Errorf("%v, %v", err, s.valid(said))
		}
		time.Sleep(time.Hour + time.Second)
		if s.valid(said) == nil {
			t.Error("a token is good for longer")
		}
	})
}

// TestRSA: what clients take without being told.
func TestRSA(t *testing.T) {
	k, err := newKey(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	token, err := k.sign(map[string]string{"a": "b"})
	if err != nil || k.public.Algorithm != "RS256" || !k.public.IsPublic() {
		t.Fatalf("%v: %+v", err, k.public)
	}
	if said, err := k.verify(token); err != nil || string(said) != `{"a":"b"}` {
		t.Errorf("%v: %s", err, said)
	}
}
