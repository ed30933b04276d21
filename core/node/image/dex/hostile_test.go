package dex

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// codeFor logs Ada in for a client, and gives the code.
func codeFor(t *testing.T, p *pod, q url.Values) string {
	t.Helper()
	q.Set("response_type", "code")
	q.Set("scope", "openid offline_access")
	done := p.submitted(t, p.asked(t, "GET", "/dex/auth?"+q.Encode(), nil), ada())
	if done.at.Path == "/dex/approval" {
		done = p.submitted(t, done, url.Values{})
	}
	at, err := url.Parse(done.header.Get("Location"))
	if err != nil || at.Query().Get("code") == "" {
		t.Fatalf("%d %s: %s", done.status, done.header.Get("Location"), done.body)
	}
	return at.Query().Get("code")
}

// TestNobodyIsSentAway: an address that is not the client's gets nothing, not even an error.
func TestNobodyIsSentAway(t *testing.T) {
	p := start(t, configured(asItComes))
	for client, addresses := range map[string][]string{
		"web": {
			"", "http://evil.test/", "http://web.test/callback", "http://web.test/callback?x=1&y=2", "http://web.test/callback?x=1#", "HTTP://web.test/callback?x=1",
			"http://web.test.evil.test/callback?x=1", "http://localhost:8000", "urn:ietf:wg:oauth:2.0:oob", "//evil.test", "http://other.test/callback", "javascript:alert(1)",
		},
		"kubectl": {
			"", "http://evil.test/", "https://localhost:8000", "http://localhost@evil.test/", "http://localhost:8000@evil.test/", "http://localhost.evil.test/", `http://localhost\@evil.test/`,
			"http://127.0.0.1.evil.test/", "http://evil.test#@localhost/", "http://user@localhost:8000/", "http:localhost", "//localhost", "http://0.0.0.0/", "http://10.0.0.1/", "http://[::1", "javascript:alert(1)", "/device/callback/../../x",
		},
		"bound":  {"http://localhost:8000/", "http://localhost:8000/here/", "http://localhost:8001/here", outOfBand, deviceCallback},
		"nobody": {"http://web.test/callback?x=1"},
		"":       {"http://web.test/callback?x=1"},
	} {
		for _, address := range addresses {
			q := url.Values{"client_id": {client}, "redirect_uri": {address}, "state": {"s"}, "scope": {"openid"}, "response_type": {"code"}}
			for _, more := range []url.Values{nil, {"response_type": {"token"}}, {"scope": {"nonsense"}}, {"prompt": {"none"}}} {
				for name := range more {
					q.Set(name, more.Get(name))
				}
				for _, method := range []string{http.MethodGet, http.MethodPost} {
					got := p.asked(t, method, "/dex/auth?"+q.Encode(), url.Values{})
					if got.status != http.StatusBadRequest || got.header.Get("Location") != "" || strings.Contains(got.body, "evil") {
						t.Errorf("%s %q: %d to %q: %s", client, address, got.status, got.header.Get("Location"), got.body)
					}
				}
			}
		}
	}
	for _, address := range []string{"http://localhost", "http://localhost:8000/callback", "http://127.0.0.1:18000", "http://[::1]:80/"} {
		q := url.Values{"client_id": {"kubectl"}, "redirect_uri": {address}, "scope": {"openid"}, "response_type": {"code"}}
		if got := p.asked(t, "GET", "/dex/auth?"+q.Encode(), nil); got.status != http.StatusOK {
			t.Errorf("%s: %+v", address, got)
		}
	}
}

// TestWhatIsWrongIsSaid: to the client, where the address is its own.
func TestWhatIsWrongIsSaid(t *testing.T) {
	p := start(t, configured(asItComes))
	for change, want := range map[string]string{
		"response_type=token": "unsupported_response_type", "response_type=code token": "unsupported_response_type", "response_type=": "invalid_request",
		"scope=email": "invalid_scope", "scope=openid nonsense": "invalid_scope", "scope=openid audience:server:client_id:other": "invalid_scope",
		"code_challenge_method=none": "invalid_request", "prompt=none": "login_required", "request=x": "request_not_supported", "connector_id=ldap": "invalid_request",
	} {
		q := url.Values{"client_id": {"web"}, "redirect_uri": {"http://web.test/callback?x=1"}, "state": {"a b"}, "scope": {"openid"}, "response_type": {"code"}, "code_challenge": {"x"}}
		name, value, _ := strings.Cut(change, "=")
		q.Set(name, value)
		got := p.asked(t, "GET", "/dex/auth?"+q.Encode(), nil)
		at, err := url.Parse(got.header.Get("Location"))
		if err != nil || at.Host != "web.test" || at.Query().Get("error") != want || at.Query().Get("state") != "a b" {
			t.Errorf("%s: %d to %v", change, got.status, at)
		}
	}
}

// TestCodesAreBound: to who has asked, once.
func TestCodesAreBound(t *testing.T) {
	p := start(t, configured("oauth2: {skipApprovalScreen: true}\n"))
	const back = "http://web.test/callback?x=1"
	begin := func() url.Values {
		return url.Values{"client_id": {"web"}, "redirect_uri": {back}, "code_challenge": {"the-verifier"}}
	}
	right := url.Values{"grant_type": {byCode}, "client_id": {"web"}, "client_secret": {"s3cret"}, "redirect_uri": {back}, "code_verifier": {"the-verifier"}}
	for _, c := range []struct{ change, want string }{
		{"", ""},
		{"code_verifier=another", "invalid_grant"},
		{"code_verifier=", "invalid_grant"},
		{"redirect_uri=http://web.test/callback", "invalid_request"},
		{"client_secret=wrong", "invalid_client"},
		{"client_secret=", "invalid_client"},
		{"client_id=nobody", "invalid_client"},
		{"client_id=kubectl", "invalid_client"}, // a secret where there is none
		{"client_id=other&client_secret=0ther", "invalid_grant"},
		{"grant_type=implicit", "unsupported_grant_type"},
		{"grant_type=password", "unsupported_grant_type"}, // no passwordConnector
	} {
		form, changes := url.Values{"code": {codeFor(t, p, begin())}}, url.Values{}
		for name := range right {
			form.Set(name, right.Get(name))
		}
		if changes, _ = url.ParseQuery(c.change); len(changes) > 0 {
			for name := range changes {
				form.Set(name, changes.Get(name))
			}
		}
		got := p.asked(t, "POST", "/dex/token", form)
		if c.want == "" && got.status != http.StatusOK || c.want != "" && (got.status < 400 || got.status > 401 || !strings.Contains(got.body, `"`+c.want+`"`)) {
			t.Errorf("%s: %d %s, want %s", c.change, got.status, got.body, c.want)
		}
		// Who was refused as a client has not shown the code; everybody else has ended it.
		if again := p.asked(t, "POST", "/dex/token", form); again.status == http.StatusOK {
			t.Errorf("%s: it is good again", c.change)
		}
	}
	// A verifier where none was announced is somebody else's.
	form := url.Values{"code": {codeFor(t, p, url.Values{"client_id": {"web"}, "redirect_uri": {back}})}}
	for name := range right {
		form.Set(name, right.Get(name))
	}
	if got := p.asked(t, "POST", "/dex/token", form); !strings.Contains(got.body, "No PKCE flow started") {
		t.Error(got.body)
	}
	// Of many at once one has it.
	form.Set("code", codeFor(t, p, begin()))
	var had sync.Map
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { had.Store(i, p.asked(t, "POST", "/dex/token", form).status) })
	}
	all.Wait()
	good := 0
	had.Range(func(_, status any) bool {
		if status == http.StatusOK {
			good++
		}
		return true
	})
	if good != 1 {
		t.Errorf("a code was good %d times", good)
	}
}

// TestSecretsByHeader: as RFC 6749 has it, quoted.
func TestSecretsByHeader(t *testing.T) {
	p := start(t, configured(asItComes))
	form := url.Values{"grant_type": {byPassword}, "scope": {"openid"}, "username": {"ada@example.com"}, "password": {password}}
	for header, want := range map[string]int{"web:s3cret": 200, "web:%73cret": 401, "web:s%33cret": 200, "web:%zz": 400, "%zz:s3cret": 400, "web:": 401, "kubectl:": 200, ":": 401} {
		got := p.asked(t, "POST", "/dex/token", form, "Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(header)))
		if got.status != want {
			t.Errorf("%s: %d %s, want %d", header, got.status, got.body, want)
		}
	}
	// What is in the address is in logs: it does not count.
	if got := p.asked(t, "POST", "/dex/token?"+form.Encode(), url.Values{"client_id": {"kubectl"}}); got.status == http.StatusOK {
		t.Error("a password in the address is taken")
	}
	if got := p.asked(t, "POST", "/dex/token?client_id=web&client_secret=s3cret", form); got.status != http.StatusUnauthorized {
		t.Errorf("a client's secret in the address is taken: %+v", got)
	}
}

// TestRefreshTokens: of another client, with more than was allowed, forged.
func TestRefreshTokens(t *testing.T) {
	p := start(t, configured(asItComes))
	form := url.Values{"grant_type": {byPassword}, "scope": {"openid offline_access email"}, "username": {"ada@example.com"}, "password": {password}}
	token := func(id, secret string) string {
		form.Set("client_id", id)
		form.Set("client_secret", secret)
		body := p.asked(t, "POST", "/dex/token", form).body
		_, rest, _ := strings.Cut(body, `"refresh_token": "`)
		text, _, ok := strings.Cut(rest, `"`)
		if !ok {
			t.Fatal(body)
		}
		return text
	}
	refreshed := func(token, scope, id, secret string) answer {
		return p.asked(t, "POST", "/dex/token", url.Values{"grant_type": {byRefresh}, "refresh_token": {token}, "scope": {scope}, "client_id": {id}, "client_secret": {secret}})
	}
	first := token("web", "s3cret")
	id, _, _ := texts(first)
	for _, c := range []struct{ token, scope, id, secret, want string }{
		{first, "", "other", "0ther", "invalid_grant"},
		{first, "openid groups", "web", "s3cret", "unauthorized scope"},
		{first, "", "web", "", "invalid_client"},
		{message(id, ""), "", "web", "s3cret", "invalid_request"},
		{message(id, "guessed"), "", "web", "s3cret", "invalid_request"},
		{id, "", "web", "s3cret", "invalid_request"},
		{"", "", "web", "s3cret", "No refresh token"},
		{"!", "", "web", "s3cret", "invalid_request"},
		{base64.RawURLEncoding.EncodeToString([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f}), "", "web", "s3cret", "invalid_request"},
	} {
		if got := refreshed(c.token, c.scope, c.id, c.secret); got.status < 400 || !strings.Contains(got.body, c.want) {
			t.Errorf("%+v: %d %s", c, got.status, got.body)
		}
	}
	if got := refreshed(first, "openid", "web", "s3cret"); got.status != http.StatusOK {
		t.Errorf("what others have tried has ended it: %s", got.body)
	}
	// Another login replaces the token.
	second, third := token("web", "s3cret"), token("web", "s3cret")
	if got := refreshed(second, "", "web", "s3cret"); got.status == http.StatusOK {
		t.Error("a token goes on beside the one that has replaced it")
	}
	if got := refreshed(third, "", "web", "s3cret"); got.status != http.StatusOK {
		t.Error(got.body)
	}
}

// TestDevicesAreBound: to their client, to who has approved, and to a code of their own login.
func TestDevicesAreBound(t *testing.T) {
	p := start(t, configured(asItComes))
	begin := func(more ...string) (device, user string) {
		form := url.Values{"client_id": {"kubectl"}, "scope": {"openid"}}
		for i := 0; i < len(more); i += 2 {
			form.Set(more[i], more[i+1])
		}
		got := p.asked(t, "POST", "/dex/device/code", form)
		field := func(name string) string {
			_, rest, _ := strings.Cut(got.body, `"`+name+`": "`)
			text, _, _ := strings.Cut(rest, `"`)
			return text
		}
		if got.status != http.StatusOK {
			t.Fatalf("%v: %d %s", more, got.status, got.body)
		}
		return field("device_code"), field("user_code")
	}
	poll := func(device string, more ...string) string {
		form := url.Values{"grant_type": {byDevice}, "device_code": {device}}
		for i := 0; i < len(more); i += 2 {
			form.Set(more[i], more[i+1])
		}
		return p.asked(t, "POST", "/dex/token", form).body
	}
	approve := func(user, button string) answer {
		form := p.asked(t, "GET", "/dex/device?user_code="+user, nil)
		asks := p.submitted(t, p.submitted(t, form, url.Values{"user_code": {user}}), ada())
		if button == "Cancel" {
			asks.body = asks.body[strings.LastIndex(asks.body, "<form"):]
		}
		return p.submitted(t, asks, url.Values{})
	}
	for form, want := range map[string]string{
		"client_id=nobody": "invalid_client", "client_id=web": "invalid_client", "client_id=kubectl&scope=nonsense": "invalid_scope",
		"client_id=kubectl&code_challenge=x&code_challenge_method=none": "invalid_request", "client_id=kubectl&scope=" + strings.Repeat("a", maxScopes+1): "invalid_request",
	} {
		q, _ := url.ParseQuery(form)
		if got := p.asked(t, "POST", "/dex/device/code", q); got.status < 400 || !strings.Contains(got.body, want) {
			t.Errorf("%.80s: %d %s", form, got.status, got.body)
		}
	}

	one, user := begin()
	if got := approve(user, "Cancel"); got.status != http.StatusForbidden {
		t.Errorf("%+v", got)
	}
	if got := poll(one); !strings.Contains(got, "access_denied") {
		t.Error(got)
	}
	one, user = begin("code_challenge", "the-verifier")
	if got := approve(user, "Grant Access"); !strings.Contains(got.body, "Login Successful for kubectl") {
		t.Errorf("%+v", got)
	}
	if got := poll(one, "client_id", "web"); !strings.Contains(got, "Invalid Device code.") {
		t.Error(got)
	}
	for _, verifier := range []string{"", "another"} {
		if got := poll(one, "code_verifier", verifier); !strings.Contains(got, "invalid_grant") {
			t.Error(got)
		}
	}
	if got := poll(one, "code_verifier", "the-verifier"); !strings.Contains(got, `"id_token"`) {
		t.Error(got)
	}
	for _, guessed := range []string{"", user, strings.Repeat("a", 52), one} {
		if got := poll(guessed); strings.Contains(got, "token\":") || !strings.Contains(got, "invalid_request") {
			t.Errorf("%q: %s", guessed, got)
		}
	}
	// The code of another login, of another client, or none: the device goes on waiting.
	one, user = begin()
	other, elsewhere := codeForDevice(t, p), codeFor(t, p, url.Values{"client_id": {"kubectl"}, "redirect_uri": {"http://localhost:8000"}})
	for _, q := range []url.Values{
		{"state": {user}}, {"state": {user}, "code": {"guessed"}}, {"state": {user}, "code": {other}}, {"state": {user}, "code": {elsewhere}}, {"state": {"BBBB-BBBB"}, "code": {codeForDevice(t, p)}},
		{"state": {user}, "error": {"<b>denied"}},
	} {
		if got := p.asked(t, "GET", "/dex/device/callback?"+q.Encode(), nil); got.status != http.StatusBadRequest || strings.Contains(got.body, "<b>") {
			t.Errorf("%v: %+v", q, got)
		}
	}
	if got := poll(one); !strings.Contains(got, "authorization_pending") {
		t.Error(got)
	}
}

// codeForDevice is a code that the client "web" got for a device of its own.
func codeForDevice(t *testing.T, p *pod) string {
	t.Helper()
	q := url.Values{"client_id": {"web"}, "redirect_uri": {deviceCallback}, "response_type": {"code"}, "scope": {"openid"}}
	asks := p.submitted(t, p.asked(t, "GET", "/dex/auth?"+q.Encode(), nil), ada())
	check := p.client.CheckRedirect
	p.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	defer func() { p.client.CheckRedirect = check }()
	at, err := url.Parse(p.submitted(t, asks, url.Values{}).header.Get("Location"))
	if err != nil || at.Path != "/dex/device/callback" {
		t.Fatalf("%v, %v", at, err)
	}
	return at.Query().Get("code")
}

// TestLoginCannotBeSkipped: neither the approval nor the code is had without the password.
func TestLoginCannotBeSkipped(t *testing.T) {
	p := start(t, configured(asItComes))
	q := url.Values{"client_id": {"kubectl"}, "redirect_uri": {outOfBand}, "scope": {"openid"}, "response_type": {"code"}}
	form := p.asked(t, "GET", "/dex/auth?"+q.Encode(), nil)
	id := form.at.Query().Get("state")
	for _, mac := range []string{"", "x", id} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			got := p.asked(t, method, "/dex/approval", url.Values{"req": {id}, "hmac": {mac}, "approval": {"approve"}})
			if got.status < 400 {
				t.Errorf("%s %q: %+v", method, mac, got)
			}
		}
	}
	asks := p.submitted(t, form, ada())
	if got := p.asked(t, "POST", "/dex/approval", url.Values{"req": {id}, "hmac": {"x"}, "approval": {"approve"}}); got.status != http.StatusUnauthorized {
		t.Errorf("%+v", got)
	}
	done := p.submitted(t, asks, url.Values{})
	if !strings.Contains(done.body, "Please copy this code") {
		t.Errorf("%+v", done)
	}
	if again := p.submitted(t, asks, url.Values{}); again.status != http.StatusBadRequest {
		t.Errorf("approved twice: %+v", again)
	}
	if again := p.submitted(t, form, ada()); again.status != http.StatusBadRequest {
		t.Errorf("logged in twice: %+v", again)
	}
}

// TestTokensOfOthers: /userinfo takes its own only.
func TestTokensOfOthers(t *testing.T) {
	p, stranger := start(t, configured(asItComes)), start(t, configured(asItComes))
	ctx, conf, _, _ := stranger.library(t, "kubectl", "", "", "email")
	token, err := conf.PasswordCredentialsToken(ctx, "ada@example.com", password)
	if err != nil {
		t.Fatal(err)
	}
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + strings.Split(token.AccessToken, ".")[1] + "."
	for _, header := range []string{"", "Bearer", "Bearer ", "Basic " + token.AccessToken, "Bearer " + token.AccessToken, "Bearer " + none, "Bearer x.y.z", "Bearer " + strings.Repeat("x", maxHead/2)} {
		if got := p.asked(t, "GET", "/dex/userinfo", nil, "Authorization", header); got.status != http.StatusUnauthorized && got.status != http.StatusForbidden {
			t.Errorf("%.40q: %+v", header, got)
		}
	}
	if got := stranger.asked(t, "GET", "/dex/userinfo", nil, "Authorization", "bearer "+token.AccessToken); got.status != http.StatusOK || !strings.Contains(got.body, "Ada@example.com") {
		t.Errorf("%+v", got)
	}
}

// TestPagesAreQuoted: what somebody says is text, and no markup; what the page may do is little.
func TestPagesAreQuoted(t *testing.T) {
	p := start(t, configured(`oauth2: {skipApprovalScreen: false}
frontend: {issuer: "<i>us"}
`))
	const bad = `"><script>alert(1)</script>`
	escaped := url.QueryEscape(bad)
	for _, path := range []string{
		"/dex/", "/dex/device?user_code=" + escaped, "/dex/auth?client_id=" + escaped, "/dex/auth/local/login?state=" + escaped, "/dex/auth/local/login?back=" + escaped,
		"/dex/approval?req=" + escaped + "&hmac=" + escaped, "/dex/device/callback?error=x&error_description=" + escaped, "/dex/device/callback?code=" + escaped + "&state=" + escaped,
		"/dex/" + escaped, "/" + escaped,
		"/dex/auth?" + url.Values{"client_id": {"web"}, "redirect_uri": {"http://web.test/callback?x=1"}, "scope": {"openid"}, "response_type": {"code"}, "state": {bad}, "nonce": {bad}}.Encode(),
		"/dex/auth?" + url.Values{"client_id": {"kubectl"}, "redirect_uri": {outOfBand}, "scope": {"openid " + bad}, "response_type": {"code"}}.Encode(),
	} {
		got := p.asked(t, "GET", path, nil)
		if strings.Contains(got.body, "<script") || strings.Contains(got.body, "<i>us") || strings.Contains(got.body, "ZgotmplZ") {
			t.Errorf("%s: %s", path, got.body)
		}
		if csp := got.header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: the policy is %q", path, csp)
		}
		if strings.Contains(got.body, "<style>") && !strings.Contains(got.body, "<style>"+style+"</style>") {
			t.Errorf("%s: the style is another than the policy's", path)
		}
	}
}

// TestTooMuch: what is too long is refused, and what is kept has an end.
func TestTooMuch(t *testing.T) {
	p := start(t, configured(asItComes))
	for name, most := range map[string]int{"state": maxState, "nonce": maxNonce, "scope": maxScopes, "code_challenge": maxChallenge, "client_id": maxState, "redirect_uri": maxAddress} {
		q := url.Values{"client_id": {"kubectl"}, "redirect_uri": {outOfBand}, "scope": {"openid"}, "response_type": {"code"}}
		q.Set(name, strings.Repeat("x", most+1))
		if got := p.asked(t, "POST", "/dex/auth", q); got.status != http.StatusBadRequest || !strings.Contains(got.body, fmt.Sprintf("%s is longer than %d bytes", name, most)) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	huge := url.Values{"user_code": {strings.Repeat("x", maxForm)}}
	for _, path := range []string{"/auth", "/auth/local/login?state=x", "/approval", "/token", "/device/code", "/device/auth/verify_code"} {
		if got := p.asked(t, "POST", "/dex"+path, huge); got.status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	if got := p.asked(t, "GET", "/dex/device?user_code="+strings.Repeat("x", 2*maxHead), nil); got.status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("%d", got.status)
	}
	for path, methods := range map[string][]string{"/token": {"GET", "PUT"}, "/device/code": {"GET"}, "/keys": {"POST"}, "/device": {"POST"}, "/device/callback": {"POST"}, "/.well-known/openid-configuration": {"DELETE"}} {
		for _, method := range methods {
			if got := p.asked(t, method, "/dex"+path, nil); got.status != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %d", method, path, got.status)
			}
		}
	}
	if got := p.asked(t, "POST", "/dex/token", url.Values{"x": {"%zz"}}, "Content-Type", "application/json"); got.status != http.StatusBadRequest {
		t.Errorf("%+v", got)
	}
	// The first device gives way to as many more as are kept.
	form := url.Values{"client_id": {"kubectl"}}
	first := p.asked(t, "POST", "/dex/device/code", form).body
	for range maxDevices {
		p.asked(t, "POST", "/dex/device/code", form)
	}
	_, rest, _ := strings.Cut(first, `"device_code": "`)
	name, _, _ := strings.Cut(rest, `"`)
	if got := p.asked(t, "POST", "/dex/token", url.Values{"grant_type": {byDevice}, "device_code": {name}}); !strings.Contains(got.body, "Invalid Device code.") {
		t.Errorf("%+v", got)
	}
}
