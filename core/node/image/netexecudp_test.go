package image

import (
	"io"
	"net"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/program"
)

// TestNetexecByDatagram: a pod asks another one, which answers what it knows and says nothing to the rest.
func TestNetexecByDatagram(t *testing.T) {
	segment := podnet.NewSegment()
	process := func(ip, host string, log io.Writer) *program.Process {
		pod := podnet.New(podnet.Options{IPs: []netip.Addr{netip.MustParseAddr(ip)}, Segment: segment})
		t.Cleanup(pod.Close)
		return &program.Process{Hostname: host, Net: pod.Sockets(nil), Stderr: log}
	}
	logged, log := io.Pipe()
	defer logged.Close()
	if err := netexecDatagrams(t.Context(), process("10.244.1.2", "pod-7", log), 8081); err != nil {
		t.Fatal(err)
	}
	client := agnhostNetexec(process("10.244.1.3", "asks", io.Discard), nil)
	for request, want := range map[string]string{
		"hostname": "pod-7", "hostName": "pod-7", "echo a b": "a b", "clientip": "10.244.1.3:", "serverport": "8081",
	} {
		w := httptest.NewRecorder()
		client.ServeHTTP(w, httptest.NewRequest("GET", "/dial?protocol=udp&host=10.244.1.2&port=8081&request="+url.QueryEscape(request), nil))
		if got := w.Body.String(); !strings.HasPrefix(got, `{"responses":["`+want) {
			t.Errorf("%s: %s", request, got)
		}
	}
	w := httptest.NewRecorder()
	client.ServeHTTP(w, httptest.NewRequest("GET", "/dial?protocol=udp&host=10.244.1.2&port=8082&request=hostname", nil))
	if got := w.Body.String(); !strings.Contains(got, "connection refused") {
		t.Errorf("a port that nobody has: %s", got)
	}
	c, err := process("10.244.1.4", "", io.Discard).Net.Dial(t.Context(), "udp", "10.244.1.2:8081")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("exec \x1b[2J\n rm")); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 200)
	n, err := logged.Read(line)
	if got := string(line[:n]); err != nil || got != "Unknown udp command received: \"exec \\x1b[2J\\n rm\"\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// FuzzDatagram: whatever comes, who asks next is answered. What is echoed is not more than what came.
func FuzzDatagram(f *testing.F) {
	for _, seed := range []string{"hostname\n", "echo ", "ECHO a b\r\n", "clientip x", "serverport", "", "\x00", "exec \x1b[2J\n rm", strings.Repeat("echo ", 2000)} {
		f.Add([]byte(seed))
	}
	segment := podnet.NewSegment()
	open := func(ip string) program.Network {
		pod := podnet.New(podnet.Options{IPs: []netip.Addr{netip.MustParseAddr(ip)}, Segment: segment})
		f.Cleanup(pod.Close)
		return pod.Sockets(nil)
	}
	answers := &program.Process{Hostname: "pod-7", Net: open("10.244.1.2"), Stderr: io.Discard}
	if err := netexecDatagrams(f.Context(), answers, 8081); err != nil {
		f.Fatal(err)
	}
	asks := open("10.244.1.3")
	f.Fuzz(func(t *testing.T, data []byte) {
		if answer, ok := netexecAnswer(answers, string(data), &net.UDPAddr{IP: net.IPv4(10, 244, 1, 3), Port: 1}, 8081); ok && len(answer) > max(len(data), 32) {
			t.Errorf("%q is answered by %d bytes", data, len(answer))
		}
		c, err := asks.Dial(t.Context(), "udp", "10.244.1.2:8081")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Write(data) // one that is too long is not sent
		c.Close()
		if got, err := askByDatagram(t.Context(), asks, "10.244.1.2:8081", "hostname"); err != nil || got != "pod-7" {
			t.Errorf("after %q: %q, %v", data, got, err)
		}
	})
}
