package image

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/programtest"
)

// kept is what several goroutines write.
type kept struct {
	mu sync.Mutex
	bytes.Buffer
}

func (k *kept) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.Buffer.Write(p)
}

// runLoad runs load until it has asked so often, and is told to end then.
func runLoad(t *testing.T, until func() bool, args ...string) (said, complained string, code int) {
	t.Helper()
	img, err := Builtins(nil, nil).Resolve("images.tabernetes.internal/load:v1")
	if err != nil {
		t.Fatal(err)
	}
	var out, errOut kept
	signals, ended := make(chan program.Signal, 1), make(chan int, 1)
	p := &program.Process{Args: append([]string{"/load"}, args...), PID: 1, FS: program.NewFS(t.TempDir()), Net: machine{}, Stdout: &out, Stderr: &errOut, Signals: signals}
	go func() { ended <- img.Programs["/load"](t.Context(), p) }()
	for {
		select {
		case code = <-ended:
			return out.String(), errOut.String(), code
		case <-time.After(time.Millisecond):
			if until != nil && until() {
				signals <- program.SIGTERM
				code = <-ended
				return out.String(), errOut.String(), code
			}
		}
	}
}

func TestLoad(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1)%2 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	said, _, code := runLoad(t, func() bool { return asked.Load() >= 10 }, "-qps", "200", strings.TrimPrefix(server.URL, "http://"))
	if code != 0 || !regexp.MustCompile(`^(\d+ requests: (200 \d+|503 \d+|200 \d+, 503 \d+); half within \S+\n)+$`).MatchString(said) {
		t.Errorf("%d, %q", code, said)
	}
	server.Close()
	// By its time, and nobody is there.
	if said, _, code := runLoad(t, nil, "--qps=100", "--for=300ms", server.URL); code != 1 || !regexp.MustCompile(`^(\d+ requests: no answer \d+\n)*$`).MatchString(said) {
		t.Errorf("nobody there: %d, %q", code, said)
	}
	for _, args := range [][]string{{}, {"-qps", "NaN", "http://x"}, {"-qps=1e-300", "x"}, {"-qps=1e9", "x"}, {"-for", "soon", "x"}, {"a", "b"}, {"http://a\x7f"}, {"-nonsense", "x"}} {
		if _, complained, code := runLoad(t, nil, args...); code != 2 || complained == "" {
			t.Errorf("%q: code %d, %q", args, code, complained)
		}
	}
}

func TestFlaky(t *testing.T) {
	ask := func(address string) (int, string) {
		t.Helper()
		res, err := http.Get("http://" + address)
		if err != nil {
			return 0, err.Error()
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(body)
	}
	const flaky = "images.tabernetes.internal/flaky"
	always, never := serving(t, flaky, []string{"FAIL=1", "READY_AFTER=1h"}), serving(t, flaky, nil)
	for range 20 {
		if code, text := ask(always + "/"); code != 500 || text != "500 from pod-7\n" {
			t.Fatalf("%d %q", code, text)
		}
		if code, text := ask(never + "/x"); code != 200 || text != "200 from pod-7\n" {
			t.Fatalf("%d %q", code, text)
		}
	}
	if code, _ := ask(always + "/ready"); code != 503 {
		t.Errorf("ready: %d", code)
	}
	if code, _ := ask(never + "/ready"); code != 200 {
		t.Errorf("not ready: %d", code)
	}
	half, got := serving(t, flaky, []string{"FAIL=0.5"}), map[int]bool{}
	for range 200 { // both come, but for one chance in 2^200
		code, _ := ask(half + "/")
		got[code] = true
	}
	if !got[200] || !got[500] || len(got) != 2 {
		t.Errorf("half: %v", got)
	}

	img, err := Builtins(nil, nil).Resolve(flaky)
	if err != nil {
		t.Fatal(err)
	}
	end := func(env ...string) (int, string) {
		var errOut kept
		p := &program.Process{Args: []string{"/flaky"}, Env: env, PID: 1, FS: program.NewFS(t.TempDir()), Net: programtest.Loopback{At: make(chan string, 1)}, Stdout: io.Discard, Stderr: &errOut}
		return img.Programs["/flaky"](t.Context(), p), errOut.String()
	}
	if code, text := end("CRASH_AFTER=10ms"); code != 1 || text != "flaky: 10ms are over, as CRASH_AFTER has it\n" {
		t.Errorf("%d %q", code, text)
	}
	for _, env := range []string{"FAIL=2", "FAIL=NaN", "FAIL=x", "SLOW=-1s", "SLOW=1", "READY_AFTER=soon", "CRASH_AFTER=x"} {
		if code, text := end(env); code != 2 || !strings.Contains(text, "FAIL: the share") {
			t.Errorf("%s: %d %q", env, code, text)
		}
	}
}
