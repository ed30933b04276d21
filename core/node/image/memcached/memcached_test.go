package memcached

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/programtest"
)

// start starts a server, and gives where it is; it ends with the test.
func start(t *testing.T, args ...string) string {
	t.Helper()
	at, signals, ended := make(chan string, 1), make(chan program.Signal, 1), make(chan int, 1)
	p := &program.Process{
		Args: append([]string{"memcached"}, args...), PID: 1, Net: programtest.Loopback{At: at},
		Stdout: io.Discard, Stderr: io.Discard, Signals: signals,
	}
	go func() { ended <- Main(t.Context(), p) }()
	t.Cleanup(func() {
		signals <- program.SIGTERM
		if code := <-ended; code != 0 {
			t.Errorf("it ended with %d", code)
		}
	})
	return <-at
}

// say sends bytes and gives all that comes back.
func say(t *testing.T, address, wire string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, wire); err != nil {
		t.Fatal(err)
	}
	_ = c.(*net.TCPConn).CloseWrite()
	all, _ := io.ReadAll(c)
	return string(all)
}

func TestCommands(t *testing.T) {
	address := start(t)
	for _, c := range []struct{ say, want string }{
		{"set k 7 0 5\r\nhello\r\nget k\r\n", "STORED\r\nVALUE k 7 5\r\nhello\r\nEND\r\n"},
		{"get absent k\r\nquit\r\nget k\r\n", "VALUE k 7 5\r\nhello\r\nEND\r\n"},
		{"add k 0 0 1\r\nx\r\nreplace none 0 0 1\r\nx\r\n", "NOT_STORED\r\nNOT_STORED\r\n"},
		{"append k 0 0 1\r\n!\r\nprepend k 0 0 1\r\n>\r\nget k\r\n", "STORED\r\nSTORED\r\nVALUE k 7 7\r\n>hello!\r\nEND\r\n"},
		{"set n 0 0 2\r\n10\r\nincr n 5\r\ndecr n 100\r\nincr k 1\r\nincr none 1\r\n", "STORED\r\n15\r\n0\r\nCLIENT_ERROR cannot increment or decrement non-numeric value\r\nNOT_FOUND\r\n"},
		{"set q 0 0 1 noreply\r\nx\r\ndelete q\r\ndelete q\r\n", "DELETED\r\nNOT_FOUND\r\n"},
		{"set e 0 -1 1\r\nx\r\nget e\r\nset e 0 100 1\r\nx\r\ntouch e -1\r\nget e\r\n", "STORED\r\nEND\r\nSTORED\r\nTOUCHED\r\nEND\r\n"},
		{"cas k 0 0 1 999\r\nx\r\ncas none 0 0 1 1\r\nx\r\n", "EXISTS\r\nNOT_FOUND\r\n"},
		{"flush_all\r\nget k\r\nversion\r\n", "OK\r\nEND\r\nVERSION " + Version + "\r\n"},
		// What is no command.
		{"GET k\r\n\r\nset\r\nset k 0 0 x\r\nget\r\n", "ERROR\r\nERROR\r\nERROR\r\nCLIENT_ERROR bad command line format\r\nERROR\r\n"},
		{"set k 0 0 3\r\nabcdef\r\n", "CLIENT_ERROR bad data chunk\r\nERROR\r\n"},
		{"set k 0 0 99999999999\r\nx\r\n", ""},
		{strings.Repeat("x", maxLine+1), "CLIENT_ERROR line too long\r\n"},
		{"get " + strings.Repeat("k", maxKey+1) + "\r\n", "CLIENT_ERROR bad command line format\r\n"},
	} {
		if got := say(t, address, c.say); got != c.want && !(c.want == "CLIENT_ERROR bad data chunk\r\nERROR\r\n" && strings.HasPrefix(got, "CLIENT_ERROR bad data chunk")) {
			t.Errorf("%.60q: %q, want %q", c.say, got, c.want)
		}
	}
	if got := say(t, address, "stats\r\n"); !strings.Contains(got, "STAT curr_items 0\r\n") || !strings.HasSuffix(got, "END\r\n") {
		t.Error(got)
	}
}

// TestWhatWasNotUsedFalls: the memory that it has is all that it takes.
func TestWhatWasNotUsedFalls(t *testing.T) {
	address := start(t, "-m", "1")
	value := strings.Repeat("v", 300<<10)
	var wire strings.Builder
	for _, k := range []string{"a", "b", "c"} {
		wire.WriteString("set " + k + " 0 0 307200 noreply\r\n" + value + "\r\n")
	}
	say(t, address, wire.String())
	say(t, address, "get a\r\n") // b is now the oldest
	if got := say(t, address, "set d 0 0 307200\r\n"+value+"\r\n"); got != "STORED\r\n" {
		t.Fatal(got)
	}
	for key, want := range map[string]bool{"a": true, "b": false, "c": true, "d": true} {
		if got := say(t, address, "get "+key+"\r\n"); strings.HasPrefix(got, "VALUE") != want {
			t.Errorf("%s: %.20q, want it there: %v", key, got, want)
		}
	}
}

// FuzzSession: whatever comes, the server goes on.
func FuzzSession(f *testing.F) {
	for _, seed := range []string{"set k 0 0 1\r\nx\r\nget k\r\n", "incr k 18446744073709551615\r\n", "gets k k k\r\n", "cas k 0 0 0 1\r\n\r\n", "touch k 9223372036854775807\r\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		address := start(t)
		say(t, address, string(data))
		if got := say(t, address, "version\r\n"); got != "VERSION "+Version+"\r\n" {
			t.Errorf("after %q: %q", data, got)
		}
	})
}
