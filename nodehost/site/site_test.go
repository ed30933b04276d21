package site

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// write makes files under a fresh directory, each a second newer than the one before.
func write(t *testing.T, files ...[2]string) string {
	t.Helper()
	dir := t.TempDir()
	at := time.Now().Add(-time.Hour)
	for _, f := range files {
		name := filepath.Join(dir, f[0])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(f[1]), 0o644); err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Second)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func get(s http.Handler, method, target string, header ...string) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

func TestSite(t *testing.T) {
	first := write(t,
		[2]string{"index.html", "<title>page</title>"},
		[2]string{"page/main-Bq3x_F0a.js", "1"},
		[2]string{"assets/old-12345678.wasm.br", "stale"},
		[2]string{"assets/old-12345678.wasm", "fresh"},
	)
	second := write(t,
		[2]string{"index.html", "hidden by the first directory"},
		[2]string{"assets/manifest.json", "{}"},
		[2]string{"assets/tabernetes-0123abcd.wasm", "module"},
		[2]string{"assets/tabernetes-0123abcd.wasm.br", "small"},
	)
	s := New([]string{first, second})
	const forever = "public, max-age=31536000, immutable"

	for _, c := range []struct {
		name, method, target, accept                string
		status                                      int
		contentType, encoding, cacheControl, inside string
	}{
		{"index", "GET", "/", "", 200, "text/html; charset=utf-8", "", "no-cache", "<title>page</title>"},
		{"hashed script", "GET", "/page/main-Bq3x_F0a.js", "br", 200, "text/javascript; charset=utf-8", "", forever, "1"},
		{"second directory", "GET", "/assets/manifest.json", "", 200, "application/json", "", "no-cache", "{}"},
		{"module, brotli", "GET", "/assets/tabernetes-0123abcd.wasm", "gzip, br", 200, "application/wasm", "br", forever, "small"},
		{"module, brotli refused", "GET", "/assets/tabernetes-0123abcd.wasm", "gzip, br;q=0", 200, "application/wasm", "", forever, "module"},
		{"stale twin", "GET", "/assets/old-12345678.wasm", "br", 200, "application/wasm", "", forever, "fresh"},
		{"absent", "GET", "/assets/none.wasm", "", 404, "text/plain; charset=utf-8", "", "", "assets/none.wasm is not part of the site\n"},
		{"a directory", "GET", "/assets", "", 404, "text/plain; charset=utf-8", "", "", "assets is not part of the site\n"},
		{"outside", "GET", "/../../etc/passwd", "", 404, "text/plain; charset=utf-8", "", "", "etc/passwd is not part of the site\n"},
		{"post", "POST", "/", "", 405, "text/plain; charset=utf-8", "", "", "only GET and HEAD\n"},
		{"head", "HEAD", "/", "", 200, "text/html; charset=utf-8", "", "no-cache", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := get(s, c.method, c.target, "Accept-Encoding", c.accept)
			body, _ := io.ReadAll(r.Body)
			if r.StatusCode != c.status || string(body) != c.inside {
				t.Errorf("got %d %q, want %d %q", r.StatusCode, body, c.status, c.inside)
			}
			for name, want := range map[string]string{
				"Content-Type": c.contentType, "Content-Encoding": c.encoding, "Cache-Control": c.cacheControl,
			} {
				if got := r.Header.Get(name); got != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestNotModified(t *testing.T) {
	s := New([]string{write(t, [2]string{"index.html", "page"})})
	tag := get(s, "GET", "/").Header.Get("ETag")
	if r := get(s, "GET", "/", "If-None-Match", tag); r.StatusCode != http.StatusNotModified {
		t.Errorf("with the tag %s: got %d, want 304", tag, r.StatusCode)
	}
}

// The frame of containers is isolated from the page, which then must not be.
func TestWhatIsIsolated(t *testing.T) {
	s := New([]string{write(t, [2]string{"index.html", "page"}, [2]string{"lessons/index.html", "page"}, [2]string{"embed/index.html", "page"})})
	for path, want := range map[string]string{
		"/page/container-0123abcd.html": isolation, "/sdk/container-0123abcd.html": isolation,
		"/": "", "/index.html": "", "/lessons/": "", "/page/container-x.html": "",
		"/embed/": "", "/embed/index.html": "", "/page/frame-0123abcd.html": "", "/page/main-1.js": "",
	} {
		if got := get(s, "GET", path).Header.Get("Document-Isolation-Policy"); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// The page says for itself, where a host sends no header, what the header says; only who may frame it
// cannot be said there.
func TestWhatThePageMayDo(t *testing.T) {
	s := New([]string{write(t, [2]string{"index.html", "page"}, [2]string{"page/worker-BbdV0Sd-.js", "1"})})
	for _, path := range []string{"/", "/page/main-1.js", "/page/worker.css", "/x/page/worker-1.js", "/none"} {
		if got := get(s, "GET", path).Header.Get("Content-Security-Policy"); got != policy+"; frame-ancestors 'none'" {
			t.Errorf("%s: %q", path, got)
		}
	}
	// The cluster's Worker may fetch, and nothing else that the page may not (ADR 42).
	want := strings.Replace(policy, "connect-src 'self';", "connect-src 'self' https:;", 1) + "; frame-ancestors 'none'"
	for _, script := range []string{"/page/worker-BbdV0Sd-.js", "/sdk/worker-BbdV0Sd-.js"} {
		if got := get(s, "GET", script).Header.Get("Content-Security-Policy"); got != want {
			t.Errorf("%s: %q", script, got)
		}
	}
	// The browser view's frame is sandboxed however it is opened, and only the page may show it.
	frame := get(s, "GET", "/page/frame-0123abcd.html").Header.Get("Content-Security-Policy")
	if frame != framePolicy+"; frame-ancestors 'self'" || !strings.Contains(frame, "default-src 'none'") ||
		strings.Contains(frame, "allow-same-origin") || regexp.MustCompile(`(src|default-src)[^;]*('self'|https?:|\*)`).MatchString(frame) {
		t.Errorf("the frame: %q", frame)
	}
	for _, other := range []string{"/page/frame-0123abcd.html/x", "/frame-0123abcd.html", "/page/frame-x.html"} {
		if got := get(s, "GET", other).Header.Get("Content-Security-Policy"); got != policy+"; frame-ancestors 'none'" {
			t.Errorf("%s: %q", other, got)
		}
	}
	built, err := os.ReadFile("../../vite.config.ts")
	if err != nil {
		t.Fatal(err)
	}
	if said := strings.TrimSuffix(framePolicy, "; sandbox allow-scripts allow-forms"); !strings.Contains(string(built), `"`+said+`"`) {
		t.Errorf("vite.config.ts does not have the frame's policy\n%s", said)
	}
	// The frame of containers: the SDK's in any page, the page's own in it alone.
	for target, ancestors := range map[string]string{"/page/container-0123abcd.html": "'self'", "/sdk/container-0123abcd.html": "*"} {
		if got := get(s, "GET", target).Header.Get("Content-Security-Policy"); got != containerPolicy+"; frame-ancestors "+ancestors {
			t.Errorf("%s: %q", target, got)
		}
	}
	if !strings.Contains(string(built), `"`+containerPolicy+`"`) {
		t.Errorf("vite.config.ts does not have the policy of the frame of containers\n%s", containerPolicy)
	}
	// The embed page alone may be framed, and starts its Worker in a sandbox, too.
	for _, path := range []string{"/embed/", "/embed/index.html", "/embed/none"} {
		got := get(s, "GET", path).Header.Get("Content-Security-Policy")
		if got != embedPolicy+"; frame-ancestors *" {
			t.Errorf("%s: %q", path, got)
		}
	}
	embed, err := os.ReadFile("../../web/embed/frame.html")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(embed), `content="`+embedPolicy+`"`) {
		t.Errorf("web/embed/frame.html does not have the policy\n%s", embedPolicy)
	}
	for _, path := range []string{"/embedded", "/x/embed/", "/embed/../index.html"} {
		if got := get(s, "GET", path).Header.Get("Content-Security-Policy"); !strings.HasSuffix(got, "frame-ancestors 'none'") {
			t.Errorf("%s: %q", path, got)
		}
	}
	page, err := os.ReadFile("../../index.html")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), `content="`+policy+`"`) {
		t.Errorf("index.html does not have the policy\n%s", policy)
	}
	if regexp.MustCompile(`<script>|<script [^>]*>[^<]|\son[a-z]+=|javascript:`).Match(page) {
		t.Error("index.html has a script inside of it")
	}
}

// TestWhatOtherOriginsMayLoad: the SDK and the module, and that one of them is missing; the page never.
func TestWhatOtherOriginsMayLoad(t *testing.T) {
	s := New([]string{write(t,
		[2]string{"index.html", "page"}, [2]string{"page/main-Bq3x_F0a.js", "1"},
		[2]string{"sdk/tabernetes.js", "1"}, [2]string{"assets/manifest.json", "{}"},
	)})
	for target, want := range map[string]string{
		"/": "", "/page/main-Bq3x_F0a.js": "", "/sdk/../index.html": "", "/other/assets/x": "",
		"/sdk/tabernetes.js": "*", "/assets/manifest.json": "*", "/assets/none": "*",
	} {
		if got := get(s, "GET", target).Header.Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
}
