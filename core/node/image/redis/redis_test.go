package redis

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/programtest"
)

// network listens on any port, and dials servers by the names that they have in a test.
type network struct {
	programtest.Loopback
	names *sync.Map
}

func (n network) Dial(ctx context.Context, kind, address string) (net.Conn, error) {
	to, ok := n.names.Load(address)
	if !ok {
		return nil, fmt.Errorf("dial %s: connection refused", address)
	}
	return (&net.Dialer{}).DialContext(ctx, kind, to.(string))
}

// running is a redis-server.
type running struct {
	address string
	signals chan program.Signal
	ended   chan int
}

// stop ends it as a kubelet does, and waits.
func (r running) stop(t *testing.T) {
	t.Helper()
	r.signals <- program.SIGTERM
	if code := <-r.ended; code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

// start starts a server in a directory; names is where others find it.
func start(t *testing.T, names *sync.Map, name, root string, args ...string) running {
	t.Helper()
	r := running{signals: make(chan program.Signal, 1), ended: make(chan int, 1)}
	at := make(chan string, 1)
	p := &program.Process{
		Args: append([]string{"redis-server"}, args...), PID: 1, FS: program.NewFS(root), Dir: "/",
		Net: network{programtest.Loopback{At: at}, names}, Stdout: io.Discard, Stderr: io.Discard, Signals: r.signals,
	}
	go func() { r.ended <- Main(t.Context(), p) }()
	select {
	case r.address = <-at:
	case code := <-r.ended:
		t.Fatalf("redis-server %q ended with %d", args, code)
	}
	names.Store(name+":6379", r.address)
	return r
}

// client is one connection.
type client struct {
	net.Conn
	r *bufio.Reader
}

func dial(t *testing.T, address string) client {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return client{c, bufio.NewReader(c)}
}

// ask gives an answer on one line, its parts with blanks between them.
func (c client) ask(t *testing.T, line string) string {
	t.Helper()
	if _, err := c.Write(request(strings.Fields(line)...)); err != nil {
		t.Fatal(err)
	}
	return c.answer(t)
}

func (c client) answer(t *testing.T) string {
	t.Helper()
	line, err := c.r.ReadString('\n')
	if err != nil {
		return "closed"
	}
	line = strings.TrimRight(line, "\r\n")
	var n int
	switch line[0] {
	case '$':
		if _, err := fmt.Sscanf(line, "$%d", &n); err != nil || n < 0 {
			return "nil"
		}
		data := make([]byte, n+2)
		if _, err := io.ReadFull(c.r, data); err != nil {
			t.Fatal(err)
		}
		return string(data[:n])
	case '*', '%':
		fmt.Sscanf(line[1:], "%d", &n)
		if line[0] == '%' {
			n *= 2
		}
		var parts []string
		for range n {
			parts = append(parts, c.answer(t))
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	return line
}

func TestCommands(t *testing.T) {
	s := start(t, &sync.Map{}, "redis", t.TempDir())
	defer s.stop(t)
	c := dial(t, s.address)
	for _, step := range []struct{ line, want string }{
		{"PING", "+PONG"}, {"set k v", "+OK"}, {"get k", "v"}, {"get absent", "nil"},
		{"incr n", ":1"}, {"incrby n 41", ":42"}, {"incr k", "-ERR value is not an integer or out of range"},
		{"rpush l a b c", ":3"}, {"lrange l 0 -1", "[a b c]"}, {"lpop l", "a"}, {"llen l", ":2"},
		{"hset h f 1 g 2", ":2"}, {"hget h g", "2"}, {"hgetall h", "[f 1 g 2]"},
		{"sadd s x y x", ":2"}, {"scard s", ":2"}, {"sismember s y", ":1"}, {"get s", "-WRONGTYPE Operation against a key holding the wrong kind of value"},
		{"zadd z 2 b 1 a", ":2"}, {"zrange z 0 -1", "[a b]"},
		{"expire k 100", ":1"}, {"ttl k", ":"}, {"persist k", ":1"}, {"ttl k", ":-1"},
		{"set gone v px 1", "+OK"},
		{"type z", "+zset"}, {"keys ?", "[h k l n s z]"}, {"del k n", ":2"}, {"exists k", ":0"},
		{"multi", "+OK"}, {"set t 1", "+QUEUED"}, {"incr t", "+QUEUED"}, {"exec", "[+OK :2]"},
		{"config get maxmemory", "[maxmemory 0]"}, {"select 15", "+OK"}, {"dbsize", ":0"}, {"select 16", "-ERR DB index is out of range"},
		{"select 0", "+OK"}, {"role", "[master :"}, {"publish news hi", ":0"},
		// What would wait, compute or grow without end is not there.
		{"eval return 0", "-ERR unknown command"}, {"blpop l 0", "-ERR unknown command"}, {"setrange k 500000000 x", "-ERR unknown command"},
		{"debug segfault", "-ERR unknown command"}, {"flushall", "+OK"}, {"dbsize", ":0"},
	} {
		if got := c.ask(t, step.line); !strings.HasPrefix(got, step.want) {
			t.Errorf("%s: %q, want %q", step.line, got, step.want)
		}
	}
	for _, want := range []string{"redis_version:7.", "role:master", "connected_clients:1", "# Keyspace"} {
		if got := c.ask(t, "info"); !strings.Contains(got, want) {
			t.Errorf("INFO has no %s: %s", want, got)
		}
	}
	other := dial(t, s.address)
	if got := other.ask(t, "subscribe news"); got != "[subscribe news :1]" {
		t.Error(got)
	}
	if got := c.ask(t, "publish news hello"); got != ":1" {
		t.Error(got)
	}
	if got := other.answer(t); got != "[message news hello]" {
		t.Error(got)
	}
}

// TestExpiry: time goes by by itself.
func TestExpiry(t *testing.T) {
	s := start(t, &sync.Map{}, "redis", t.TempDir())
	defer s.stop(t)
	c := dial(t, s.address)
	c.ask(t, "set k v px 20")
	for deadline := time.Now().Add(time.Minute); c.ask(t, "get k") != "nil"; {
		if time.Now().After(deadline) {
			t.Fatal("it never expires")
		}
	}
}

func TestPassword(t *testing.T) {
	s := start(t, &sync.Map{}, "redis", t.TempDir(), "--requirepass", "s3cret")
	defer s.stop(t)
	c := dial(t, s.address)
	for _, line := range []string{"get k", "info", "config get *", "shutdown", "psync ? -1", "replicaof a 1", "save"} {
		if got := c.ask(t, line); got != "-NOAUTH Authentication required." {
			t.Errorf("%s: %s", line, got)
		}
	}
	if got := c.ask(t, "auth wrong"); !strings.HasPrefix(got, "-WRONGPASS") {
		t.Error(got)
	}
	if got := c.ask(t, "info replication"); got != "-NOAUTH Authentication required." {
		t.Error(got)
	}
	for _, line := range []string{"auth s3cret", "set k v", "info replication"} {
		if got := c.ask(t, line); strings.HasPrefix(got, "-") {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// TestReplica: a follower has what its leader had, and hears of what comes; nobody else writes to it.
func TestReplica(t *testing.T) {
	names := &sync.Map{}
	leader := start(t, names, "leader", t.TempDir())
	defer leader.stop(t)
	l := dial(t, leader.address)
	for _, line := range []string{"set before 1", "rpush l a b", "hset h f v", "zadd z 1.5 m", "sadd s x", "set short v ex 100", "select 3", "set other 3", "select 0"} {
		l.ask(t, line)
	}
	follower := start(t, names, "follower", t.TempDir(), "--replicaof", "leader", "6379")
	defer follower.stop(t)
	f := dial(t, follower.address)
	until := func(line, want string) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			got := f.ask(t, line)
			if strings.Contains(got, want) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: %q, want %q", line, got, want)
			}
		}
	}
	until("info replication", "master_link_status:up")
	for line, want := range map[string]string{"get before": "1", "lrange l 0 -1": "[a b]", "hget h f": "v", "zscore z m": "1.5", "scard s": ":1", "ttl short": ":", "get absent": "nil"} {
		if got := f.ask(t, line); !strings.HasPrefix(got, want) || got == ":-1" {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	l.ask(t, "set after 2")
	l.ask(t, "multi")
	l.ask(t, "incr after")
	l.ask(t, "exec")
	until("get after", "3")
	l.ask(t, "select 3")
	l.ask(t, "incr other")
	f.ask(t, "select 3")
	until("get other", "4")
	if got := f.ask(t, "set mine 1"); !strings.HasPrefix(got, "-READONLY") {
		t.Error(got)
	}
	if got := l.ask(t, "info replication"); !strings.Contains(got, "connected_slaves:1") {
		t.Error(got)
	}
	if got := f.ask(t, "replicaof no one") + f.ask(t, "set mine 1"); got != "+OK+OK" {
		t.Error(got)
	}
}

// TestFile: what was there when it ended is there when it starts again.
func TestFile(t *testing.T) {
	root := t.TempDir()
	first := start(t, &sync.Map{}, "redis", root)
	c := dial(t, first.address)
	for _, line := range []string{"set k v", "rpush l a b", "hset h f v g w", "zadd z -1.25 m", "sadd s x y", "set long v ex 1000", "select 7", "set k 7"} {
		c.ask(t, line)
	}
	first.stop(t)
	second := start(t, &sync.Map{}, "redis", root)
	c = dial(t, second.address)
	for _, step := range []struct{ line, want string }{
		{"get k", "v"}, {"lrange l 0 -1", "[a b]"}, {"hgetall h", "[f v g w]"}, {"zscore z m", "-1.25"}, {"smembers s", "[x y]"}, {"select 7", "+OK"}, {"get k", "7"},
	} {
		if got := c.ask(t, step.line); got != step.want {
			t.Errorf("%s: %q, want %q", step.line, got, step.want)
		}
	}
	second.stop(t)
}

// TestStrangersBytes: what is no request ends its connection with a sentence, and nobody else's.
func TestStrangersBytes(t *testing.T) {
	s := start(t, &sync.Map{}, "redis", t.TempDir())
	defer s.stop(t)
	for wire, want := range map[string]string{
		"*1000000000\r\n": "-ERR Protocol error: invalid multibulk length", "*1\r\n$2000000000\r\n": "-ERR Protocol error: invalid bulk length",
		"*1\r\n$-1\r\n": "-ERR Protocol error: invalid bulk length", "*1\r\n:1\r\n": "-ERR Protocol error: expected '$'",
		"*0\r\n*-1\r\n\r\nPING\r\n": "+PONG", "GET / HTTP/1.1\r\n": "-ERR wrong number of arguments",
		strings.Repeat("x", maxLine+1): "-ERR Protocol error: too big inline request",
		"\x16\x03\x01\x02\r\n":         "-ERR unknown command",
	} {
		c := dial(t, s.address)
		if _, err := io.WriteString(c, wire); err != nil {
			t.Fatal(err)
		}
		if got := c.answer(t); !strings.HasPrefix(got, want) {
			t.Errorf("%.40q: %q, want %q", wire, got, want)
		}
	}
	if got := dial(t, s.address).ask(t, "ping"); got != "+PONG" {
		t.Error(got)
	}
}

// TestMemoryIsBounded: with maxmemory writes are refused, and what is deleted makes room.
func TestMemoryIsBounded(t *testing.T) {
	s := start(t, &sync.Map{}, "redis", t.TempDir(), "--maxmemory", "100kb")
	defer s.stop(t)
	c := dial(t, s.address)
	value := strings.Repeat("v", 10_000)
	refused := ""
	for i := 0; i < 20 && refused == ""; i++ {
		if got := c.ask(t, fmt.Sprintf("set k%d %s", i, value)); got != "+OK" {
			refused = got
		}
	}
	if !strings.HasPrefix(refused, "-OOM command not allowed") {
		t.Errorf("refused with %q", refused)
	}
	c.ask(t, "flushall")
	if got := c.ask(t, "set k "+value); got != "+OK" {
		t.Error(got)
	}
}

// FuzzRequests: whatever comes, the server goes on.
func FuzzRequests(f *testing.F) {
	for _, seed := range []string{
		"*1\r\n$4\r\nPING\r\n", "PING\r\n", "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n", "*2\r\n$6\r\nSELECT\r\n$2\r\n99\r\n",
		"MULTI\r\nSET k v\r\nINCR k\r\nEXEC\r\n", "SUBSCRIBE a\r\nGET k\r\n", "CONFIG GET *\r\n", "HELLO 3 AUTH a b\r\n", "ZADD z nan m\r\n",
		"SCAN 0 MATCH [a COUNT -1\r\n", "LRANGE l -9999999999 99999999999\r\n", "CLIENT SETNAME \x00\r\n", "SET k v EX 9223372036854775807\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := start(t, &sync.Map{}, "redis", t.TempDir())
		c := dial(t, s.address)
		_, _ = c.Write(data)
		_ = c.Conn.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, c)
		if bytes.Contains(bytes.ToUpper(data), []byte("SHUTDOWN")) {
			return
		}
		if got := dial(t, s.address).ask(t, "ping"); got != "+PONG" {
			t.Errorf("after %q: %s", data, got)
		}
		s.stop(t)
	})
}

// FuzzFile: a file that somebody else wrote is read or refused.
func FuzzFile(f *testing.F) {
	f.Add([]byte("REDIS0009\xfe\x00\x00\x01k\x01v\xff"))
	f.Add([]byte("REDIS0011\xfa\x05redis\xc0\x01\x01\x80\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		root := t.TempDir()
		fs := program.NewFS(root)
		file, err := fs.OpenFile("/dump.rdb", 0x41, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = file.Write(data)
		file.Close()
		ended := make(chan int, 1)
		at, signals := make(chan string, 1), make(chan program.Signal, 1)
		go func() {
			ended <- Main(t.Context(), &program.Process{
				Args: []string{"redis-server"}, PID: 1, FS: fs, Dir: "/", Signals: signals,
				Net: network{programtest.Loopback{At: at}, &sync.Map{}}, Stdout: io.Discard, Stderr: io.Discard,
			})
		}()
		select {
		case <-at:
			signals <- program.SIGTERM
			<-ended
		case <-ended:
		}
	})
}
