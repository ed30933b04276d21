package defined

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/programtest"
)

// fake is a Host whose Workers are a function of the test's.
type fake struct {
	ended  chan struct{} // of its one Worker
	script func(w *fakeWorker)
	refuse error
	// stuck has output wait until the Worker has ended.
	stuck bool
}

// fakeWorker is the Worker's side.
type fakeWorker struct {
	told   chan message
	heard  func([]byte)
	failed func(error)
	ended  chan struct{}
	once   sync.Once
}

func (f *fake) Begin(_ uint32, heard func([]byte), failed func(error)) (Worker, error) {
	if f.refuse != nil {
		return nil, f.refuse
	}
	w := &fakeWorker{told: make(chan message, 1024), heard: heard, failed: failed, ended: f.ended}
	go f.script(w)
	return w, nil
}

func (w *fakeWorker) Post(b []byte) error {
	select {
	case w.told <- message{kind(b[0]), uint32(b[1])<<24 | uint32(b[2])<<16 | uint32(b[3])<<8 | uint32(b[4]), b[headLength:]}:
		return nil
	case <-w.ended:
		return errors.New("it was ended")
	}
}

func (w *fakeWorker) End() { w.once.Do(func() { close(w.ended) }) }

// say is a message of the Worker's.
func (w *fakeWorker) say(k kind, id uint32, data string) {
	w.heard(message{k, id, []byte(data)}.encode())
}

// next is the next message of a kind; others are passed over, and questions answered.
func (w *fakeWorker) next(k kind) message {
	for {
		select {
		case m := <-w.told:
			if m.kind == k {
				return m
			}
			if m.kind == toPing {
				w.say(fromPong, m.id, "")
			}
		case <-w.ended:
			return message{}
		}
	}
}

// output is what a container prints. One with a Worker waits until that has ended.
type output struct {
	bytes.Buffer
	waits chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	if o.waits != nil {
		<-o.waits
	}
	return o.Buffer.Write(p)
}

// container is a process that runs.
type container struct {
	stdout, stderr output
	signals        chan program.Signal
	at             chan string
	kill           context.CancelFunc
	code           chan int
}

func (c *container) wait() (code int, stdout, stderr string) {
	code = <-c.code
	return code, c.stdout.String(), c.stderr.String()
}

func start(t *testing.T, f *fake, patience time.Duration) *container {
	t.Helper()
	f.ended = make(chan struct{})
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "greeting"), []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c := &container{signals: make(chan program.Signal, 1), at: make(chan string, 4), kill: cancel, code: make(chan int, 1)}
	if f.stuck {
		c.stdout.waits, c.stderr.waits = f.ended, f.ended
	}
	p := &program.Process{
		Args: []string{"/app", "-x"}, Env: []string{"A=b"}, Dir: "/", Hostname: "web-1",
		Stdout: &c.stdout, Stderr: &c.stderr, Signals: c.signals, FS: program.NewFS(root), Net: programtest.Loopback{At: c.at},
	}
	r := NewRunner(f)
	r.patience = patience
	go func() { c.code <- r.Program(Definition{Module: "https://a/b.js", Ports: []int{80}})(ctx, p) }()
	t.Cleanup(cancel)
	return c
}

// calm is a patience that no test waits for.
const calm = time.Hour

func TestAContainerFromItsStartToItsEnd(t *testing.T) {
	c := start(t, &fake{script: func(w *fakeWorker) {
		var s startMessage
		_ = json.Unmarshal(w.next(toStart).data, &s)
		w.say(fromStdout, 0, fmt.Sprintln(s.Module, s.Args, s.Env, s.Hostname))
		w.say(fromFile, 7, "/greeting")
		m := w.next(toFile)
		w.say(fromStdout, 0, fmt.Sprintf("%d %s\n", m.id, m.data))
		w.say(fromFile, 8, "/nowhere")
		m = w.next(toNoFile)
		w.say(fromStderr, 0, fmt.Sprintf("%d %s\n", m.id, m.data))
		w.say(fromList, 9, "/")
		w.say(fromStdout, 0, string(w.next(toFile).data)+"\n")
		w.say(fromReady, 1, "")
		q := w.next(toRequest)
		body := w.next(toBody)
		w.say(fromHead, q.id, `{"status":201,"headers":[["X-Made","yes"],["Content-Length","3"],["Bad\nName","x"]]}`)
		w.say(fromData, q.id, string(q.data)+" "+string(body.data))
		w.say(fromEnd, q.id, "")
		w.say(fromStdout, 0, string(w.next(toSignal).data)+"\n")
		w.say(fromExit, 3, "")
	}}, calm)
	resp, err := http.Post("http://"+<-c.at+"/path?q=1", "text/plain", strings.NewReader("sent"))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || resp.StatusCode != 201 || resp.Header.Get("X-Made") != "yes" {
		t.Errorf("%v %d %v", err, resp.StatusCode, resp.Header)
	}
	if !strings.Contains(string(body), `/path?q=1"`) || !strings.HasSuffix(string(body), " sent") {
		t.Errorf("the module got %s", body)
	}
	c.signals <- program.SIGTERM
	code, stdout, stderr := c.wait()
	want := "https://a/b.js [/app -x] [A=b] web-1\n7 hello\n[\"greeting\"]\nSIGTERM\n"
	if code != 3 || stdout != want || stderr != "8 /nowhere: No such file or directory\n" {
		t.Errorf("%d\n%s\n%s", code, stdout, stderr)
	}
}

// TestHostileWorkers are Workers that lie: each is ended, and its log says why.
func TestHostileWorkers(t *testing.T) {
	flood := func(w *fakeWorker, k kind, id uint32, data string) {
		for {
			select {
			case <-w.ended:
				return
			default:
				w.say(k, id, data)
			}
		}
	}
	big := strings.Repeat("x", MaxMessage-headLength)
	asked := func(then func(w *fakeWorker, id uint32)) func(*fakeWorker) {
		return func(w *fakeWorker) {
			w.say(fromReady, 1, "")
			then(w, w.next(toRequest).id)
		}
	}
	for name, test := range map[string]struct {
		script func(w *fakeWorker)
		says   string
	}{
		"nothing":             {func(w *fakeWorker) { w.heard(nil) }, "a message of 0 bytes"},
		"too long a message":  {func(w *fakeWorker) { w.heard(make([]byte, MaxMessage+1)) }, "a message of 65537 bytes"},
		"garbage":             {func(w *fakeWorker) { w.heard([]byte("\x00\x01\x02\x03\x04")) }, "no message of kind"},
		"what only we say":    {func(w *fakeWorker) { w.say(toSignal, 9, "SIGKILL") }, "no message of kind"},
		"empty lines":         {func(w *fakeWorker) { flood(w, fromStdout, 0, "") }, "more messages than there is credit for"},
		"much output":         {func(w *fakeWorker) { flood(w, fromStderr, 0, big) }, "more bytes than there is credit for"},
		"no answer":           {func(w *fakeWorker) { w.say(fromPong, 1, "") }, "it answered question 1"},
		"an unasked answer":   {func(w *fakeWorker) { w.say(fromData, 1, "x") }, "which nobody has asked"},
		"a long path":         {func(w *fakeWorker) { w.say(fromFile, 1, big) }, "a path of"},
		"what a browser says": {func(w *fakeWorker) { w.failed(errors.New("its script is gone")) }, "its script is gone"},
		"no head":             {asked(func(w *fakeWorker, id uint32) { w.say(fromData, id, "x") }), "one head, and it comes first"},
		"two heads": {asked(func(w *fakeWorker, id uint32) {
			w.say(fromHead, id, `{"status":200}`)
			w.say(fromHead, id, `{"status":200}`)
		}), "one head, and it comes first"},
		"a switch of protocols": {asked(func(w *fakeWorker, id uint32) { w.say(fromHead, id, `{"status":101}`) }), "a status of 101"},
		"no status":             {asked(func(w *fakeWorker, id uint32) { w.say(fromHead, id, `null`) }), "a status of 0"},
		"many headers": {asked(func(w *fakeWorker, id uint32) {
			w.say(fromHead, id, `{"status":200,"headers":[`+strings.Repeat(`["a","b"],`, maxHeaders)+`["a","b"]]}`)
		}), "101 headers"},
		"no JSON":     {asked(func(w *fakeWorker, id uint32) { w.say(fromHead, id, `{`) }), "its head"},
		"ended twice": {asked(func(w *fakeWorker, id uint32) { w.say(fromEnd, id, ""); w.say(fromEnd, id, "") }), "which nobody has asked"},
		"an answer without credit": {asked(func(w *fakeWorker, id uint32) {
			w.say(fromHead, id, `{"status":200}`)
			flood(w, fromData, id, big)
		}), "credit for"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t, &fake{script: test.script, stuck: true}, calm)
			go func() {
				select {
				case at := <-c.at:
					if resp, err := http.Get("http://" + at); err == nil {
						<-t.Context().Done() // it reads nothing of the answer
						resp.Body.Close()
					}
				case <-t.Context().Done():
				}
			}()
			if code, _, stderr := c.wait(); code != 1 || !strings.Contains(stderr, test.says) {
				t.Errorf("exit code %d, %q; wanted %q", code, stderr, test.says)
			}
		})
	}
}

func TestAWorkerThatDoesNotListen(t *testing.T) {
	c := start(t, &fake{script: func(w *fakeWorker) { <-w.ended }}, time.Millisecond)
	if code, _, stderr := c.wait(); code != 137 || !strings.Contains(stderr, "computes without a pause") {
		t.Errorf("%d %q", code, stderr)
	}
	gone := start(t, &fake{script: func(w *fakeWorker) {
		w.say(fromStdout, 0, "last words\n")
		w.failed(ErrGone)
	}}, calm)
	if code, stdout, stderr := gone.wait(); code != 137 || stdout != "last words\n" || !strings.Contains(stderr, "more memory than the browser gives") {
		t.Errorf("one whose process is gone: %d %q %q", code, stdout, stderr)
	}
	listens := start(t, &fake{script: func(w *fakeWorker) {
		for range 3 * maxUnheard {
			w.say(fromPong, w.next(toPing).id, "")
		}
		w.say(fromExit, 0, "")
	}}, time.Millisecond)
	if code, _, stderr := listens.wait(); code != 0 {
		t.Errorf("one that listens: %d %q", code, stderr)
	}
}

func TestAWorkerThatCannotBegin(t *testing.T) {
	c := start(t, &fake{refuse: errors.New("the policy forbids it")}, calm)
	if code, _, stderr := c.wait(); code != 1 || stderr != "/app: begin a Worker: the policy forbids it\n" {
		t.Errorf("%d %q", code, stderr)
	}
}

func TestAKilledContainerEndsItsWorker(t *testing.T) {
	f := &fake{script: func(w *fakeWorker) {
		w.say(fromReady, 1, "")
		w.next(toRequest) // and never an answer
	}}
	c := start(t, f, calm)
	conn, err := net.Dial("tcp", <-c.at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	c.kill()
	if code, _, _ := c.wait(); code != 137 {
		t.Errorf("exit code %d", code)
	}
	<-f.ended
	if _, err := io.ReadAll(conn); err != nil && !errors.Is(err, net.ErrClosed) {
		t.Logf("who waited hears %v", err)
	}
}

// TestALongAnswer goes through a window that is far smaller; who leaves in the middle costs one answer.
func TestALongAnswer(t *testing.T) {
	const pieces, size = 512, 16 << 10
	c := start(t, &fake{script: func(w *fakeWorker) {
		w.say(fromReady, 1, "")
		for range 2 {
			id, spent := w.next(toRequest).id, leastCost
			w.say(fromHead, id, `{"status":200}`)
		sending:
			for range pieces {
				for spent+size > window {
					select {
					case m := <-w.told:
						if m.kind == toCancel {
							break sending
						}
						spent -= int(m.data[0])<<24 | int(m.data[1])<<16 | int(m.data[2])<<8 | int(m.data[3])
					case <-w.ended:
						return
					}
				}
				w.say(fromData, id, strings.Repeat("x", size))
				spent += size
			}
			w.say(fromEnd, id, "")
		}
		w.say(fromExit, 0, "")
	}}, calm)
	at := "http://" + <-c.at
	resp, err := http.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, resp.Body); n != pieces*size || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	resp.Body.Close()
	ctx, leave := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if resp, err = http.DefaultClient.Do(req); err != nil {
		t.Fatal(err)
	}
	leave()
	resp.Body.Close()
	if code, _, stderr := c.wait(); code != 0 {
		t.Errorf("%d %q", code, stderr)
	}
}

// FuzzMessages has a Worker say whatever it likes, and then end: nothing panics or stays.
func FuzzMessages(f *testing.F) {
	f.Add([]byte("\x05R\x00\x00\x00\x01\x06O\x00\x00\x00\x00x\x05H\x00\x00\x00\x01"))
	f.Add([]byte("\x06F\x00\x00\x00\x01/\x06L\x00\x00\x00\x02/\x05P\x00\x00\x00\x01\x00\x01T"))
	f.Fuzz(func(t *testing.T, said []byte) {
		c := start(t, &fake{script: func(w *fakeWorker) {
			for len(said) > 0 {
				n := min(int(said[0]), len(said)-1)
				w.heard(bytes.Clone(said[1 : 1+n]))
				said = said[1+n:]
			}
			w.say(fromExit, 0, "")
		}}, calm)
		c.wait()
	})
}

func TestFilesAtOnceAreBounded(t *testing.T) {
	c := &run{files: make(chan struct{}, 1)}
	c.files <- struct{}{}
	if err := c.read(message{kind: fromFile, data: []byte("/greeting")}); err == nil {
		t.Error("one more than there may be is read")
	}
}

func TestRequestsAreBounded(t *testing.T) {
	c := start(t, &fake{script: func(w *fakeWorker) {
		w.say(fromReady, 1, "")
		w.next(toSignal) // and never an answer
		w.say(fromExit, 0, "")
	}}, calm)
	at := <-c.at
	resp, err := http.Post("http://"+at, "text/plain", strings.NewReader(strings.Repeat("x", maxBody+1)))
	if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a long body: %v %v", resp, err)
	}
	busy := make(chan int, 2*maxAnswers)
	for range 2 * maxAnswers {
		go func() {
			resp, err := http.Get("http://" + at)
			if err != nil {
				busy <- 0
				return
			}
			resp.Body.Close()
			busy <- resp.StatusCode
		}()
	}
	for range maxAnswers { // the others wait for an answer
		if code := <-busy; code != http.StatusServiceUnavailable {
			t.Errorf("one too many is answered %d", code)
		}
	}
	c.signals <- program.SIGTERM
	c.wait()
}
