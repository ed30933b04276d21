package nginx

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/netns"
	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/programtest"
)

func TestMain(m *testing.M) { netns.Main(m) }

// site is a running nginx with files of the test's.
type site struct {
	t        *testing.T
	root, ip string
	out, err programtest.Output
	signals  chan program.Signal
	exited   chan int
	process  *program.Process
}

func newSite(t *testing.T, files map[string]string) *site {
	t.Helper()
	netns.Require(t)
	s := &site{t: t, root: t.TempDir(), ip: "10.244.3.2", signals: make(chan program.Signal, 4), exited: make(chan int, 1)}
	all := Files()
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		s.write(name, text)
	}
	for _, dir := range []string{"run", "var/log/nginx"} {
		if err := os.MkdirAll(filepath.Join(s.root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"access.log": "/dev/stdout", "error.log": "/dev/stderr"} {
		if err := os.Symlink(target, filepath.Join(s.root, "var/log/nginx", name)); err != nil {
			t.Fatal(err)
		}
	}
	pod := podnet.New(podnet.Options{IPs: []netip.Addr{netip.MustParseAddr(s.ip)}})
	t.Cleanup(pod.Close)
	fs := program.NewFS(s.root)
	s.process = &program.Process{
		Args: []string{"nginx", "-g", "daemon off;"}, Env: []string{"NGINX_VERSION=1.29.4"}, Dir: "/", FS: fs, Net: pod.Sockets(fs),
		Hostname: "web-0", Stdin: strings.NewReader(""), Stdout: &s.out, Stderr: &s.err, Signals: s.signals, Table: program.NewTable(),
	}
	return s
}

func (s *site) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) start() *site {
	s.t.Helper()
	go func() { s.exited <- s.process.Table.Run(s.t.Context(), Main, s.process) }()
	s.logs(&s.err, "start worker processes")
	return s
}

func (s *site) logs(o *programtest.Output, text string) {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(o.String(), text); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("no %q in\n%s", text, o.String())
		}
	}
}

// get asks with request headers ("Name: value") and gives the status, the headers and the body.
func (s *site) get(method, url string, headers ...string) (int, http.Header, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.ip+url, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if port, rest, ok := strings.Cut(strings.TrimPrefix(url, ":"), "/"); strings.HasPrefix(url, ":") && ok {
		req.URL.Host, req.URL.Path = s.ip+":"+port, "/"+rest
	}
	req.Header.Set("User-Agent", "t")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
		} else {
			req.Header.Set(name, value)
		}
	}
	transport := &http.Transport{DialContext: s.process.Net.Dial, DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, url, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(body)
}

const lesson = `
upstream backends { server 127.0.0.1:9001; server 127.0.0.1:9002; }
log_format short '$request_method $uri $status';
server {
    listen 80 default_server;
    root /site;
    access_log /dev/stdout short;
    error_page 404 /404.html;
    error_page 502 =200 /down.html;
    add_header X-Outer outer;
    location / { try_files $uri $uri/ /index.html; }
    location = /exact { return 200 "exact on $hostname\n"; }
    location ^~ /pre/ { return 200 "prefix $uri"; }
    location ~ \.(png|gif)$ { return 200 "image $1"; }
    location ~* ^/case/(.*)$ { return 200 "case $1 ${is_args}$args"; default_type application/json; }
    location /files/ { alias /data/; add_header X-Inner "$http_x_me" always; }
    location /list/ { alias /data/; autoindex on; }
    location /old { return 301 /new; }
    location /away { return 302 https://elsewhere.org$request_uri; }
    location /gone { return 410; }
    location /secret { deny all; }
    location /status { stub_status; access_log off; }
    location /missing/ { root /nowhere; }
    location /named { try_files /nosuch @fallback; }
    location @fallback { return 200 "fell back from $uri"; }
    location /api/ { proxy_pass http://backends/v1/; proxy_set_header X-Real-IP $remote_addr; proxy_set_header Host $host; }
    location /direct { proxy_pass http://localhost:9001; }
    location /dead { proxy_pass http://127.0.0.1:9; }
    location /loop { try_files /nosuch /loop; }
}
server { listen 80; server_name a.example.org *.b.example.org; return 200 "virtual $server_name"; }
server { listen 8080; server_tokens off; location / { return 200 "port $server_port"; } }
server { listen 9001; location / { return 200 "one $request_uri $host $http_x_real_ip"; } }
server { listen 9002; location / { return 200 "two $request_uri $http_host"; } }
`

func TestConfiguration(t *testing.T) {
	s := newSite(t, map[string]string{
		"/etc/nginx/conf.d/default.conf": lesson,
		"/site/index.html":               "index\n", "/site/page.html": "page\n", "/site/sub/index.html": "sub\n", "/site/404.html": "custom 404\n",
		"/site/down.html": "down\n", "/data/a.txt": "text a\n", "/data/b.json": "{}\n",
	}).start()
	for _, c := range []struct {
		request string // method, URL, headers
		code    int
		body    string
		headers []string
	}{
		{"GET /", 200, "index\n", []string{"Server: nginx/1.29.4", "Content-Type: text/html", "X-Outer: outer"}},
		{"GET /page.html", 200, "page\n", nil},
		{"GET /sub/", 200, "sub\n", nil},
		{"GET /spa/route", 200, "index\n", nil}, // try_files' last
		{"GET /exact", 200, "exact on web-0\n", []string{"Content-Type: application/octet-stream"}},
		{"GET /exactly", 200, "index\n", nil},
		{"GET /pre/x.png", 200, "prefix /pre/x.png", nil},
		{"GET /a/b.png", 200, "image png", []string{"Content-Type: image/png"}},
		{"GET /CASE/Study?x=1", 200, "case Study ?x=1", []string{"Content-Type: application/json"}},
		{"GET /files/a.txt|X-Me: me", 200, "text a\n", []string{"Content-Type: text/plain", "X-Inner: me", "X-Outer: "}},
		{"GET /files/a.txt|Range: bytes=5-5", 206, "a", []string{"Content-Range: bytes 5-5/7"}},
		{"HEAD /files/a.txt", 200, "", []string{"Content-Length: 7"}},
		{"GET /files/../files/./a.txt", 200, "text a\n", nil},
		{"GET /old", 301, "<center><h1>301 Moved Permanently</h1></center>", []string{"Location: http://10.244.3.2/new"}},
		{"GET /away?q", 302, "302 Found", []string{"Location: https://elsewhere.org/away?q"}},
		{"GET /gone", 410, "410 Gone", nil},
		{"GET /secret", 403, "403 Forbidden", nil},
		{"GET /missing/x|Range: bytes=0-1", 404, "custom 404\n", []string{"Content-Type: text/html"}},
		{"POST /sub/", 405, "405 Not Allowed", nil},
		{"GET /named", 200, "fell back from /named", nil},
		{"GET /api/users?id=1", 200, "one /v1/users?id=1 10.244.3.2 10.244.3.2", nil},
		{"GET /api/x|Host: me.org", 200, "two /v1/x me.org", nil},
		{"GET /direct/a", 200, "one /direct/a localhost ", []string{"Server: nginx/1.29.4"}},
		{"GET /dead", 200, "down\n", nil},
		{"GET /loop", 500, "500 Internal Server Error", nil},
		{"GET /|Host: a.example.org", 200, "virtual a.example.org", nil},
		{"GET /|Host: X.B.example.org:80", 200, "virtual a.example.org", nil},
		{"GET /|Host: c.example.org", 200, "index\n", nil},
		{"GET :8080/", 200, "port 8080", []string{"Server: nginx"}},
		{"GET /list/", 200, `<a href="a.txt">a.txt</a>`, nil},
		{"GET /status", 200, "Active connections: ", nil},
	} {
		request, headers, _ := strings.Cut(c.request, "|")
		method, url, _ := strings.Cut(request, " ")
		var hs []string
		if headers != "" {
			hs = strings.Split(headers, "|")
		}
		code, got, body := s.get(method, url, hs...)
		if code != c.code || !strings.Contains(body, c.body) || len(c.body) > 0 && c.body[0] != '<' && !strings.HasPrefix(c.body, fmt.Sprint(c.code)) && c.code < 300 && !strings.HasPrefix(body, c.body) {
			t.Errorf("%s: %d %q, want %d %q", c.request, code, body, c.code, c.body)
		}
		for _, h := range c.headers {
			name, value, _ := strings.Cut(h, ": ")
			if got.Get(name) != value {
				t.Errorf("%s: %s is %q, want %q", c.request, name, got.Get(name), value)
			}
		}
	}
	for _, line := range []string{"GET /index.html 200\n", "GET /404.html 404\n", "GET /down.html 200\n", "POST /sub/index.html 405\n"} {
		s.logs(&s.out, line)
	}
	if strings.Contains(s.out.String(), "/status") {
		t.Error("access_log off logs")
	}
	s.logs(&s.err, `open() "/nowhere/missing/x" failed (2: No such file or directory), client: 10.244.3.2, server: , request: "GET /missing/x HTTP/1.1", host: "10.244.3.2"`)
	s.logs(&s.err, "while connecting to upstream")
	s.logs(&s.err, `rewrite or internal redirection cycle while processing "/loop"`)
}

func TestConfigurationErrors(t *testing.T) {
	for text, want := range map[string]string{
		"server { listen 80 }":             `unexpected "}" in /etc/nginx/conf.d/default.conf:1`,
		"server {\n listen 80;\n":          `unexpected end of file, expecting "}" in /etc/nginx/conf.d/default.conf:3`,
		"server { listn 80; }":             `unknown directive "listn" in /etc/nginx/conf.d/default.conf:1`,
		"\n\nserver { return nonsense; }":  `invalid return code "nonsense" in /etc/nginx/conf.d/default.conf:3`,
		"server { access_log /x nosuch; }": `unknown log format "nosuch" in /etc/nginx/conf.d/default.conf:1`,
		"server { location ~ ( { } }":      `regular expression "("`,
		"server { listen 443 ssl; }":       `TLS is not supported in the tab`,
		"include nosuch.conf;":             `open() "/etc/nginx/nosuch.conf" failed (2: No such file or directory)`,
		"server { proxy_pass backend; }":   `invalid URL prefix in /etc/nginx/conf.d/default.conf:1`,
		"server { add_header X; }":         `invalid number of arguments in "add_header" directive`,
		`server { return 200 "no end; }`:   `expecting ";" or "}"`,
		"upstream empty { }":               "no servers are inside upstream",
		"server { location /a /b { } }":    `invalid number of arguments in "location" directive`,
	} {
		s := newSite(t, map[string]string{"/etc/nginx/conf.d/default.conf": text})
		code := Main(t.Context(), s.process)
		if code != 1 || !strings.Contains(s.err.String(), "[emerg]") || !strings.Contains(s.err.String(), want) {
			t.Errorf("%s: code %d\n%s", text, code, s.err.String())
		}
	}
}

func TestCommandLine(t *testing.T) {
	s := newSite(t, nil)
	run := func(args ...string) (int, string) {
		var out programtest.Output
		p := s.process.Child(append([]string{"nginx"}, args...)...)
		p.Stderr = &out
		return Main(t.Context(), p), out.String()
	}
	if code, out := run("-v"); code != 0 || out != "nginx version: nginx/1.29.4 (the tab's stand-in)\n" {
		t.Errorf("-v: %d %q", code, out)
	}
	if code, out := run("-t"); code != 0 || !strings.Contains(out, "syntax is ok") || !strings.Contains(out, "test is successful") {
		t.Errorf("-t: %d %q", code, out)
	}
	if code, out := run("-s", "quit"); code != 1 || !strings.Contains(out, `open() "/run/nginx.pid" failed`) {
		t.Errorf("-s without a master: %d %q", code, out)
	}
	if code, _ := run("--nonsense"); code != 1 {
		t.Errorf("nonsense: %d", code)
	}
	s.start()
	s.write("/etc/nginx/conf.d/default.conf", `server { listen 80; listen 81; return 200 "reloaded"; }`)
	if code, out := run("-s", "reload"); code != 0 {
		t.Errorf("-s reload: %d %q", code, out)
	}
	s.logs(&s.err, "reconfiguring")
	for _, url := range []string{"/", ":81/"} {
		ok := false
		for deadline := time.Now().Add(10 * time.Second); !ok && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if c, err := net.Dial("tcp", "10.244.3.2:81"); err == nil {
				c.Close()
				_, _, body := s.get("GET", url)
				ok = body == "reloaded"
			}
		}
		if !ok {
			t.Errorf("%s is not as reloaded", url)
		}
	}
	s.write("/etc/nginx/conf.d/default.conf", `server { nonsense; }`)
	run("-s", "quit") // the master's file is of no use now: -s reads it, and says so
	s.write("/etc/nginx/conf.d/default.conf", "")
	if code, out := run("-s", "quit"); code != 0 {
		t.Errorf("-s quit: %d %q", code, out)
	}
	if code := <-s.exited; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// SIGQUIT lets open requests end; SIGTERM does not.
func TestShutdown(t *testing.T) {
	slow := func(s *site) (net.Conn, *bufio.Reader) {
		c, err := net.Dial("tcp", s.ip+":80")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		fmt.Fprintf(c, "GET /api/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		return c, bufio.NewReader(c)
	}
	for sig, finishes := range map[program.Signal]bool{program.SIGQUIT: true, program.SIGTERM: false} {
		s := newSite(t, map[string]string{"/etc/nginx/conf.d/default.conf": "server { location /api/ { proxy_pass http://localhost:9000; } }"})
		l, err := s.process.Net.Listen(context.Background(), "tcp", ":9000")
		if err != nil {
			t.Fatal(err)
		}
		arrived, answer := make(chan struct{}), make(chan struct{})
		go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			close(arrived)
			select {
			case <-answer:
				io.WriteString(w, "late")
			case <-r.Context().Done():
			}
		}))
		s.start()
		_, r := slow(s)
		<-arrived
		s.signals <- sig
		s.logs(&s.err, "received")
		close(answer)
		data, _ := io.ReadAll(r)
		if got := strings.HasSuffix(string(data), "late"); got != finishes && finishes {
			t.Errorf("signal %s: %q", sig.Name(), data)
		}
		if code := <-s.exited; code != 0 {
			t.Errorf("signal %s: code %d", sig.Name(), code)
		}
		s.process.Net.(*podnet.Sockets).Close()
	}
}

func TestAddressInUse(t *testing.T) {
	s := newSite(t, nil)
	l, err := s.process.Net.Listen(t.Context(), "tcp", ":80")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if code := Main(t.Context(), s.process); code != 1 || !strings.Contains(s.err.String(), "bind() to 0.0.0.0:80 failed (98: Address already in use)") {
		t.Errorf("code %d\n%s", code, s.err.String())
	}
}
