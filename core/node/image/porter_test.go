package image

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/netns"
	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/program"
)

func TestMain(m *testing.M) { netns.Main(m) }

func TestPorter(t *testing.T) {
	netns.Require(t)
	pod := podnet.New(podnet.Options{IPs: []netip.Addr{netip.MustParseAddr("10.244.3.2")}})
	t.Cleanup(pod.Close)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int, 1)
	p := &program.Process{Net: pod.Sockets(nil), Stderr: io.Discard, Env: []string{
		"SERVE_PORT_1080=plain", "SERVE_TLS_PORT_1443=by TLS", "SERVE_UDP_PORT_1053=datagram", "SERVE_PORT_x=none", "SERVE_PORT_99999=none", "PATH=/bin",
	}}
	go func() { done <- porter(ctx, p, true) }()
	client := &http.Client{Transport: &http.Transport{
		DialContext: pod.Sockets(nil).Dial, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	defer client.CloseIdleConnections()
	for url, want := range map[string]string{"http://10.244.3.2:1080/": `{"Body":"plain","Method":"GET"}`, "https://10.244.3.2:1443/": `{"Body":"by TLS","Method":"GET"}`} {
		var got string
		for range 1000 { // until it listens
			res, err := client.Get(url)
			if err == nil {
				b, _ := io.ReadAll(res.Body)
				res.Body.Close()
				got = strings.TrimSpace(string(b))
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		if got != want {
			t.Errorf("%s: %s", url, got)
		}
	}
	if got, err := askByDatagram(ctx, pod.Sockets(nil), "10.244.3.2:1053", "x"); got != "datagram" {
		t.Errorf("by datagram: %q, %v", got, err)
	}
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("code %d", code)
	}
	var said bytes.Buffer
	p = &program.Process{Net: pod.Sockets(nil), Stderr: &said, Env: []string{"SERVE_SCTP_PORT_9=x"}}
	if code := porter(t.Context(), p, false); code != 1 || !strings.Contains(said.String(), "the tab carries TCP and UDP") {
		t.Errorf("code %d: %s", code, said.String())
	}
}
