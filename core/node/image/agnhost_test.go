package image

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/programtest"
)

func TestAgnhostServes(t *testing.T) {
	for _, c := range []struct {
		args       []string
		path, want string
	}{
		{[]string{"serve-hostname"}, "/", "pod-7"},
		{[]string{"netexec", "--http-port=8083"}, "/hostname", "pod-7"},
		{[]string{"netexec"}, "/echo?msg=hi", "hi"},
		{[]string{"liveness"}, "/healthz", "ok"},
		{[]string{"test-webserver"}, "/etc/motd", "hello from the file"},
		{[]string{"test-webserver"}, "/absent", "404 page not found"},
	} {
		root := t.TempDir()
		p := &program.Process{
			Args: append([]string{"/agnhost"}, c.args...), PID: 1, Hostname: "pod-7", FS: program.NewFS(root),
			Net: programtest.Loopback{At: make(chan string, 1)}, Stdout: io.Discard, Stderr: io.Discard,
		}
		signals := make(chan program.Signal, 1)
		p.Signals = signals
		if err := p.FS.MkdirAll("/etc", 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := p.FS.OpenFile("/etc/motd", 0x41, 0o644) // O_WRONLY|O_CREAT
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, "hello from the file")
		f.Close()
		ended := make(chan int, 1)
		go func() { ended <- agnhostMain(t.Context(), p) }()
		res, err := http.Get("http://" + <-p.Net.(programtest.Loopback).At + c.path)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if strings.TrimSpace(string(got)) != c.want {
			t.Errorf("%v %s: %q", c.args, c.path, got)
		}
		signals <- program.SIGTERM
		select {
		case code := <-ended:
			if code != 0 {
				t.Errorf("%v ended with %d", c.args, code)
			}
		case <-time.After(30 * time.Second):
			t.Errorf("%v does not end", c.args)
		}
	}
}

// dialing is a network that leads to one place.
type dialing struct {
	program.Network
	to string
}

func (d dialing) Dial(ctx context.Context, network, _ string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, network, d.to)
}

// TestNetexecAsksAnother: hooks and Services are tried by having one pod ask another.
func TestNetexecAsksAnother(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/endless" {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}
		io.WriteString(w, r.Host+" "+r.URL.RequestURI())
	}))
	defer other.Close()
	ended := make(chan error, 1)
	h := agnhostNetexec(&program.Process{Net: dialing{to: other.Listener.Addr().String()}}, func(err error) { ended <- err })
	for _, c := range []struct {
		path, want string
		code       int
	}{
		{"/dial?host=10.0.0.7&port=8080&request=echo%3Fmsg%3Dpoststart", `{"responses":["10.0.0.7:8080 /echo?msg=poststart"]}`, 200},
		{"/dial?host=fd00::7&port=80&request=a&tries=2", `{"responses":["[fd00::7]:80 /a","[fd00::7]:80 /a"]}`, 200},
		{"/dial?host=10.0.0.7&port=80&request=endless", `{"errors":["the answer is longer than a mebibyte"]}`, 200},
		{"/dial?host=10.0.0.7&port=80", "request parameter not specified.", 400},
		{"/dial?host=10.0.0.7&port=80&request=a&tries=1000000", `tries parameter is invalid: "1000000" is no number up to 1000`, 400},
		{"/dial?host=%0d%0ax&port=80&request=a", "host and/or port param are invalid.", 400},
		{"/dial?host=10.0.0.7&port=80&request=a&protocol=sctp", "unsupported protocol. sctp", 400},
		{"/echo?msg=no&code=503", "no", 503},
		{"/echo?msg=no&code=99999", "argument 'code' must be", 200},
		{"/exit?code=-1", "argument 'code' must be", 200},
		{"/exit?wait=9999h", "argument 'wait' must be", 200},
		{"/exit?code=7", "", 200},
		{"/redirect?location=/echo&code=307", "", 307},
		{"/redirect?location=/echo&code=200", `argument 'code' must be an integer or empty, got "200"`, 200},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, c.path, nil))
		if got := w.Body.String(); w.Code != c.code || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %d %s; want %d %s", c.path, w.Code, got, c.code, c.want)
		}
	}
	if err := <-ended; err.Error() != "asked to end with code 7" {
		t.Error(err)
	}
}

// Hooks' tests look for the request in the log of whom it went to.
func TestRequestsAreLogged(t *testing.T) {
	var lines bytes.Buffer
	h := logged(&lines, http.NotFoundHandler())
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "http://pod/echo?msg=poststart%0Afaked", nil))
	if got := lines.String(); !strings.HasSuffix(got, " GET /echo?msg=poststart%0Afaked\n") || strings.Count(got, "\n") != 1 {
		t.Errorf("%q", got)
	}
}

func TestAgnhostWritesLogs(t *testing.T) {
	var out bytes.Buffer
	p := &program.Process{Args: []string{"/agnhost", "logs-generator", "--log-lines-total", "20", "--run-duration", "1ms"}, Stdout: &out, Stderr: io.Discard}
	if code := agnhostMain(t.Context(), p); code != 0 || strings.Count(out.String(), "\n") != 20 {
		t.Errorf("code %d:\n%s", code, out.String())
	}
}

func TestAgnhostPauseTellsItsSignal(t *testing.T) {
	for signal, want := range map[program.Signal]struct {
		code int
		last string
	}{
		program.SIGTERM: {2, "exiting because of signal \"terminated\"\n"},
		program.SIGINT:  {1, "exiting because of signal \"interrupt\"\n"},
	} {
		var out bytes.Buffer
		signals := make(chan program.Signal, 2)
		signals <- program.SIGHUP // not its matter
		signals <- signal
		root := t.TempDir()
		p := &program.Process{
			Args: []string{"/agnhost", "pause"}, Env: []string{"TERMINATION_MESSAGE_PATH=/last"},
			FS: program.NewFS(root), Stdout: &out, Signals: signals,
		}
		if code := agnhostMain(t.Context(), p); code != want.code || out.String() != "Paused\nSignals registered\n"+want.last {
			t.Errorf("%d: code %d, %q", signal, code, out.String())
		}
		if last, err := os.ReadFile(filepath.Join(root, "last")); string(last) != want.last {
			t.Errorf("%d: its last word is %q, %v", signal, last, err)
		}
	}
}
