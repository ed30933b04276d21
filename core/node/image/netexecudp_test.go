package image

import (
	"io"
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
