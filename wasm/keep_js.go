package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/store/persist"
	"github.com/tabernetes/tabernetes/wasm/opfs"
)

// syncEvery is after what time at most a write is safe from the machine's end; from the tab's it is
// before it is acknowledged.
const syncEvery = time.Second

// keysName is what a cluster's keys are kept as, beside the store's files.
const keysName = "keys"

// keptKeys are the keys of a cluster that is kept: without them its kubeconfigs and its nodes would not
// know it again.
type keptKeys struct{ sink persist.Sink } // nil if it is not kept

// keep has the cluster kept in this browser, and go on from what was kept, if the page wants that.
func (s settings) keep(ctx context.Context, o *cluster.Options) (keptKeys, error) {
	if s.Keep == "" {
		return keptKeys{}, nil
	}
	sink, err := opfs.OpenDir(ctx, s.Keep)
	if errors.Is(err, opfs.ErrInUse) {
		return keptKeys{}, fmt.Errorf("%w: close that tab, or switch off in Settings that the cluster is kept", err)
	}
	if err != nil {
		// A cluster that is gone with its tab is better than none, if that is said.
		o.Boot = noting(o.Boot, err.Error())
		return keptKeys{}, nil
	}
	if _, err := opfs.LoadFolder(sink, keysName, keysDir()); err != nil {
		return keptKeys{}, fmt.Errorf("take up the cluster %q: %w", s.Keep, err)
	}
	o.Store.Sink = sink
	o.Store.Keep = persist.Options{Sync: persist.SyncInterval, SyncEvery: syncEvery}
	return keptKeys{sink}, nil
}

// noting has the step of the store say why nothing is kept.
func noting(boot func(cluster.Progress), why string) func(cluster.Progress) {
	return func(p cluster.Progress) {
		if p.Step == cluster.StepStore && p.State == cluster.StateDone {
			p.Detail = "not kept, it ends with this tab: " + why
		}
		boot(p)
	}
}

// save keeps the keys that the cluster has. It is called before the store is opened: a sink is for one
// goroutine at a time.
func (k keptKeys) save() error {
	if k.sink == nil {
		return nil
	}
	return opfs.SaveFolder(k.sink, keysName, keysDir())
}

// keysDir is where core/cluster has its keys.
func keysDir() string { return filepath.Join(dir, "pki") }
