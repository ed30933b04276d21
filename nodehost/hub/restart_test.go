package hub

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// restarts is how often the hub is restarted under load.
func restarts() int {
	if os.Getenv("TABERNETES_LONG") != "" {
		return 50
	}
	return 10
}

// Clients that go on through restarts of the hub get errors meanwhile and right answers
// otherwise, and the cluster is back under its name each time.
func TestHubRestartsUnderLoad(t *testing.T) {
	first, page := listen(t), listen(t)
	clientAddr, pageAddr := first.Addr().String(), page.Addr().String()
	r := startRig(t, &rig{t: t, log: &record{}, traffic: &record{}}, first, page, nil)
	a := r.attachCluster("alpha", instanceA)
	w := a.welcome(t)
	ctx, cancel := context.WithCancel(t.Context())
	var load sync.WaitGroup
	var right, failed atomic.Int64
	for range 8 {
		load.Go(func() {
			client := a.client(clientAddr, w.ServerName)
			client.Timeout = longEnough
			for ctx.Err() == nil {
				if err := sayName(ctx, client); err != nil {
					failed.Add(1)
					time.Sleep(time.Millisecond)
					continue
				}
				right.Add(1)
			}
		})
	}
	for i := range restarts() {
		before := right.Load()
		r.stop()
		clients, err := net.Listen("tcp", clientAddr)
		if err != nil {
			t.Fatal(err)
		}
		page, err := net.Listen("tcp", pageAddr)
		if err != nil {
			t.Fatal(err)
		}
		r = startRig(t, &rig{t: t, log: &record{}, traffic: &record{}}, clients, page, nil)
		if w := a.welcome(t); w.Name != "alpha" {
			t.Fatalf("after restart %d it is called %s", i, w.Name)
		}
		for deadline := time.Now().Add(longEnough); right.Load() < before+20; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("after restart %d nobody gets an answer", i)
			}
		}
	}
	cancel()
	load.Wait()
	t.Logf("%d right answers, %d errors", right.Load(), failed.Load())
}

// sayName asks for the cluster's name; an answer that is another one is told by a panic, since
// no error may hide it.
func sayName(ctx context.Context, client *http.Client) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://hub/", nil)
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err == nil && string(b) != "this is alpha" {
		panic(fmt.Sprintf("the answer is %q", b))
	}
	return err
}
