package cluster_test

import (
	"context"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/cluster"
)

func TestBootTimes(t *testing.T) {
	begin := time.Now()
	c, err := cluster.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Boot: func(p cluster.Progress) {
		t.Logf("%6.3f %s %s %s", p.At.Sub(begin).Seconds(), p.Step, p.State, p.Detail)
	}}.Complete()
	if err != nil {
		t.Fatal(err)
	}
	cl, err := c.New()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- cl.Run(ctx) }()
	select {
	case <-cl.Ready():
	case err := <-done:
		t.Fatal(err)
	case <-time.After(time.Minute):
		t.Error("not ready in a minute")
	}
	time.Sleep(2 * time.Second)
	cancel()
	t.Log(<-done)
}
