package relay

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// refuses is a transport that reaches nobody.
type refuses struct{}

func (refuses) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("nobody is there")
}

// TestRelay: each address leads where it was told to, who has no key is led nowhere, and an answer without end has one.
func TestRelay(t *testing.T) {
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.URL.Path+strings.Repeat("x", 1000))
	}))
	defer there.Close()
	target, err := url.Parse(there.URL + "/base")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Serve()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	answers := 0
	leads := r.Lead(Way{Target: target, Transport: http.DefaultTransport, MaxAnswer: 12, Answered: func() { answers++ }})
	fails := r.Lead(Way{Target: target, Transport: refuses{}, MaxAnswer: 12, Failed: func(w http.ResponseWriter, err error) {
		http.Error(w, err.Error(), http.StatusTeapot)
	}})
	get := func(address string) (code int, text string) {
		t.Helper()
		res, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body) // one that was cut ends with an error
		return res.StatusCode, string(b)
	}
	if _, text := get(leads + "/path"); text != "/base/pathxx" || answers != 1 {
		t.Errorf("%q after %d answers", text, answers)
	}
	if code, text := get(fails + "/path"); code != http.StatusTeapot || !strings.Contains(text, "nobody is there") {
		t.Errorf("%d %q", code, text)
	}
	base := leads[:strings.LastIndex(leads, "/")]
	for _, path := range []string{"/", "/guess/path", "/path", leads[len(base):len(leads)-1] + "/path"} {
		if code, _ := get(base + path); code != http.StatusNotFound {
			t.Errorf("%s without a key: %d", path, code)
		}
	}
}
