package cri

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport/spdy"
	remote "k8s.io/cri-client/pkg"
	utilexec "k8s.io/utils/exec"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/scripts/eventually"
)

func TestExecSync(t *testing.T) {
	f := newFixture(t)
	id, _ := f.start("forever")
	out, errOut, err := f.ExecSync(t.Context(), id, []string{"echo", "hello", "there"}, time.Minute)
	if string(out) != "hello there\n" || len(errOut) != 0 || err != nil {
		t.Errorf("%q, %q, %v", out, errOut, err)
	}
	out, errOut, err = f.ExecSync(t.Context(), id, []string{"cat", "/nosuch"}, 0)
	var exit utilexec.ExitError
	if !errors.As(err, &exit) || exit.ExitStatus() != 1 || len(out) != 0 || !strings.HasPrefix(string(errOut), "cat: open /nosuch") {
		t.Errorf("%q, %q, %v", out, errOut, err)
	}
	if _, _, err = f.ExecSync(t.Context(), id, []string{"nosuch"}, 0); err == nil || !strings.Contains(err.Error(), `exec: "nosuch": executable file not found in $PATH`) {
		t.Errorf("%v", err)
	}
	start := time.Now()
	if _, _, err = f.ExecSync(t.Context(), id, []string{"forever"}, 50*time.Millisecond); !errors.Is(err, remote.ErrCommandTimedOut) {
		t.Errorf("timeout: %v", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("a timeout of 50 ms took %s", took)
	}
	_, _, err = f.ExecSync(t.Context(), "nosuch", []string{"pwd"}, 0)
	wantCode(t, "no container", err, codes.NotFound)
	// The container's end is the end of what was started in it.
	ended := make(chan error, 1)
	go func() {
		_, _, err := f.ExecSync(t.Context(), id, []string{"forever"}, 0)
		ended <- err
	}()
	c, _ := f.container(id)
	eventually.True(t, "the process", func() bool { return len(c.processes.List()) == 2 })
	if err := f.StopContainer(t.Context(), id, 0); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.As(err, &exit) || exit.ExitStatus() != 137 {
		t.Errorf("after the container's end: %v", err)
	}
	_, _, err = f.ExecSync(t.Context(), id, []string{"pwd"}, 0)
	wantCode(t, "in an exited container", err, codes.Unknown)
}

func TestExecHasItsOwnSockets(t *testing.T) {
	f := newFixture(t)
	id, _ := f.start("forever")
	for range 2 { // the port is free again after the command
		_, _, err := f.ExecSync(t.Context(), id, []string{"serve", ":9000"}, 50*time.Millisecond)
		if !errors.Is(err, remote.ErrCommandTimedOut) {
			t.Fatalf("%v", err)
		}
	}
}

// client makes upstream's client for a streaming URL.
func client(t *testing.T, kind, text string) remotecommand.Executor {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var e remotecommand.Executor
	if kind == "SPDY" {
		e, err = remotecommand.NewSPDYExecutor(&rest.Config{}, http.MethodPost, u)
	} else {
		// The version that cri-streaming speaks; it cannot close stdin.
		e, err = remotecommand.NewWebSocketExecutorForProtocols(&rest.Config{}, http.MethodGet, text, "v4.channel.k8s.io")
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestExecStreams(t *testing.T) {
	f := newFixture(t)
	id, _ := f.start("forever")
	for _, kind := range []string{"SPDY", "WebSocket"} {
		t.Run(kind, func(t *testing.T) {
			exec := func(stdin string, cmd ...string) (string, string, error) {
				req := &runtimeapi.ExecRequest{ContainerId: id, Cmd: cmd, Stdin: stdin != "", Stdout: true, Stderr: true}
				resp, err := f.Exec(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.HasPrefix(resp.Url, "http://172.30.0.11:") {
					t.Errorf("URL %s", resp.Url)
				}
				var out, errOut bytes.Buffer
				opts := remotecommand.StreamOptions{Stdout: &out, Stderr: &errOut}
				if stdin != "" {
					opts.Stdin = strings.NewReader(stdin)
				}
				err = client(t, kind, resp.Url).StreamWithContext(t.Context(), opts)
				return out.String(), errOut.String(), err
			}
			big := strings.Repeat("0123456789abcdef", 20_000)
			if kind == "SPDY" {
				if out, _, err := exec(big, "cat"); out != big || err != nil {
					t.Errorf("cat gave %d of %d bytes, %v", len(out), len(big), err)
				}
			}
			if out, errOut, err := exec("", "err", "oops"); out != "" || errOut != "oops\n" || err != nil {
				t.Errorf("%q, %q, %v", out, errOut, err)
			}
			_, _, err := exec("", "exit", "42")
			var exit utilexec.ExitError
			if !errors.As(err, &exit) || exit.ExitStatus() != 42 {
				t.Errorf("exit 42: %v", err)
			}
			_, _, err = exec("", "nosuch")
			if err == nil || !strings.Contains(err.Error(), `exec: "nosuch": executable file not found in $PATH`) {
				t.Errorf("nosuch: %v", err)
			}
		})
	}
	_, err := f.Exec(t.Context(), &runtimeapi.ExecRequest{ContainerId: "nosuch", Cmd: []string{"pwd"}, Stdout: true})
	wantCode(t, "no container", err, codes.NotFound)
	_, err = f.Exec(t.Context(), &runtimeapi.ExecRequest{ContainerId: id, Cmd: []string{"pwd"}})
	wantCode(t, "no stream", err, codes.InvalidArgument)
}

// screen is what a terminal showed.
type screen struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// window tells a size once.
type window struct {
	size chan remotecommand.TerminalSize
}

func (w window) Next() *remotecommand.TerminalSize {
	size, ok := <-w.size
	if !ok {
		return nil
	}
	return &size
}

func TestExecTerminal(t *testing.T) {
	f := newFixture(t)
	id, _ := f.start("forever")
	for _, kind := range []string{"SPDY", "WebSocket"} {
		t.Run(kind, func(t *testing.T) {
			resp, err := f.Exec(t.Context(), &runtimeapi.ExecRequest{ContainerId: id, Cmd: []string{"terminal"}, Stdin: true, Stdout: true, Tty: true})
			if err != nil {
				t.Fatal(err)
			}
			var out screen
			keys, typist := io.Pipe()
			win := window{make(chan remotecommand.TerminalSize, 1)}
			win.size <- remotecommand.TerminalSize{Width: 132, Height: 43}
			done := make(chan error, 1)
			go func() {
				done <- client(t, kind, resp.Url).StreamWithContext(t.Context(), remotecommand.StreamOptions{
					Stdin: keys, Stdout: &out, Tty: true, TerminalSizeQueue: win})
			}()
			shows := func(text string) {
				t.Helper()
				eventually.True(t, fmt.Sprintf("%q on the screen", text), func() bool { return strings.HasSuffix(out.String(), text) })
			}
			shows("132x43\r\n")
			io.WriteString(typist, "helo\x7fx\x7flo\r")
			shows("helo\b \bx\b \blo\r\nread \"hello\\n\" <nil>\r\n")
			io.WriteString(typist, "\x03")
			shows("^Cgot SIGINT\r\n")
			var exit utilexec.ExitError
			if err := <-done; !errors.As(err, &exit) || exit.ExitStatus() != 42 {
				t.Errorf("exit: %v", err)
			}
			typist.Close()
			close(win.size)
		})
	}
}

func TestExecEndsWhenTheClientGoes(t *testing.T) {
	f := newFixture(t)
	id, _ := f.start("forever")
	c, _ := f.container(id)
	resp, err := f.Exec(t.Context(), &runtimeapi.ExecRequest{ContainerId: id, Cmd: []string{"cat"}, Stdin: true, Stdout: true, Tty: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	keys, typist := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- client(t, "SPDY", resp.Url).StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: keys, Stdout: io.Discard, Tty: true})
	}()
	eventually.True(t, "the process", func() bool { return len(c.processes.List()) == 2 })
	cancel()
	<-done
	typist.Close()
	eventually.True(t, "its end", func() bool { return len(c.processes.List()) == 1 })
}

func TestAttach(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod()
	config := f.containerConfig("main", "cat")
	config.Stdin, config.StdinOnce = true, true
	id := f.create(sandbox, sc, config)
	_, err := f.Attach(t.Context(), &runtimeapi.AttachRequest{ContainerId: id, Stdout: true})
	wantCode(t, "before the start", err, codes.Unknown)
	if err := f.StartContainer(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	attach := func(stdin io.Reader, out io.Writer) chan error {
		resp, err := f.Attach(t.Context(), &runtimeapi.AttachRequest{ContainerId: id, Stdin: stdin != nil, Stdout: true, Stderr: true})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			done <- client(t, "SPDY", resp.Url).StreamWithContext(t.Context(), remotecommand.StreamOptions{Stdin: stdin, Stdout: out, Stderr: io.Discard})
		}()
		return done
	}
	var watcher, talker screen
	watching := attach(nil, &watcher)
	c, _ := f.container(id)
	eventually.True(t, "the watcher", func() bool {
		c.stdio.stdout.mu.Lock()
		defer c.stdio.stdout.mu.Unlock()
		return len(c.stdio.stdout.attached) == 1
	})
	stdin, feed := io.Pipe()
	talking := attach(stdin, &talker)
	io.WriteString(feed, "hello\n")
	for _, s := range []*screen{&watcher, &talker} {
		eventually.True(t, "the output", func() bool { return s.String() == "hello\n" })
	}
	feed.Close() // StdinOnce: the process sees the end, and ends
	for _, done := range []chan error{watching, talking} {
		if err := <-done; err != nil {
			t.Errorf("attach: %v", err)
		}
	}
	if st := f.wait(id); st.ExitCode != 0 {
		t.Errorf("%+v", st)
	}
	if out, _ := f.log(id, false); out != "hello\n" {
		t.Errorf("log %q", out)
	}
}

// asked is a reader that says when somebody reads.
type asked chan struct{}

func (a asked) Read([]byte) (int, error) {
	close(a)
	return 0, io.EOF
}

// TestInputIsTakenOnceAttached: no input is taken of a client that does not hear the answer yet.
func TestInputIsTakenOnceAttached(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod()
	id := f.startOnce(sandbox, sc, "main", "cat")
	c, _ := f.container(id)
	input, done := make(asked), make(chan error, 1)
	_, out := io.Pipe()
	func() {
		c.stdio.stdout.mu.Lock() // nobody can be attached
		defer c.stdio.stdout.mu.Unlock()
		go func() { done <- streamRuntime{f.Runtime}.Attach(t.Context(), id, input, out, nil, false, nil) }()
		select {
		case <-input:
			t.Error("input is taken before its client is attached")
		case <-time.After(100 * time.Millisecond): // a slow machine lets a fault pass, and nothing else
		}
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
	<-input
}

// TestTheOneClientMissesNothing: a container whose input is of one client waits for it, however
// soon its program ends, but not for ever.
func TestTheOneClientMissesNothing(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod()
	soonOver := []string{"sh", "-c", "echo soon over"}
	alone := f.startOnce(sandbox, sc, "alone", soonOver...)
	id := f.startOnce(sandbox, sc, "main", soonOver...)
	resp, err := f.Attach(t.Context(), &runtimeapi.AttachRequest{ContainerId: id, Stdout: true, Stderr: true})
	if err != nil {
		t.Fatal(err)
	}
	var out screen
	err = client(t, "SPDY", resp.Url).StreamWithContext(t.Context(), remotecommand.StreamOptions{Stdout: &out, Stderr: io.Discard})
	if err != nil || out.String() != "soon over\n" {
		t.Errorf("attached it sees %q, %v", out.String(), err)
	}
	f.wait(alone)
	if out, _ := f.log(alone, false); out != "soon over\n" {
		t.Errorf("without a client it logs %q", out)
	}
}

func TestAttachTerminal(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod()
	config := f.containerConfig("main", "terminal")
	config.Stdin, config.Tty = true, true
	id := f.create(sandbox, sc, config)
	if err := f.StartContainer(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	resp, err := f.Attach(t.Context(), &runtimeapi.AttachRequest{ContainerId: id, Stdin: true, Stdout: true, Tty: true})
	if err != nil {
		t.Fatal(err)
	}
	var out screen
	keys, typist := io.Pipe()
	win := window{make(chan remotecommand.TerminalSize, 1)}
	done := make(chan error, 1)
	go func() {
		done <- client(t, "WebSocket", resp.Url).StreamWithContext(t.Context(), remotecommand.StreamOptions{
			Stdin: keys, Stdout: &out, Tty: true, TerminalSizeQueue: win})
	}()
	c, _ := f.container(id)
	eventually.True(t, "attached", func() bool {
		c.stdio.stdout.mu.Lock()
		defer c.stdio.stdout.mu.Unlock()
		return len(c.stdio.stdout.attached) == 1
	})
	win.size <- remotecommand.TerminalSize{Width: 100, Height: 30}
	eventually.True(t, "the size", func() bool { return strings.Contains(out.String(), "100x30\r\n") })
	io.WriteString(typist, "hi\r")
	eventually.True(t, "the echo", func() bool { return strings.Contains(out.String(), "hi\r\nread \"hi\\n\" <nil>\r\n") })
	io.WriteString(typist, "\x03")
	if err := <-done; err != nil {
		t.Errorf("attach: %v", err)
	}
	typist.Close()
	close(win.size)
	if st := f.wait(id); st.ExitCode != 42 {
		t.Errorf("%+v", st)
	}
	if log, _ := f.log(id, false); !strings.Contains(log, "got SIGINT") {
		t.Errorf("log %q", log)
	}
}

func TestPortForward(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod()
	for i, address := range []string{":8080", "127.0.0.1:9090"} {
		id := f.create(sandbox, sc, f.containerConfig(fmt.Sprint("serve", i), "serve", address))
		if err := f.StartContainer(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		eventually.True(t, "listening", func() bool { out, _ := f.log(id, false); return strings.Contains(out, "listening on") })
	}
	resp, err := f.PortForward(t.Context(), &runtimeapi.PortForwardRequest{PodSandboxId: sandbox})
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(resp.Url)
	if err != nil {
		t.Fatal(err)
	}
	transport, upgrader, err := spdy.RoundTripperFor(&rest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	dialer := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, u)
	stop, ready := make(chan struct{}), make(chan struct{})
	var errOut screen
	fw, err := portforward.NewOnAddresses(dialer, []string{"127.0.0.1"}, []string{"0:8080", "0:9090", "0:7070"}, stop, ready, io.Discard, &errOut)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- fw.ForwardPorts() }()
	select {
	case <-ready:
	case err := <-done:
		t.Fatal(err)
	}
	ports, err := fw.GetPorts()
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range ports {
		c, err := dialLocal(t, p.Local)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, "hi")
		data, _ := io.ReadAll(c)
		c.Close()
		want := `you said "hi"`
		if i == 2 {
			want = ""
		}
		if string(data) != want {
			t.Errorf("port %d: %q, want %q", p.Remote, data, want)
		}
	}
	close(stop)
	<-done
	err = streamRuntime{f.Runtime}.PortForward(t.Context(), sandbox, 7070, nil)
	if err == nil || !strings.Contains(err.Error(), "failed to connect to localhost:7070 inside pod sandbox") || !strings.Contains(err.Error(), "refused") {
		t.Errorf("a port on which nothing listens: %v", err)
	}
	_, err = f.PortForward(t.Context(), &runtimeapi.PortForwardRequest{PodSandboxId: "nosuch"})
	wantCode(t, "no sandbox", err, codes.NotFound)
}

func dialLocal(t *testing.T, port uint16) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(t.Context(), "tcp", fmt.Sprint("127.0.0.1:", port))
}
