package kubectl

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
)

func TestWhatLeadsOutside(t *testing.T) {
	for address, want := range map[string]string{
		"https://raw.githubusercontent.com/o/r/main/a.yaml":               "https://raw.githubusercontent.com/o/r/main/a.yaml",
		"https://k8s.io/examples/pods/simple-pod.yaml":                    "https://raw.githubusercontent.com/kubernetes/website/main/content/en/examples/pods/simple-pod.yaml",
		"https://kubernetes.io/examples/application/guestbook/a.yaml?x=1": "https://raw.githubusercontent.com/kubernetes/website/main/content/en/examples/application/guestbook/a.yaml?x=1",
		"https://k8s.io/docs/":                                            "https://k8s.io/docs/",
		"https://github.com/o/r/raw/main/deploy/a.yaml":                   "https://raw.githubusercontent.com/o/r/main/deploy/a.yaml",
		"https://github.com/o/r/blob/v1/a.yaml":                           "https://raw.githubusercontent.com/o/r/v1/a.yaml",
		"https://github.com/o/r/releases/download/v1/a.yaml":              "https://github.com/o/r/releases/download/v1/a.yaml",
		"https://Example.ORG:8443/x":                                      "https://Example.ORG:8443/x",
		"http://example.org/x":                                            "", "https://10.96.0.1/api": "", "https://localhost:6443": "", "https://web.default.svc.cluster.local/": "",
		"https://[fd00::1]/": "", "https://kubernetes/": "", "https://user:secret@example.org/": "", "https://web.default.svc/": "",
		"https://tab.tabernetes.internal/": "", "https://127.0.0.1./": "",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if Outside(u) {
			got = ToReadable(u).String()
		}
		if got != want {
			t.Errorf("%s leads to %q, want %q", address, got, want)
		}
	}
}

type refusing struct{ error }

func (r refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, r.error }

func TestOnlyWhatLeadsOutsideLeaves(t *testing.T) {
	inside, web := errors.New("inside"), errors.New("web")
	for address, want := range map[string]error{"https://10.96.0.1/api": inside, "http://example.org/": inside, "https://example.org/": web} {
		req, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (Leaving{Web: refusing{web}, Inside: refusing{inside}}).RoundTrip(req); !errors.Is(err, want) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// leading answers from elsewhere, as a browser's fetch does behind a redirect.
type leading struct{ to *url.URL }

func (l leading) RoundTrip(r *http.Request) (*http.Response, error) {
	if l.to != nil {
		r = r.Clone(r.Context())
		r.URL = l.to
	}
	return &http.Response{Request: r}, nil
}

// TestWhoAnswered: an address that is read elsewhere by our own rule answers in its own name, a host that leads
// elsewhere does not.
func TestWhoAnswered(t *testing.T) {
	const asked = "https://k8s.io/examples/a.yaml"
	other := &url.URL{Scheme: "https", Host: "other.example", Path: "/b"}
	for to, want := range map[*url.URL]string{nil: asked, other: other.String()} {
		req, err := http.NewRequest(http.MethodGet, asked, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := Leaving{Web: leading{to}, Inside: refusing{errors.New("inside")}}.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Request.URL.String(); got != want {
			t.Errorf("%s answered, want %s", got, want)
		}
	}
}

// endless answers without an end, or with so many bytes.
type endless struct{ bytes int64 }

func (e endless) RoundTrip(r *http.Request) (*http.Response, error) {
	var body io.Reader = zeros{}
	if e.bytes > 0 {
		body = io.LimitReader(body, e.bytes)
	}
	return &http.Response{Request: r, Body: io.NopCloser(body)}, nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestAnEndlessAnswerIsCutOff, with a sentence, and one that is as long as it may be is not.
func TestAnEndlessAnswerIsCutOff(t *testing.T) {
	const most = 1 << 20
	for answer, want := range map[endless]struct {
		bytes int
		err   string
	}{
		{0}: {most, "what lesson.example answers is longer than 1 MiB: no manifest is"}, {most + 1}: {most, "what lesson.example answers is longer than 1 MiB: no manifest is"},
		{most}: {most, ""}, {7}: {7, ""},
	} {
		req, err := http.NewRequest(http.MethodGet, "https://lesson.example/x", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := Leaving{Web: answer, Max: most}.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		if said := fmt.Sprint(err); len(got) != want.bytes || (err != nil || want.err != "") && said != want.err {
			t.Errorf("%d: %d bytes, %v; want %d, %q", answer.bytes, len(got), err, want.bytes, want.err)
		}
	}
}
