package nginx

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
)

// loadText reads a configuration of its own.
func loadText(t *testing.T, text string) (*config, error) {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "etc/nginx"), 0o755); err != nil {
		t.Fatal(err)
	}
	fsys := program.NewFS(root)
	if err := fsys.WriteFile("/etc/nginx/nginx.conf", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return load(fsys, "/etc/nginx/nginx.conf")
}

// TestLargeConfigurations are refused before they take the memory that they would.
func TestLargeConfigurations(t *testing.T) {
	for name, text := range map[string]string{
		"directives":          strings.Repeat("a;", 600_000),
		"a large expression":  "events {} http { server { location ~ \"" + strings.Repeat("(x?){900}", 30) + "$\" { } } }",
		"many expressions":    "events {} http { server { " + strings.Repeat(`if ($a ~ "(x?){900}$") { } `, 30) + "} }",
		"groups":              "events {} http { server { rewrite " + strings.Repeat("(x?)", 1000) + "y /z; } }",
		"a device, by a link": "events {} include /dev/zero;",
	} {
		if _, err := loadText(t, text); err == nil || !strings.Contains(err.Error(), "large") && !strings.Contains(err.Error(), "longer") {
			t.Errorf("%s: the error is %.200v", name, err)
		}
	}
}

// ending ends after it was asked so often.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestAnExpressionOfMinutes: others have the thread while a text is matched, and the end of the request ends it.
func TestAnExpressionOfMinutes(t *testing.T) {
	uri := "/" + strings.Repeat("x", 30_000)
	for _, what := range []string{"location ~ %s { }", "rewrite %s /z;", "if ($uri ~ %s) { }"} {
		conf, err := loadText(t, fmt.Sprintf("events {} http { server { "+what+" } }", `"(x?){900}$"`))
		if err != nil {
			t.Fatal(err)
		}
		ctx := &ending{t.Context(), 50}
		s := conf.servers[0]
		q := &request{ctx: ctx, config: conf, server: s, settings: &s.settings, uri: uri, m: &master{}}
		s.locate(ctx, uri)
		s.script.run(q)
		if ctx.left > -1 {
			t.Errorf("%s: asked %d times only", what, 50-ctx.left)
		}
	}
}
