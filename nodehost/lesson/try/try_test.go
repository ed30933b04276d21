package try

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/lesson"
)

func TestHandler(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret.md")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, lesson.Name), "---\ntitle: Mine\nnodes: 2\n---\n## A\n")
	write(filepath.Join(dir, ".env.json"), "secret")
	write(filepath.Join(dir, "page.html"), "<script>")
	write(outside, "secret")
	if err := os.Symlink(outside, filepath.Join(dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	site := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("the site")) })
	h, err := Handler(dir, site)
	if err != nil {
		t.Fatal(err)
	}
	get := func(at string) (int, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, at, nil))
		return w.Code, w.Body.String()
	}
	for _, c := range []struct {
		at   string
		code int
		body string
	}{
		{"/lessons/", 200, "the site"},
		{"/lessons/lessons.js", 200, "the site"},
		{"/lessons/index.json", 200, `[{"name":"mine","title":"Mine","nodes":2}]`},
		{"/lessons/mine/lesson.md", 200, "title: Mine"},
		{"/lessons/mine/", 404, ""},
		{"/lessons/mine/page.html", 404, ""},
		{"/lessons/mine/.env.json", 404, ""},
		{"/lessons/mine/missing.yaml", 404, ""},
	} {
		if code, body := get(c.at); code != c.code || !strings.Contains(body, c.body) {
			t.Errorf("%s: %d %q", c.at, code, body)
		}
	}
	for _, at := range []string{"/lessons/mine/link.md", "/lessons/mine/%2e%2e/secret.md", "/lessons/mine/..%2fsecret.md"} {
		if code, body := get(at); code == 200 && strings.Contains(body, "secret") {
			t.Errorf("%s: %d %q", at, code, body)
		}
	}
	// What is saved is there at once, and what is broken still has a name.
	write(filepath.Join(dir, lesson.Name), "## A\n")
	if _, body := get("/lessons/index.json"); !strings.Contains(body, `"title":"A lesson"`) {
		t.Error(body)
	}
}

// A scenario is served with its scripts, of which its page makes a lesson, and listed with its title; so is one
// that is refused.
func TestAScenario(t *testing.T) {
	for folder, want := range map[string]string{
		"first-pod": `[{"name":"mine","title":"A first pod","description":"Run a pod and look at it","nodes":1}]`,
		"refused":   `[{"name":"mine","title":"What we lack","nodes":1}]`,
	} {
		h, err := Handler("../check/testdata/"+folder, http.NotFoundHandler())
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, Path+"index.json", nil))
		if got := strings.TrimSpace(w.Body.String()); got != want {
			t.Errorf("%s: %s, want %s", folder, got, want)
		}
	}
	h, err := Handler("../check/testdata/first-pod", http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"index.json", "intro.md", "init.sh", "run/verify.sh"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, Path+name+"/"+file, nil))
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d", file, w.Code)
		}
	}
}
