package shares

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// memory is a Store that ends texts as KV does.
type memory struct {
	now   time.Time
	texts map[string]string
	until map[string]time.Time
	err   error
}

var _ Store = (*memory)(nil)

func (m *memory) Get(id string) (string, error) {
	if m.err != nil {
		return "", m.err
	}
	if text, ok := m.texts[id]; ok && m.now.Before(m.until[id]) {
		return text, nil
	}
	return "", ErrNone
}

func (m *memory) Put(id, packed string, keep time.Duration) error {
	if m.err == nil {
		m.texts[id], m.until[id] = packed, m.now.Add(keep)
	}
	return m.err
}

const keep = 30 * 24 * time.Hour

func site(t *testing.T, allow func(string) (bool, error)) (*memory, string) {
	t.Helper()
	m := &memory{now: time.Unix(1, 0), texts: map[string]string{}, until: map[string]time.Time{}}
	s := httptest.NewServer(New(Options{Store: m, Keep: keep, Allow: allow}))
	t.Cleanup(s.Close)
	return m, s.URL
}

func all(string) (bool, error) { return true, nil }

func pack(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(b.Bytes())
}

// ask returns the answer with its body read; redirects are not followed.
func ask(t *testing.T, method, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

func TestAShortLinkThereAndBack(t *testing.T) {
	m, url := site(t, all)
	if resp, text := ask(t, "GET", url+"/s/", ""); resp.StatusCode != 200 || text != "{\"days\":30}\n" {
		t.Error(resp.Status, text)
	}
	packed := pack(t, "kind: Pod # <script>alert(1)</script>\n")
	resp, text := ask(t, "POST", url+"/s/", packed, "Sec-Fetch-Site", "same-origin")
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(text), &made); err != nil || resp.StatusCode != http.StatusCreated || !name.MatchString(made.ID) {
		t.Fatal(resp.Status, text, err)
	}
	if _, again := ask(t, "POST", url+"/s/", packed); again != text || len(m.texts) != 1 {
		t.Error("the same text lies there twice:", again, len(m.texts))
	}

	resp, text = ask(t, "GET", url+"/s/"+made.ID, "")
	if resp.StatusCode != 200 || text != packed {
		t.Error(resp.Status, text)
	}
	for header, want := range map[string]string{
		"Content-Type":                 "text/plain; charset=utf-8",
		"X-Content-Type-Options":       "nosniff",
		"Content-Security-Policy":      "default-src 'none'; sandbox; frame-ancestors 'none'",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Access-Control-Allow-Origin":  "",
	} {
		if got := resp.Header.Get(header); got != want {
			t.Errorf("%s: %q", header, got)
		}
	}
	resp, text = ask(t, "GET", url+"/s/"+made.ID, "", "Sec-Fetch-Dest", "document")
	if resp.StatusCode != http.StatusFound || resp.Header.Get("Location") != "../#/shared/"+made.ID || text != "" {
		t.Error("a person is not led to the page:", resp.Status, resp.Header.Get("Location"))
	}

	m.now = m.now.Add(keep + time.Second)
	if resp, text := ask(t, "GET", url+"/s/"+made.ID, ""); resp.StatusCode != 404 || !strings.Contains(text, "30 days") {
		t.Error("it never ends:", resp.Status, text)
	}
}

func TestWhatIsNotKept(t *testing.T) {
	m, url := site(t, all)
	good := pack(t, "kind: Pod\n")
	for what, c := range map[string]struct {
		body    string
		headers []string
		code    int
	}{
		"nothing":                 {"", nil, 400},
		"a page":                  {"<script>alert(1)</script>", nil, 400},
		"padded":                  {good + "=", nil, 400},
		"the other base64":        {"++//", nil, 400},
		"of two lines":            {good[:4] + "\n" + good[4:], nil, 400},
		"noise":                   {"AAAA", nil, 400},
		"cut":                     {good[:len(good)-3], nil, 400},
		"with more behind it":     {good + "AAAA", nil, 400},
		"a bomb":                  {pack(t, strings.Repeat(" ", 40_000_000)), nil, 400},
		"a program":               {pack(t, "\x7fELF\x00\x00"), nil, 400},
		"no UTF-8":                {pack(t, "\xff\xfe"), nil, 400},
		"long":                    {strings.Repeat("A", maxPacked+1), nil, 413},
		"of another site":         {good, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"of a site below":         {good, []string{"Sec-Fetch-Site", "same-site"}, 403},
		"of another origin":       {good, []string{"Origin", "https://evil.example"}, 403},
		"of an origin that hides": {good, []string{"Origin", "null"}, 403},
	} {
		if resp, text := ask(t, "POST", url+"/s/", c.body, c.headers...); resp.StatusCode != c.code {
			t.Errorf("%s: %s %s", what, resp.Status, text)
		}
	}
	// A body that does not say how long it is.
	r, err := http.NewRequest("POST", url+"/s/", io.MultiReader(strings.NewReader(strings.Repeat("A", 10*maxPacked))))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != 413 {
		t.Error(resp.Status)
	}
	for _, path := range []string{"/s/short", "/s/" + strings.Repeat("a", 17), "/s/..%2f..%2fetc", "/s/aaaaaaaaaaaaaaa%00", "/s/a/b"} {
		if resp, text := ask(t, "GET", url+path, ""); resp.StatusCode != 404 {
			t.Error(path, resp.Status, text)
		}
	}
	if resp, _ := ask(t, "DELETE", url+"/s/aaaaaaaaaaaaaaaa", ""); resp.StatusCode != 405 {
		t.Error("it can be deleted:", resp.Status)
	}
	if len(m.texts) != 0 {
		t.Error("something is kept:", m.texts)
	}
}

func TestHowMuchIsKept(t *testing.T) {
	counts := map[string]int{}
	m, url := site(t, func(source string) (bool, error) {
		counts[source]++
		return counts[source] <= 2, nil
	})
	code := func(ip string) int {
		resp, _ := ask(t, "POST", url+"/s/", pack(t, ip), "CF-Connecting-IP", ip)
		return resp.StatusCode
	}
	for i, ip := range []string{"2001:db8::1", "2001:db8::2", "2001:db8::3"} {
		if got, want := code(ip), []int{201, 201, 429}[i]; got != want {
			t.Errorf("%s: %d", ip, got)
		}
	}
	if got := code("2001:db8:0:1::1"); got != 201 {
		t.Error("another network is counted with it:", got)
	}
	if a, b := code("192.0.2.1"), code("::ffff:192.0.2.1"); a != 201 || b != 201 || counts["192.0.2.1"] != 2 {
		t.Error("one machine is counted as two:", a, b, counts)
	}
	m.err = errors.New("KV is down")
	if got := code("198.51.100.1"); got != 503 {
		t.Error(got)
	}
	if resp, _ := ask(t, "GET", url+"/s/aaaaaaaaaaaaaaaa", ""); resp.StatusCode != 503 {
		t.Error("what cannot be read is said to be missing:", resp.Status)
	}

	_, broken := site(t, func(string) (bool, error) { return true, errors.New("no counter") })
	if resp, _ := ask(t, "POST", broken+"/s/", pack(t, "a")); resp.StatusCode != 503 {
		t.Error("it shares without a count:", resp.Status)
	}
}
