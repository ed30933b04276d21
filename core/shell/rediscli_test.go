package shell_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/shell"
)

// TestRedisCLI: answers are printed as redis-cli does, and what is no answer ends it with a sentence.
func TestRedisCLI(t *testing.T) {
	answers := make(chan string, 1)
	asked := make(chan string, 1)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			line, _ := bufio.NewReader(c).ReadString('\n')
			asked <- line
			io.WriteString(c, <-answers)
			c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	for _, c := range []struct{ args, answer, asked, want string }{
		{"get k", "$1\r\nv\r\n", "*2\r\n", "v\n"}, {"--no-raw get k", "$1\r\nv\r\n", "*2\r\n", "\"v\"\n"},
		{"--no-raw get k", "$-1\r\n", "*2\r\n", "(nil)\n"}, {"get k", "$-1\r\n", "*2\r\n", "\n"},
		{"ping", "+PONG\r\n", "*1\r\n", "PONG\n"}, {"--no-raw incr n", ":7\r\n", "*2\r\n", "(integer) 7\n"},
		{"--no-raw keys '*'", "*2\r\n$1\r\na\r\n*2\r\n$1\r\nb\r\n:1\r\n", "*2\r\n", "1) \"a\"\n2) 1) \"b\"\n   2) (integer) 1\n"},
		{"keys '*'", "*2\r\n$1\r\na\r\n$1\r\nb\r\n", "*2\r\n", "a\nb\n"},
		{"--no-raw keys '*'", "*0\r\n", "*2\r\n", "(empty array)\n"},
		{"--no-raw set k v", "-READONLY no\r\n", "*3\r\n", "(error) READONLY no\n"},
		{"get k", "", "*2\r\n", "Error: Server closed the connection\n"},
		{"get k", "$99999999999\r\n", "*2\r\n", "Error: a text of \"99999999999\" bytes\n"},
		{"get k", "*99999999999\r\n", "*2\r\n", "Error: a list of \"99999999999\"\n"},
		{"get k", "*1048576\r\n*1048576\r\n", "*2\r\n", "Error: a list of \"1048576\"\n"},
		{"get k", strings.Repeat("*1\r\n", 40), "*2\r\n", "Error: this is no answer of a Redis\n"},
		{"get k", "HTTP/1.1 400 Bad Request\r\n", "*2\r\n", "Error: this is no answer of a Redis\n"},
	} {
		p, out, errOut := container(t, "sh", "-c", "redis-cli -p "+port+" "+c.args)
		p.Net = loopback{}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		answers <- c.answer
		shell.Sh(ctx, p)
		cancel()
		if got := <-asked; got != c.asked {
			t.Errorf("%s asks %q", c.args, got)
		}
		if got := out.String() + errOut.String(); got != c.want {
			t.Errorf("%s, answered %.60q: %q, want %q", c.args, c.answer, got, c.want)
		}
	}
}
