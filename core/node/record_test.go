package node_test

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/tabernetes/tabernetes/core/node/podrecord"
)

// What a pod shows over time is what it shows on a real node: nodehost/join holds those to the same table.
func TestPodsShowWhatTheyShowOnARealNode(t *testing.T) {
	c := startCluster(t)
	pods, err := podrecord.Pods(podrecord.InTab, os.Getenv("TABERNETES_LONG") != "")
	if err != nil {
		t.Fatal(err)
	}
	ns := c.namespace(t, "records")
	var lives sync.WaitGroup
	for _, p := range pods {
		lives.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 4*patience)
			defer cancel()
			r, err := p.Run(ctx, c, ns, "node-1")
			if d := p.Differences(r); err != nil || d != "" {
				t.Errorf("%s: %v\n%s%s", p.Name, err, d, r)
			}
		})
	}
	lives.Wait()
}
