package podinfo

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/programtest"
)

// pod is one podinfo.
type pod struct {
	process *program.Process
	// at are the addresses of its listeners, in the order in which it opens them.
	at      []string
	log     *programtest.Output
	signals chan program.Signal
	ended   chan int
}

// network listens on any port of the loopback, and dials there.
type network struct{ programtest.Loopback }

func (network) Dial(ctx context.Context, kind, address string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, kind, address)
}

// start starts one with so many listeners.
func start(t *testing.T, listeners int, env []string, args ...string) *pod {
	t.Helper()
	root, at := program.NewFS(t.TempDir()), make(chan string, listeners)
	for _, dir := range []string{"/home", "/home/app", "/data", "/config"} {
		if err := root.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{VersionFile: "6.1.2\n", "/config/greeting": "hi"} {
		if err := root.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	one := &pod{log: &programtest.Output{}, signals: make(chan program.Signal, 1), ended: make(chan int, 1)}
	one.process = &program.Process{
		Args: append([]string{"./podinfo", "--level=debug"}, args...), Env: env, PID: 1, Hostname: "pod-7", FS: root, Dir: "/home/app",
		Net: network{programtest.Loopback{At: at}}, Stdout: one.log, Stderr: one.log, Signals: one.signals,
	}
	go func() { one.ended <- Main(t.Context(), one.process) }()
	t.Cleanup(func() {
		one.signals <- program.SIGTERM
		one.ended <- <-one.ended
	})
	for range listeners {
		select {
		case address := <-at:
			one.at = append(one.at, address)
		case code := <-one.ended:
			one.ended <- code
			t.Fatalf("it ended with %d: %s", code, one.log)
		}
	}
	return one
}

// asked is one request: its status, and its body.
func (p *pod) asked(t *testing.T, method, path, body string, headers ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+p.at[0]+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(all)
}

func TestRequests(t *testing.T) {
	p := start(t, 1, []string{"PODINFO_UI_MESSAGE=hello there", "PODINFO_UI_COLOR=#123456", "A=b", "PODINFO_PORT=tcp://10.96.0.7:9898"}, "--config-path=/config", "--ui-color=#abcdef")
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/", "", 200, `"hostname": "pod-7",` + "\n" + `  "version": "6.1.2",`},
		{"GET", "/", "", 200, `"message": "hello there",`},
		{"GET", "/api/info", "", 200, `"color": "#abcdef",`},
		{"GET", "/version", "", 200, "{\n  \"commit\": \"unknown\",\n  \"version\": \"6.1.2\"\n}"},
		{"GET", "/healthz", "", 200, "{\n  \"status\": \"OK\"\n}"},
		{"GET", "/readyz", "", 200, `"status": "OK"`},
		{"POST", "/readyz/disable", "", 202, ""},
		{"GET", "/readyz", "", 503, ""},
		{"GET", "/healthz", "", 200, "OK"},
		{"POST", "/readyz/enable", "", 202, ""},
		{"GET", "/readyz", "", 200, "OK"},
		{"GET", "/readyz/enable", "", 405, ""},
		{"POST", "/readyz/nonsense", "", 404, ""},
		{"GET", "/env", "", 200, `"A=b"`},
		{"GET", "/headers", "", 200, `"User-Agent": [`},
		{"GET", "/status/418", "", 418, "{\n  \"status\": 418\n}"},
		{"GET", "/status/99999", "", 200, `"code": 400`},
		{"GET", "/status/1", "", 200, `"code": 400`},
		{"GET", "/status/x", "", 404, ""},
		{"GET", "/delay/0", "", 200, "{\n  \"delay\": 0\n}"},
		{"GET", "/delay/99999999999999999999", "", 200, `"code": 400`},
		{"GET", "/chunked/0", "", 200, `"delay": 0`},
		{"POST", "/echo", "some text", 202, "some text"},
		{"POST", "/api/echo/deeper", "x", 202, "x"},
		{"POST", "/echo", strings.Repeat("x", maxBody+1), 200, "request body too large"},
		{"GET", "/configs", "", 200, "{\n  \"greeting\": \"hi\"\n}"},
		{"POST", "/store", "kept", 202, `"hash": "1e61fe1e47593d783345ac78ef213cc0446fd78c"`},
		{"GET", "/store/..%2F..%2Fetc%2Fpasswd", "", 200, "invalid hash"},
		{"GET", "/store/" + strings.Repeat("0", 40), "", 200, "reading file failed"},
		{"GET", "/cache/k", "", 200, "cache server is offline"},
		{"POST", "/fault_injection/enable", "", 202, `"fault_injection": "enabled"`},
		{"GET", "/version", "", 500, "fault injection enabled"},
		{"GET", "/healthz", "", 200, "OK"},
		{"POST", "/fault_injection/disable", "", 202, `"disabled"`},
		{"GET", "/nosuch", "", 404, ""},
	} {
		status, body := p.asked(t, c.method, c.path, c.body)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %q, want %d and %q", c.method, c.path, status, body, c.status, c.want)
		}
	}
	if _, body := p.asked(t, "GET", "/", "", "User-Agent", "Mozilla/5.0"); !strings.Contains(body, "<h1>hello there</h1>") {
		t.Errorf("a browser gets %q", body)
	}
	if _, body := p.asked(t, "GET", "/metrics", ""); !strings.Contains(body, `http_requests_total{status="418"} 1`) ||
		!strings.Contains(body, `http_request_duration_seconds_count{method="GET",path="status",status="418"} 1`) || strings.Contains(body, "nosuch") {
		t.Errorf("metrics: %s", body)
	}
	for _, want := range []string{`"msg":"Starting podinfo","version":"6.1.2","port":"9898"}`, `"msg":"request started","proto":"HTTP/1.1","uri":"/version"`} {
		if !strings.Contains(p.log.String(), want) {
			t.Errorf("the log has no %s: %s", want, p.log)
		}
	}
}

// TestPageIsQuoted: what a variable says is text on the page, and no markup.
func TestPageIsQuoted(t *testing.T) {
	p := start(t, 1, []string{`PODINFO_UI_MESSAGE=<script>alert(1)</script>`, `PODINFO_UI_COLOR=red} * {display: none`, `PODINFO_UI_LOGO=javascript:alert(1)`})
	_, body := p.asked(t, "GET", "/", "", "User-Agent", "Mozilla/5.0")
	for _, banned := range []string{"<script>alert", "display: none", "javascript:alert"} {
		if strings.Contains(body, banned) {
			t.Errorf("the page has %s: %s", banned, body)
		}
	}
}

func TestTokens(t *testing.T) {
	p, other := start(t, 1, nil), start(t, 1, nil, "--jwt-secret=another-one-of-at-least-32-bytes-00")
	_, body := p.asked(t, "POST", "/token", "ada")
	var made struct{ Token string }
	if err := json.Unmarshal([]byte(body), &made); err != nil || strings.Count(made.Token, ".") != 2 {
		t.Fatalf("%v: %s", err, body)
	}
	validate := func(p *pod, header string) string {
		_, body := p.asked(t, "GET", "/token/validate", "", "Authorization", header)
		return body
	}
	if got := validate(p, "Bearer "+made.Token); !strings.Contains(got, `"token_name": "ada"`) {
		t.Error(got)
	}
	for _, forged := range []string{"", "Bearer", "Basic " + made.Token, "Bearer x.y.z", "Bearer " + made.Token + "x", "Bearer eyJhbGciOiJub25lIn0.eyJuYW1lIjoiYWRhIiwiaXNzIjoicG9kaW5mbyJ9."} {
		if got := validate(p, forged); !strings.Contains(got, `"code": 401`) {
			t.Errorf("%q: %s", forged, got)
		}
	}
	if got := validate(other, "Bearer "+made.Token); !strings.Contains(got, `"code": 401`) {
		t.Errorf("another one's token: %s", got)
	}
}

// TestEnds: who asks it to panic sees 255, and a signal 0.
func TestEnds(t *testing.T) {
	p := start(t, 1, nil)
	if resp, err := http.Get("http://" + p.at[0] + "/panic"); err == nil {
		resp.Body.Close()
	}
	if code := <-p.ended; code != 255 {
		t.Errorf("it ended with %d", code)
	}
	p.ended <- 255
	p = start(t, 1, nil)
	p.signals <- program.SIGTERM
	code := <-p.ended
	p.ended <- code
	if code != 0 {
		t.Errorf("a signal: it ended with %d", code)
	}
	for _, c := range []struct {
		args []string
		code int
	}{{[]string{"--version"}, 0}, {[]string{"--nonsense"}, 2}, {[]string{"--port=70000"}, 2}, {[]string{"--random-delay-min=9"}, 2}} {
		if got := Main(t.Context(), &program.Process{Args: append([]string{"podinfo"}, c.args...), FS: program.NewFS(t.TempDir()), Stdout: io.Discard, Stderr: io.Discard}); got != c.code {
			t.Errorf("%q: %d, want %d", c.args, got, c.code)
		}
	}
}

// TestBackends: a front end asks the back ends, and podcli all that podinfo's own manifests have it ask.
func TestBackends(t *testing.T) {
	back := start(t, 3, nil, "--port-metrics=9797", "--grpc-port=9999")
	front := start(t, 1, nil, "--backend-url=http://"+back.at[0]+"/echo", "--backend-url=http://"+back.at[0]+"/status/500")
	if _, body := front.asked(t, "POST", "/echo", "through"); !strings.Contains(body, `"through",`) || !strings.Contains(body, "/status/500 response status code 500") {
		t.Error(body)
	}
	if resp, err := http.Get("http://" + back.at[1] + "/metrics"); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("metrics: %v, %v", resp, err)
	} else {
		resp.Body.Close()
	}
	for _, c := range []struct {
		line string
		code int
	}{
		{"check http " + back.at[0] + "/healthz", 0}, {"check http http://" + back.at[0] + "/status/503", 1}, {"check tcp " + back.at[0], 0},
		{"check grpc " + back.at[2] + " --service=podinfo", 0}, {"check grpc " + back.at[2] + " --service=none", 1},
		{"check ws " + back.at[0] + "/ws/echo", 0}, {"check ws " + back.at[0] + "/echo", 1},
		{"check http 127.0.0.1:1 --retry=1 --delay=1ms", 1}, {"check nonsense x", 1}, {"check http", 1}, {"version", 0},
	} {
		back.process.Args = append([]string{"podcli"}, strings.Fields(c.line)...)
		if got := CLI(t.Context(), back.process); got != c.code {
			t.Errorf("%s: %d, want %d: %s", c.line, got, c.code, back.log)
		}
	}
}

// TestWebSocket: it says what it hears; who says too much, or comes from a page of another host, is let go.
func TestWebSocket(t *testing.T) {
	p := start(t, 1, nil)
	conn, _, err := websocket.DefaultDialer.Dial("ws://"+p.at[0]+"/ws/echo", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var said struct{ Msg string }
	if err := conn.WriteMessage(websocket.TextMessage, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if err := conn.ReadJSON(&said); err != nil || said.Msg != "hello" {
		t.Errorf("%v: %q", err, said.Msg)
	}
	if err := conn.WriteMessage(websocket.TextMessage, make([]byte, maxMessage+1)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseMessageTooBig) {
		t.Errorf("too large a message: %v", err)
	}
	if other, _, err := websocket.DefaultDialer.Dial("ws://"+p.at[0]+"/ws/echo", http.Header{"Origin": {"http://elsewhere"}}); err == nil {
		other.Close()
		t.Error("a page of another host is let in")
	}
}
