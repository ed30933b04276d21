package controllers

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/component-base/metrics/legacyregistry"
)

// The garbage collector's queues are read from upstream's metrics: it tells nobody else when it has done what it knows of.
const (
	collectorQueues = "garbage_collector_attempt_to_"
	collectorEvents = "garbage_collector_graph_changes"
	quietFor        = 500 * time.Millisecond
	lookEvery       = 100 * time.Millisecond
)

// AwaitCollected waits until the garbage collector has had nothing to do for a moment: whoever undoes a deletion has to
// know all that it takes along.
//
// It ends without an error when ctx does: an item that fails is tried again for ever.
func AwaitCollected(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var since time.Time
	last := -1.0
	for {
		now, waiting, err := collectorWork()
		if err != nil {
			return err
		}
		if now != last || waiting {
			last, since = now, time.Now()
		} else if time.Since(since) >= quietFor {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// collectorWork is how often something was put into the collector's queues and taken from them, and whether events wait that
// may put more there.
func collectorWork() (sum float64, waiting bool, err error) {
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		return 0, false, fmt.Errorf("read the garbage collector's metrics: %w", err)
	}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "workqueue_") {
			continue
		}
		for _, m := range f.GetMetric() {
			name := ""
			for _, l := range m.GetLabel() {
				if l.GetName() == "name" {
					name = l.GetValue()
				}
			}
			switch f.GetName() {
			case "workqueue_depth":
				waiting = waiting || name == collectorEvents && m.GetGauge().GetValue() > 0
			case "workqueue_adds_total", "workqueue_work_duration_seconds":
				if strings.HasPrefix(name, collectorQueues) {
					sum += m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
				}
			}
		}
	}
	return sum, waiting, nil
}
