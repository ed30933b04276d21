package shell_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/shell"
)

// TestNcByDatagrams: nc -u asks, from a port of its own if it is told one, and answers.
func TestNcByDatagrams(t *testing.T) {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		buf := make([]byte, 1000)
		for {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			server.WriteTo([]byte("heard "+string(buf[:n])), from)
		}
	}()
	_, port, _ := net.SplitHostPort(server.LocalAddr().String())
	run := func(script string) string {
		p, out, errOut := container(t, "sh", "-c", script)
		p.Net = loopback{}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if code := shell.Sh(ctx, p); code != 0 || errOut.String() != "" {
			t.Errorf("%s: code %d, %s", script, code, errOut.String())
		}
		return out.String()
	}
	for _, script := range []string{"echo hostName | nc -w 1 -u web " + port, "echo hostName | nc -u -w 1 -p 0 127.0.0.1 " + port} {
		if got := run(script); got != "heard hostName\n" {
			t.Errorf("%s: %q", script, got)
		}
	}
	free, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.LocalAddr()
	free.Close()
	done := make(chan struct{})
	answered := make(chan string, 1)
	go func() { // it knocks until somebody is there
		c, err := net.Dial("udp", at.String())
		if err != nil {
			return
		}
		defer c.Close()
		for buf := make([]byte, 100); ; {
			select {
			case <-done:
				return
			default:
			}
			c.Write([]byte("knock\n"))
			c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			if n, err := c.Read(buf); err == nil {
				answered <- string(buf[:n])
				return
			}
		}
	}()
	_, own, _ := net.SplitHostPort(at.String())
	if got := run("echo come in | nc -u -l -w 1 -p " + own); !strings.HasPrefix(got, "knock\n") {
		t.Errorf("heard %q", got)
	}
	close(done)
	if got := <-answered; got != "come in\n" {
		t.Errorf("answered %q", got)
	}
}
