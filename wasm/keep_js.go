package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"path/filepath"
	"time"

	"github.com/tabernetes/tabernetes/core/checkpoint"
	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/clusterfile"
	"github.com/tabernetes/tabernetes/core/node/keptdisk"
	"github.com/tabernetes/tabernetes/core/store/persist"
	"github.com/tabernetes/tabernetes/wasm/opfs"
)

// syncEvery is after what time at most a write is safe from the machine's end; from the tab's it is
// before it is acknowledged.
const syncEvery = time.Second

// keysName is what a cluster's keys are kept as, beside the store's files.
const keysName = "keys"

// configurationName is what its configuration is kept as, with those before it.
const configurationName = "configuration"

// kept is what is kept of a cluster beside its store: the keys, without which its kubeconfigs and its nodes
// would not know it again, and what lies on its in-tab nodes' disks.
type kept struct {
	sink *opfs.Dir // nil if it is not kept
	disk *keptdisk.Disk
	// diskless is why they are not kept although the cluster is.
	diskless error
	told     chan error // of the disks, the newest
	// points is told of checkpoints, the newest.
	points chan error
	// refused says why a cluster is not kept that was to be; empty if it is kept, or was not to be.
	refused string
}

// lookEvery is how often is looked whether what is kept is still there.
const lookEvery = 5 * time.Second

// keep has the cluster kept in this browser, and go on from what was kept, if the page wants that.
func (s settings) keep(ctx context.Context, o *cluster.Options) (kept, error) {
	if s.Keep == "" {
		return kept{}, nil
	}
	sink, err := opfs.OpenDir(ctx, s.Keep)
	if errors.Is(err, opfs.ErrInUse) {
		return kept{}, fmt.Errorf("%w: close that tab, or switch off in Settings that the cluster is kept", err)
	}
	if err != nil {
		// A cluster that is gone with its tab is better than none, if that is said.
		o.Boot = noting(o.Boot, "not kept, it ends with this tab: "+err.Error())
		return kept{refused: err.Error()}, nil
	}
	if err := clusterfile.Clean(sink); err != nil {
		return kept{}, fmt.Errorf("take up the cluster %q, which was never completed: %w", s.Keep, err)
	}
	if _, err := opfs.LoadFolder(sink, keysName, keysDir()); err != nil {
		return kept{}, fmt.Errorf("take up the cluster %q: %w", s.Keep, err)
	}
	configured, err := opfs.LoadFile(sink, configurationName, cluster.ConfigurationFile(dir))
	if err != nil {
		return kept{}, fmt.Errorf("take up the configuration of the cluster %q: %w", s.Keep, err)
	}
	if configured {
		// Settings are for a new cluster: this one goes on with what it was configured to since.
		o.SchedulerConfig, o.AdmissionConfig, o.Configuration = nil, nil, nil
	}
	o.KeepConfiguration = func(path string) error { return opfs.SaveFile(sink, configurationName, path) }
	o.Store.Sink, o.Store.Repair = sink, true
	o.Store.Keep = persist.Options{Sync: persist.SyncInterval, SyncEvery: syncEvery, NeverBack: true}
	k := kept{sink: sink, told: make(chan error, 1), points: make(chan error, 1)}
	var lost error
	k.disk, lost, err = keptdisk.Open(sink, keptdisk.Options{
		Root: cluster.NodesDir(dir), Skip: cluster.PassingFile, Low: cluster.LogFile, Tell: k.tell,
	})
	switch {
	case errors.Is(err, persist.ErrNewer):
		// Pods that found their volumes empty would begin anew with what is there.
		return kept{}, fmt.Errorf("take up the cluster %q: %w", s.Keep, err)
	case err != nil:
		k.diskless = err
		o.Boot = noting(o.Boot, "volumes and containers' states are not kept: "+err.Error())
	case lost != nil:
		o.Boot = noting(o.Boot, "of the nodes' disks, what was written last is lost: "+lost.Error())
	}
	return k, nil
}

// noDisk is why there is nothing on which an image of the program's memory could rely; empty if there is.
func (k kept) noDisk() string {
	switch {
	case k.refused != "":
		return "the cluster is not kept, as the browser refused: " + k.refused
	case k.sink == nil:
		return "the cluster is not kept"
	case k.diskless != nil:
		return "the files of its nodes are not kept, which it would go on with: " + k.diskless.Error()
	}
	return ""
}

// noting has the step of the store say something more.
func noting(boot func(cluster.Progress), what string) func(cluster.Progress) {
	return func(p cluster.Progress) {
		if p.Step == cluster.StepStore && p.State == cluster.StateDone {
			if p.Detail != "" {
				p.Detail += "; "
			}
			p.Detail += what
		}
		boot(p)
	}
}

// save keeps the keys that the cluster has. It is called before the store is opened: of files that have
// the same names a sink is for one goroutine at a time.
func (k kept) save() error {
	if k.sink == nil {
		return nil
	}
	return opfs.SaveFolder(k.sink, keysName, keysDir())
}

// follow keeps the nodes' disks while the cluster runs, and tells what is not kept.
func (k kept) follow(ctx context.Context, c *cluster.Cluster) {
	switch {
	case k.refused != "" && await(ctx, c.Ready()) == nil:
		k.warn(ctx, c, "ClusterNotKept", "This cluster ends with this tab: "+k.refused+". Export what you cannot lose (Clusters).")
	case k.sink != nil:
		go k.lookForIt(ctx, c)
	}
	if k.disk == nil || await(ctx, c.Done(cluster.StepAPIServer)) != nil {
		return
	}
	k.disk.Attribute(c.FileAttributes)
	go k.disk.Run(ctx)
	tellEach(ctx, c, k.told, about{
		bad: "DiskNotKept", lost: "A reload will not find everything that is on the nodes' disks: ",
		good: "DiskKept", again: "What is on the nodes' disks is kept in this browser again.",
	})
}

// about is what the nodes' events say of one thing that is kept: their reasons, and how the message begins or is.
type about struct{ bad, lost, good, again string }

// tellEach makes an event of each error, and of a nil that ends it, until ctx is done.
func tellEach(ctx context.Context, c *cluster.Cluster, told <-chan error, of about) {
	for {
		select {
		case err := <-told:
			warning, reason, message := false, of.good, of.again
			if err != nil {
				warning, reason, message = true, of.bad, of.lost+err.Error()
			}
			if err := c.TellOfNodes(ctx, warning, reason, message); err != nil {
				log.Printf("tabernetes: %s: %v", message, err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// remember has checkpoints kept with the cluster.
func (k kept) remember(p *checkpoint.Checkpoints) *checkpoint.Checkpoints {
	if k.sink != nil {
		p.Keep(k.sink, func(err error) { newest(k.points, err) })
	}
	return p
}

// followCheckpoints reads the checkpoints of before once the cluster is ready, writes those that are taken, and tells what
// is not kept.
func (k kept) followCheckpoints(ctx context.Context, c *cluster.Cluster, points func() *checkpoint.Checkpoints) {
	if k.sink == nil || await(ctx, c.Ready()) != nil {
		return
	}
	go points().Run(ctx)
	tellEach(ctx, c, k.points, about{
		bad: "CheckpointsNotKept", lost: "Go back: ",
		good: "CheckpointsKept", again: "What is remembered to go back to is kept in this browser again.",
	})
}

// lookForIt tells when what is kept was deleted under the cluster.
func (k kept) lookForIt(ctx context.Context, c *cluster.Cluster) {
	if await(ctx, c.Ready()) != nil {
		return
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
		if there, err := k.sink.There(ctx); err == nil && !there {
			k.warn(ctx, c, "ClusterNotKept", "What was kept of this cluster was deleted in this browser: it runs on, and ends with this tab. Keep a copy of it (Clusters), or export it.")
			return
		}
	}
}

func (k kept) warn(ctx context.Context, c *cluster.Cluster, reason, message string) {
	if err := c.TellOfNodes(ctx, true, reason, message); err != nil {
		log.Printf("tabernetes: %s: %v", message, err)
	}
}

// tell notes the newest that there is to be told of the disks.
func (k kept) tell(err error) { newest(k.told, err) }

// newest puts an error into a channel with room for one, in place of an older one.
func newest(told chan error, err error) {
	select {
	case <-told:
	default:
	}
	told <- err
}

// keysDir is where core/cluster has its keys.
func keysDir() string { return filepath.Join(dir, "pki") }
