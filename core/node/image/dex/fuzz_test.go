package dex

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// FuzzRequest: whatever is asked, the answer is one, sends nobody to a stranger, quotes what it says, and what is kept has
// an end.
func FuzzRequest(f *testing.F) {
	for _, seed := range [][4]string{
		{"GET", "/auth?client_id=kubectl&redirect_uri=http://localhost:8000&response_type=code&scope=openid&state=%22%3E%3Cscript%3E&code_challenge=x", "", ""},
		{"POST", "/auth/local", "client_id=web&redirect_uri=http%3A%2F%2Fweb.test%2Fcallback%3Fx%3D1&response_type=token&scope=openid", ""},
		{"GET", "/auth/local/login?back=&state=known", "", ""},
		{"POST", "/auth/local/login?state=known", "login=ada%40example.com&password=x", ""},
		{"POST", "/approval", "req=known&hmac=approval&approval=approve", ""},
		{"POST", "/approval", "req=known&hmac=approval&approval=rejected", ""},
		{"POST", "/token", "grant_type=authorization_code&client_id=kubectl&code=known&redirect_uri=http://localhost:8000", ""},
		{"POST", "/token", "grant_type=refresh_token&refresh_token=CgVrbm93bhIGc2VjcmV0&client_id=kubectl", ""},
		{"POST", "/token", "grant_type=password&username=a&password=b&scope=openid", "Basic d2ViOnMzY3JldA=="},
		{"POST", "/token", "grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=known", ""},
		{"POST", "/device/code", "client_id=kubectl&scope=openid+groups&code_challenge_method=S256", ""},
		{"GET", "/device?user_code=BBBB-BBBB", "", ""},
		{"POST", "/device/auth/verify_code", "user_code=bbbb-bbbb", ""},
		{"GET", "/device/callback?state=BBBB-BBBB&code=known", "", ""},
		{"GET", "/userinfo", "", "Bearer eyJhbGciOiJFUzI1NiJ9.e30.AAAA"},
		{"GET", "/../%2f\\evil.test", "%zz", "Basic !"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	s := offline(f, strings.NewReplacer("staticPasswords:", "unused:").Replace(configured(asItComes)))
	s.passwords.pause, s.guesses.pause = 0, 0
	handler, who := s.handler(), &person{Email: "ada@example.com", UserID: "7"}
	f.Fuzz(func(t *testing.T, method, path, body, authorization string) {
		target, err := url.ParseRequestURI("/dex" + path)
		if err != nil || !validMethod(method) {
			return // net/http does not let it in
		}
		allowed := permit{client: s.clients["kubectl"], who: who, scopes: []string{scopeOpenID, scopeOffline}}
		s.requests.add("known", request{permit: allowed, returnTo: "http://localhost:8000", approval: "approval"})
		s.codes.add("known", code{permit: allowed, returnTo: s.path(deviceCallback)})
		s.devices.add("known", device{client: allowed.client, user: "BBBB-BBBB"})
		s.userCodes.add("BBBB-BBBB", "known")
		s.refreshes.add("known", refresh{permit: allowed, secret: "secret"})

		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", strings.NewReader(body))
		r.Method, r.URL, r.RequestURI = method, target, target.RequestURI()
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Authorization", authorization)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code >= 500 && w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s %s %q: %d %s", method, path, body, w.Code, w.Body)
		}
		if to := w.Header().Get("Location"); to != "" {
			u, err := url.Parse(to)
			if err != nil || u.Host != "" && u.Host != "web.test" && u.Host != "other.test" && !isOwnMachine(u.Host) || strings.HasPrefix(to, "//") {
				t.Errorf("%s %s %q: it leads to %q (%v)", method, path, body, to, err)
			}
		}
		if text := strings.ToLower(w.Body.String()); strings.Contains(text, "<script") || strings.Contains(text, "<img") {
			t.Errorf("%s %s %q: %s", method, path, body, text)
		}
		if len(s.requests.rows) > maxRequests || len(s.codes.rows) > maxCodes || len(s.devices.rows) > maxDevices || len(s.userCodes.rows) > maxDevices || len(s.refreshes.rows) > maxRefresh {
			t.Error("it keeps without an end")
		}
	})
}

// validMethod is what net/http's server lets in.
func validMethod(method string) bool {
	_, err := http.NewRequest(method, "/", nil)
	return err == nil && method != "" && method != http.MethodConnect
}
