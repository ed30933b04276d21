package shell_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/shell"
)

// TestTelnet: who listens is heard, and who does not is told.
func TestTelnet(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, "220 here\r\n")
			c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	try := func(line string) (out, errOut string, code int) {
		t.Helper()
		p, stdout, stderr := container(t, "sh", "-c", line)
		p.Net = loopback{}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		code = shell.Sh(ctx, p)
		return stdout.String(), stderr.String(), code
	}
	if out, errOut, code := try("telnet 127.0.0.1 " + port); out != "Trying 127.0.0.1...\nConnected to 127.0.0.1.\nEscape character is '^]'.\n220 here\r\n" || errOut != "Connection closed by foreign host.\n" || code != 1 {
		t.Errorf("%d, %q, %q", code, out, errOut)
	}
	ln.Close()
	if _, errOut, code := try("telnet 127.0.0.1 " + port); errOut != "telnet: can't connect to remote host (127.0.0.1): Connection refused\n" || code != 1 {
		t.Errorf("%d, %q", code, errOut)
	}
}

// TestWhatIsNotInAPodSaysWhatIs: netshoot's usual programs that have nothing to look at here.
func TestWhatIsNotInAPodSaysWhatIs(t *testing.T) {
	for _, name := range []string{"ss", "netstat", "traceroute", "mtr", "tcpdump", "nmap", "iperf3", "iptables", "socat", "arp"} {
		p, _, errOut := container(t, "sh", "-c", name+" -x")
		if code := shell.Sh(t.Context(), p); code != 127 || !strings.HasPrefix(errOut.String(), "sh: "+name+": not found: ") {
			t.Errorf("%s: %d, %q", name, code, errOut)
		}
	}
}
