package nginx

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/programtest"
)

// likeNginx are servers, each with what it is asked: METHOD path, then headers. ROOT is a directory with siteFiles.
var likeNginx = []struct {
	name, config string
	requests     []string
}{
	{"static", `root ROOT; index index.html;`, []string{
		"GET /", "HEAD /", "POST /", "GET /index.html", "GET /absent", "GET /dir", "GET /dir/", "GET /a.txt", "GET /a.unknown", "GET /dir/../a.txt",
		"GET /a%2etxt", "GET //a.txt", "GET /a.txt?x=1", "GET /a.txt Range:bytes=1-2", "GET /a.txt Range:bytes=99-", "GET /a.txt If-None-Match:*", "GET /empty/",
		"GET /a.txt/", "DELETE /a.txt", "OPTIONS /",
	}},
	{"return", `
		location = /plain { return 200 "hello $arg_name\n"; }
		location /only { return 204; }
		location /code { return 418; }
		location /gone { return 410 "gone"; }
		location /moved { return 301 /to; }
		location /there { return 302 https://example.org$request_uri; }
		location /seven { return 307 /x?$args; }
		location /eight { return 308 /y; }
		location /three { return 303 /z; }
		location /typed { default_type application/json; return 200 '{"a":1}'; }
		location /own { add_header X-A 1; add_header X-B $request_method always; return 200 ok; }
		location /fails { add_header X-A 1; add_header X-B 2 always; return 500; }
		location /vars { return 200 "$uri|$request_uri|$args|$is_args|$query_string|$host|$scheme|$request_method|$http_x_own|$arg_b|$server_protocol"; }
		location /close { return 444; }`, []string{
		"GET /plain", "GET /plain?name=you", "GET /plain/", "GET /only", "GET /code", "GET /gone", "GET /moved", "GET /there?a=b", "GET /seven?q=1", "GET /eight", "POST /three",
		"GET /typed", "GET /own", "GET /fails", "GET /vars/a%20b?a=1&b=2 X-Own:v", "POST /vars", "HEAD /plain", "GET /nothing",
	}},
	{"locations", `
		location / { return 200 root; }
		location = /x { return 200 exact; }
		location /x { return 200 prefix; }
		location ^~ /static/ { return 200 before; }
		location /static/deep { return 200 deep; }
		location ~ \.php$ { return 200 php; }
		location ~* \.(jpg|png)$ { return 200 "image $1"; }
		location ~ ^/user/(?<id>\d+)$ { return 200 "user $id"; }
		location /outer { location /outer/in { return 200 in; } return 200 outer; }`, []string{
		"GET /", "GET /x", "GET /xy", "GET /x/y", "GET /static/a.php", "GET /static/deep", "GET /a.php", "GET /A.JPG", "GET /a.PHP", "GET /user/12", "GET /user/ab", "GET /outer", "GET /outer/in/x", "GET /x?y.php",
	}},
	{"tries", `root ROOT;
		location /app { try_files $uri $uri/ /index.html; }
		location /code { try_files $uri =404; }
		location /named { try_files $uri @other; }
		location @other { return 200 "other $uri"; }
		location / { try_files $uri $uri.txt $uri/ =418; }`, []string{
		"GET /app/none", "GET /code/none", "GET /named/none", "GET /a", "GET /dir/", "GET /dir", "GET /none",
	}},
	{"errors", `root ROOT;
		error_page 404 /404.html;
		error_page 403 =200 /a.txt;
		error_page 500 502 @sorry;
		location @sorry { return 200 sorry; }
		location /fails { return 500; }
		location /quiet { error_page 404 =204 /nothing; }
		location /internal { internal; return 200 secret; }`, []string{
		"GET /absent", "HEAD /absent", "GET /empty/", "GET /fails", "GET /quiet/x", "GET /internal", "POST /absent",
	}},
	{"paths", `
		location /files/ { alias ROOT/dir/; autoindex on; }
		location /one { alias ROOT/a.txt; }
		location /rooted/ { root ROOT; }
		location = /type { alias ROOT/a.txt; default_type text/css; types { } }`, []string{
		"GET /files/b.html", "GET /files/none", "GET /files", "GET /one", "GET /rooted/x", "GET /type",
	}},
	{"posts", `root ROOT; index index.html; error_page 405 =200 @where; location @where { return 200 "$uri"; }`, []string{"POST /dir/", "PUT /dir/", "POST /a.txt", "POST /dir"}},
	{"rewrites", `root ROOT;
		rewrite ^/server/(.*)$ /seen/$1;
		rewrite ^/old$ /new permanent;
		location /seen/ { return 200 "seen $uri|$args|$request_uri"; }
		location /last/ { rewrite ^/last/(.*)$ /seen/$1?x=1 last; return 200 never; }
		location /quiet/ { rewrite ^/quiet/(.*)$ /seen/$1? last; }
		location /more/ { rewrite ^/more/(.*)$ /seen/$1?a=$1& last; }
		location /stays/ { rewrite ^/stays/(.*)$ /$1 break; }
		location /on/ { rewrite ^/on/(.*)$ /second/$1; rewrite ^/second/(.*)$ /seen/third/$1; }
		location /then/ { rewrite ^/then/(.*)$ /seen/$1; return 200 "then $uri"; }
		location /moved/ { rewrite ^/moved/(.*)$ /seen/$1 permanent; }
		location /found/ { rewrite ^/found/(.*)$ /seen/$1?b=2 redirect; }
		location /away/ { rewrite ^/away/(.*)$ https://example.org/$1; }
		location /scheme/ { rewrite ^/scheme/(.*)$ $scheme://example.org/$1? permanent; }
		location /loop/ { rewrite ^/loop/(.*)$ /loop/x$1 last; }
		location /none/ { rewrite ^/nothing$ /seen/ last; return 200 none; }
		location /names/ { rewrite ^/names/(?<who>[^/]+)$ /seen/$who?who=$who last; }
		location /broken/ { break; return 200 never; }
		location /hidden { internal; return 200 "hidden $uri"; }
		location /tohidden { rewrite ^ /hidden/x last; }`, []string{
		"GET /server/a", "GET /server/a?b=c", "GET /old", "GET /old?q=1", "GET /last/a", "GET /last/a?y=2", "GET /quiet/a?y=2", "GET /more/a?y=2", "GET /stays/a.txt", "GET /stays/none",
		"GET /on/x", "GET /then/x", "GET /moved/x?q=1", "GET /found/x?q=1", "GET /away/x?q=1", "GET /scheme/x?q=1", "GET /loop/x", "GET /none/x", "GET /names/me", "GET /broken/x",
		"GET /hidden", "GET /tohidden", "GET /last/a%20b", "GET /found/a%20b", "GET /moved/a%26b", "GET /names/a%26b", "POST /last/a",
	}},
	{"ifs", `root ROOT;
		set $greeting hello;
		if ($http_user_agent ~* "MSIE ([0-9])") { set $greeting "old $1"; }
		if ($arg_away) { return 302 /elsewhere; }
		location /greets { return 200 "$greeting $arg_name"; }
		location /method { if ($request_method = POST) { return 405; } if ($request_method != GET) { return 200 other; } return 200 get; }
		location /files { if (-f ROOT/a.txt) { set $has file; } if (-d ROOT/dir) { set $has "$has dir"; } if (!-e ROOT/none) { set $has "$has none"; } return 200 $has; }
		location /header { add_header X-A 1; if ($arg_b) { add_header X-B 2; return 200 b; } return 200 a; }
		location /base { root ROOT/none; if ($arg_there) { root ROOT; } rewrite ^/base/(.*)$ /$1 break; }
		location /group { if ($uri ~ ^/group/(\w+)/(?<second>\w+)$) { return 200 "$1 $second"; } return 200 no; }
		location /not { if ($uri !~ x$) { return 200 "no x"; } return 200 x; }
		location /zero { set $a 0; if ($a) { return 200 yes; } set $a ""; if ($a) { return 200 yes; } set $a 00; if ($a) { return 200 twice; } return 200 no; }
		location /breaks { if ($arg_b) { break; } rewrite ^ /greets last; }
		location /rewrites { if ($arg_to) { rewrite ^ /greets last; } return 200 stays; }
		location /quoted { if ($arg_a = "x y") { return 200 never; } if ($args = "a=1&b=2") { return 200 both; } return 200 none; }
		location /only { limit_except GET { deny all; } return 200 only; }
		location /writes { limit_except GET POST { deny all; } }`, []string{
		"GET /greets", "GET /greets?name=you", "GET /greets User-Agent:MSIE", "GET /x?away=1", "GET /x?away=0", "GET /method", "POST /method", "PUT /method", "GET /files",
		"GET /header", "GET /header?b=1", "GET /base/a.txt", "GET /base/a.txt?there=1", "GET /group/a/b", "GET /group/a", "GET /not/x", "GET /not/y", "GET /zero",
		"GET /breaks?b=1", "GET /breaks", "GET /rewrites", "GET /rewrites?to=1", "GET /quoted?a=1&b=2", "GET /quoted", "GET /only", "POST /only", "HEAD /writes", "DELETE /writes", "POST /writes",
	}},
	{"denies", `root ROOT;
		location /no { deny all; }
		location /header { add_header Cache-Control "no-store"; return 200 x; }
		location /expires { expires -1; return 200 x; }`, []string{
		"GET /no", "POST /no", "GET /header",
	}},
}

// refused are configurations that nginx -t refuses, and its words for it.
var refused = []string{
	"events {} http { server { listen 80", "events {} http { server { lissten 80; } }", "events {} http { server { location { } } }", "events {} }",
	"events {} http { server { return; } }", "events {} http { server { listen 80; listen; } }", "events {} http { server { location / { proxy_pass; } } }",
	"events {} http { upstream u { } }", "events {} http { server { root; } }", "events {} http { server { root a b; } }",
	"events {} http { include /nowhere/x.conf; }", "events {} http { server { autoindex maybe; } }", "events {} http { server { root \"a; } }",
	"events {} http { server { location / { try_files $uri; } } }", "events {} http { server { server { } } }", "listen 80; events {}", "events {} http { log_format x; }",
	"events {} http { server { location / { return 200 ok } } }", "events {} http { location / { } }", "http { } ", "events {} http { server { add_header a; } }",
	"events {} http { rewrite a b; }", "events {} http { server { rewrite a; } }", "events {} http { server { rewrite a b c d; } }", "events {} http { server { rewrite a b soon; } }",
	"events {} http { server { set x 1; } }", "events {} http { server { set $x; } }", "events {} http { server { break now; } }", "events {} http { server { if $x { } } }",
	"events {} http { server { if ($x { } } }", "events {} http { server { if (x) { } } }", "events {} http { server { set $x 1; if ($x == 1) { } } }", "events {} http { server { if (-q /x) { } } }",
	"events {} http { server { set $x 1; if ($x) { if ($x) { } } } }", "events {} http { server { set $x 1; if ($x) { location / { } } } }",
	"events {} http { server { limit_except GET { deny all; } } }", "events {} http { server { location / { limit_except FETCH { deny all; } } } }", "events {} http { server { location / { limit_except { deny all; } } } }",
}

var siteFiles = map[string]string{
	"index.html": "<h1>home</h1>\n", "a.txt": "abcdef\n", "a.unknown": "?", "404.html": "not here\n", "dir/index.html": "dir\n", "dir/b.html": "b\n", "empty/.keep": "",
}

// TestLikeDebians: what is asked of this nginx and of Debian's is answered alike.
func TestLikeDebians(t *testing.T) {
	bin := debians(t)
	const root = "/site"
	files := map[string]string{}
	dir := t.TempDir()
	for name, text := range siteFiles {
		files[root+"/"+name] = text
		path := filepath.Join(dir, "site", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	servers := func(listen, root string) string {
		var b strings.Builder
		for _, one := range likeNginx {
			fmt.Fprintf(&b, "server { listen %s; server_name %s.test; %s }\n", listen, one.name, strings.ReplaceAll(one.config, "ROOT", root))
		}
		return b.String()
	}
	files["/etc/nginx/conf.d/default.conf"] = servers("80", root)
	ours := newSite(t, files).start()
	socket := filepath.Join(dir, "s")
	for _, temp := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		if err := os.Mkdir(filepath.Join(dir, temp), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	conf := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf("daemon off; master_process off; pid %[1]s/pid; error_log stderr; events {}\nhttp { access_log off; default_type application/octet-stream; types { text/html html; text/plain txt; }\n"+
		"client_body_temp_path %[1]s/client_body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;\n%[2]s}\n",
		dir, servers("unix:"+socket, filepath.Join(dir, "site")))
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var said programtest.Output
	theirs := exec.CommandContext(t.Context(), bin, "-p", dir, "-e", "stderr", "-c", conf)
	theirs.Stderr = &said
	if err := theirs.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = theirs.Process.Kill()
		_ = theirs.Wait() // killed
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if conn, err := net.Dial("unix", socket); err == nil {
			conn.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("Debian's nginx does not listen:\n%s", said.String())
		}
	}
	dialing := func(network, address string) *http.Client {
		transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}}
		return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	debian, here := dialing("unix", socket), dialing("tcp", ours.ip+":80")
	for _, one := range likeNginx {
		for _, request := range one.requests {
			want, got := asked(t, debian, one.name, request), asked(t, here, one.name, request)
			if got != want {
				t.Errorf("%s: %s:\n%s\nwant\n%s", one.name, request, got, want)
			}
		}
	}
}

// version is what an error page ends with, and no two have in common.
var version = regexp.MustCompile(`nginx/[\d.]+[^<]*`)

func asked(t *testing.T, client *http.Client, host, request string) string {
	t.Helper()
	words := strings.Fields(request)
	req, err := http.NewRequestWithContext(t.Context(), words[0], "http://"+host+".test"+words[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range words[2:] {
		name, value, _ := strings.Cut(header, ":")
		req.Header.Set(name, value)
	}
	resp, err := client.Do(req)
	if err != nil {
		return "no answer"
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, resp.StatusCode)
	for _, name := range []string{"Content-Type", "Content-Length", "Content-Range", "Accept-Ranges", "Location", "Allow", "Cache-Control", "X-A", "X-B"} {
		value := resp.Header.Get(name)
		if name == "Content-Length" && bytes.Contains(body, []byte("<center>nginx/")) || value == "" {
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", name, value)
	}
	b.WriteString(version.ReplaceAllString(string(body), "nginx"))
	return b.String()
}

// TestRefusesWhatDebiansRefuses: in its words.
func TestRefusesWhatDebiansRefuses(t *testing.T) {
	bin := debians(t)
	for _, text := range refused {
		dir := t.TempDir()
		for _, d := range []string{"etc/nginx"} {
			if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		conf := filepath.Join(dir, "etc/nginx/nginx.conf")
		if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), bin, "-t", "-q", "-p", dir, "-e", "stderr", "-g", "pid "+dir+"/pid;", "-c", conf).CombinedOutput()
		if err == nil {
			t.Errorf("Debian's takes %s: %s", text, out)
			continue
		}
		want := ""
		for line := range strings.Lines(string(out)) {
			if _, found, ok := strings.Cut(line, "[emerg] "); ok {
				_, said, numbered := strings.Cut(found, ": ")
				if !numbered || strings.HasPrefix(found, "open()") || !strings.Contains(strings.Fields(found)[0], "#") {
					said = found
				}
				want = strings.ReplaceAll(strings.TrimSpace(said), dir, "")
				break
			}
		}
		_, err = load(program.NewFS(dir), defaultFile)
		if err == nil || err.Error() != want {
			t.Errorf("%s:\n%v, want\n%s", text, err, want)
		}
	}
}

// debians is the path of Debian's nginx.
func debians(t *testing.T) string {
	t.Helper()
	bin, err := exec.LookPath("nginx")
	if err != nil {
		t.Skipf("%v (scripts/setup installs it)", err)
	}
	return bin
}
