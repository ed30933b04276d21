package node

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestCutEndsWatchesAndHealLetsNewOnesThrough(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "first")
		w.(http.Flusher).Flush()
		<-r.Context().Done() // a watch: it ends with the client only
	}))
	defer server.Close()

	l := newAPILink()
	client := &http.Client{Transport: l.wrap(http.DefaultTransport)}
	resp, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(resp.Body)
	if line, err := lines.ReadString('\n'); err != nil || line != "first\n" {
		t.Fatalf("before the cut: %q, %v", line, err)
	}
	l.cut()
	l.cut()
	if line, err := lines.ReadString('\n'); err == nil {
		t.Fatalf("read through a cut link: %q", line)
	}
	resp.Body.Close()
	if _, err := client.Get(server.URL); !errors.Is(err, ErrCut) {
		t.Fatalf("request through a cut link: %v", err)
	}
	l.heal()
	l.heal()
	resp, err = client.Get(server.URL)
	if err != nil {
		t.Fatalf("after heal: %v", err)
	}
	resp.Body.Close()
}
