package shell_test

import (
	"context"
	"errors"
	"net"
	"syscall"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell"
)

// outside is a network that knows why it leads nowhere.
type outside struct{ program.Network }

type explained struct{ error }

func (e explained) Unwrap() error { return e.error }
func (explained) Explain() string { return "Only pods reach it." }

func (outside) Dial(context.Context, string, string) (net.Conn, error) {
	return nil, explained{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}
}

func (outside) LookupHost(_ context.Context, host string) ([]string, error) {
	return nil, explained{errors.New("no such host")}
}

// TestExplained: the tools' own words and codes stay, and a network's sentence follows them where errors are shown.
func TestExplained(t *testing.T) {
	for _, c := range []struct {
		line, want string
		code       int
	}{
		{"curl http://10.96.3.4/", "curl: (7) can't connect to remote host (10.96.3.4): Connection refused\nOnly pods reach it.\n", 7},
		{"curl http://web", "curl: (6) bad address 'web'\nOnly pods reach it.\n", 6},
		{"curl -s http://web", "", 6},
		{"curl -sS http://web", "curl: (6) bad address 'web'\nOnly pods reach it.\n", 6},
		{"wget -qO- web", "wget: bad address 'web'\nOnly pods reach it.\n", 1},
		{"wget -qO- 10.96.3.4", "wget: can't connect to remote host (10.96.3.4): Connection refused\nOnly pods reach it.\n", 1},
		{"nc -z 10.96.3.4 80", "", 1},
		{"nc web 80", "nc: web (web:80): bad address 'web'\nOnly pods reach it.\n", 1},
		{"redis-cli -h web ping", "Could not connect to Redis at web:6379: dial: connection refused\nOnly pods reach it.\n", 1},
	} {
		p, out, errOut := container(t, "sh", "-c", c.line)
		p.Net = outside{}
		if code := shell.Sh(t.Context(), p); code != c.code || out.String() != "" || errOut.String() != c.want {
			t.Errorf("%s: code %d, %q, %q; want %d, %q", c.line, code, out, errOut, c.code, c.want)
		}
	}
}
