package nginx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
)

// FuzzConfig loads configuration files: what is in a ConfigMap, or in a pod's volume.
func FuzzConfig(f *testing.F) {
	for _, c := range []string{
		"", "events {} http { server { listen 80; location / { root /x; } } }",
		"http { include /etc/nginx/*.conf; server { listen [::]:80 default_server; server_name ~^a(.*)$ *.b; location ~* \\.php$ { return 301 https://$host$uri; } } }",
		"http { upstream u { server a:80; } server { location = /x { proxy_pass http://u/; } location ^~ /y { try_files $uri @f; } location @f { alias /z; } } }",
		"http { server { error_page 404 =200 /x; add_header a 'b\\'c' always; autoindex on; index a b; } } # x\n", "a {", "\"", "{",
		"http { server { set $a b; if ($a ~ ^(?<n>b)$) { rewrite ^/(.*)$ /$1?x=$n last; } if (!-f /x) { break; } location / { limit_except GET { deny all; } } } }", "http { server { if ( ) { } if () { } if (\"\") { } } }", ";", "include nginx.conf;",
	} {
		f.Add(c)
	}
	root := f.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "etc/nginx"), 0o755); err != nil {
		f.Fatal(err)
	}
	fsys := program.NewFS(root)
	if err := fsys.WriteFile("/etc/nginx/other.conf", []byte("server { listen 81; server_name other; }"), 0o644); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		// What load does, without a file for each input: that took ten times as long as all else. A file
		// that includes itself is TestAFileThatIncludesItself.
		l := newLoader(fsys)
		var conf *config
		list, err := parse("/etc/nginx/nginx.conf", text)
		if err == nil {
			list, err = l.expand(list)
		}
		if err == nil {
			conf, err = l.build(list)
		}
		if err != nil {
			if strings.Contains(err.Error(), "\x00") && !strings.Contains(text, "\x00") {
				t.Errorf("%q", err)
			}
			return
		}
		for _, host := range []string{"", "a", "x.b"} {
			for _, address := range []string{"", "0.0.0.0:80", "10.0.0.1:80"} {
				if s := conf.choose(address, host); s != nil {
					for _, uri := range []string{"/", "/x/../y", "/a.php", ""} {
						s.locate(t.Context(), uri)
					}
				}
			}
		}
	})
}

// Files that include themselves and each other come to an end, also where each does it twice.
func TestAFileThatIncludesItself(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "etc/nginx"), 0o755); err != nil {
		t.Fatal(err)
	}
	fsys := program.NewFS(root)
	for _, text := range []string{"include nginx.conf;", "include nginx.conf; include nginx.conf;", "http { include *.conf; include /etc/nginx/*.conf; }"} {
		if err := fsys.WriteFile("/etc/nginx/nginx.conf", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := load(fsys, "/etc/nginx/nginx.conf"); err == nil || !strings.Contains(err.Error(), "too many includes") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestNestedConfig: blocks within blocks without end are refused.
func TestNestedConfig(t *testing.T) {
	_, err := parse("nginx.conf", strings.Repeat("a {", 100_000))
	if err == nil || !strings.Contains(err.Error(), "too deeply") {
		t.Errorf("%v", err)
	}
}
