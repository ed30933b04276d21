package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"runtime"
	"strings"
	"time"

	"github.com/google/uuid"
	utilrand "k8s.io/apimachinery/pkg/util/rand"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/core/store/persist"
	"github.com/tabernetes/tabernetes/wasm/goroot"
	"github.com/tabernetes/tabernetes/wasm/jsx"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// When an image is taken.
const (
	// imageQuiet is for how long nothing but heartbeats and events was written before.
	imageQuiet = 5 * time.Second
	// imageEvery is how far apart two are at least: each is some hundred megabytes on the disk.
	imageEvery = time.Minute
	// imageLook is how often is looked whether one is due.
	imageLook = time.Second
	// settle is how long finalizers have after a collection, which give up what Go held of JavaScript.
	settle = 100 * time.Millisecond
	// heartbeats is how many writes of those that do not count an image may be behind before the next is taken all
	// the same: what comes behind it is read when it is gone on from.
	heartbeats = 2000
)

// image has the program's memory kept by the worker's script, which gives it to the next page (web/image, ADR 52).
type image struct {
	tab   *tab
	turns *jsx.Turns
	host  jsx.Value   // ImageHost of web/image/host.ts
	taken chan string // why none was taken; "" if one was, or if the program goes on from it
	kept  kept
	// registry is what keys of objects begin with.
	registry string
	// outside is set once somebody outside the tab may remember revisions: none is taken any more. gone is set when
	// what there was is deleted.
	outside, gone bool
}

// newImage is nil where the page does not keep the memory.
func newImage(t *tab, turns *jsx.Turns) (*image, error) {
	v, err := jsx.Global("tabernetesHost")
	if err != nil {
		return nil, err
	}
	host, err := v.Get("image")
	if err != nil || host.IsUndefined() {
		return nil, err
	}
	i := &image{tab: t, turns: turns, host: host, taken: make(chan string, 1)}
	resumed, err := jsx.NewCallback("resumed", func(args []jsx.Value) {
		if err := i.resume(args); err != nil {
			i.refuse(err)
		}
	})
	if err != nil {
		return nil, err
	}
	taken, err := jsx.NewCallback("image taken", func(args []jsx.Value) {
		why := "the worker's script says nothing"
		if len(args) > 0 {
			why, _ = args[0].String()
		}
		select {
		case i.taken <- why:
		default:
		}
	})
	if err != nil {
		return nil, err
	}
	_, err = host.Call("offer", resumed.Value(), taken.Value())
	return i, err
}

// note has the step of the store say why the cluster does not go on from its memory.
func (i *image) note(o *cluster.Options) {
	if i == nil {
		return
	}
	v, err := i.host.Get("why")
	if err != nil || v.IsUndefined() {
		return
	}
	if why, err := v.String(); err == nil && why != "" {
		o.Boot = noting(o.Boot, "started anew, not from memory: "+why)
	}
}

// outside is of a method by which others reach the cluster: what they remember of it no image knows.
func (t *tab) outside(h port.Handler) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		if err := await(ctx, t.ready); err != nil {
			return nil, err
		}
		if i := t.image; i != nil && !i.gone {
			i.outside = true
			gone, err := i.host.Call("drop")
			if err == nil {
				_, err = jsx.Await(ctx, gone)
			}
			if err != nil {
				return nil, fmt.Errorf("delete the image of the cluster's memory before a hub is dialled: %w", err)
			}
			i.gone = true
		}
		return h(ctx, c)
	}
}

// run takes images while the cluster runs.
func (i *image) run(ctx context.Context, k kept) {
	if i == nil {
		return
	}
	if why := k.noDisk(); why != "" {
		if _, err := i.host.Call("cannot", why); err != nil {
			log.Printf("tabernetes: no image of the memory: %s: %v", why, err)
		}
		return
	}
	if await(ctx, i.tab.cluster.Ready()) != nil {
		return
	}
	i.kept = k
	seen := i.watch(ctx)
	look := time.NewTicker(imageLook)
	defer look.Stop()
	var at written // of the last image
	var next time.Time
	said := "" // of why there is none
	now, changed := seen.now(k), time.Now()
	for {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
		was := now
		if now = seen.now(k); now.changes != was.changes || now.disk != was.disk {
			changed = time.Now()
		}
		behind := now.changes != at.changes || now.disk != at.disk || now.all-at.all > heartbeats
		if !behind || i.outside || time.Since(changed) < imageQuiet || time.Now().Before(next) || i.tab.server.Waiting() > 0 {
			continue
		}
		if err := i.prepare(ctx); err != nil {
			log.Printf("tabernetes: make room for an image of the memory: %v", err)
		}
		runtime.GC() // values of JavaScript that nobody holds, those of prepare among them, are given back while it settles
		time.Sleep(settle)
		now = seen.now(k)
		if jsx.Awaiting() > 0 || i.tab.server.Waiting() > 0 || i.outside {
			continue
		}
		if why := i.take(); why != "" {
			if why != said {
				log.Printf("tabernetes: no image of the memory: %s", why)
			}
			said = why
			next = time.Now().Add(10 * imageLook)
			continue
		}
		said, at, next = "", now, time.Now().Add(imageEvery)
	}
}

// prepare has the script make room for a copy of the memory, in parts between which others run: the copy itself, while
// nothing runs, is the shorter for it.
func (i *image) prepare(ctx context.Context) error {
	prepared, err := i.host.Call("prepare")
	if err == nil {
		_, err = jsx.Await(ctx, prepared)
	}
	return err
}

// take has the script copy the memory while every goroutine is idle.
func (i *image) take() string {
	i.turns.Hold()
	defer i.turns.Go()
	select {
	case <-i.taken:
	default:
	}
	if _, err := i.host.Call("take"); err != nil {
		return err.Error()
	}
	return <-i.taken
}

// written is how much was written, at a moment.
type written struct {
	all, changes int // revisions, and those of them that count
	disk         int64
}

// follower counts what is written.
type follower struct{ all, changes int }

func (f *follower) now(k kept) written { return written{f.all, f.changes, k.disk.Written()} }

// watch follows the store. Go in the tab has one thread: what counts here needs no lock.
func (i *image) watch(ctx context.Context) *follower {
	f := &follower{}
	client := i.tab.cluster.Store()
	i.registry = strings.TrimSuffix(i.tab.cluster.EtcdPrefix(), "/") + "/"
	go func() {
		if err := client.Follow(ctx, func(r []mvcc.Change) {
			for _, c := range r {
				f.all++
				if !passing(i.below(c.KV.Key)) {
					f.changes++
				}
			}
		}); err != nil && ctx.Err() == nil {
			log.Printf("tabernetes: images of the memory end: %v", err)
			i.outside = true
		}
	}()
	return f
}

// below is a key of the store without --etcd-prefix: "pods/default/web".
func (i *image) below(key string) string { return strings.TrimPrefix(key, i.registry) }

// passing says of a key below that what is there is written all the time while nothing happens.
func passing(below string) bool {
	for _, kind := range []string{"leases/", "events/", "minions/", "masterleases/"} {
		if strings.HasPrefix(below, kind) {
			return true
		}
	}
	return false
}

// resume is called in a program that goes on from an image, before anything else of it runs. It must not wait. Up
// to GoOn it leaves everything outside the memory as it is: when it fails, the cluster starts anew.
func (i *image) resume(args []jsx.Value) error {
	if len(args) == 0 {
		return errors.New("the worker's script says nothing")
	}
	var page struct {
		Protocol int     `json:"protocol"`
		Now      float64 `json:"now"` // milliseconds since the Worker began
		// Told is what the script says of it.
		Told string `json:"told"`
	}
	about, err := jsx.Field(args[0], "about")
	if err != nil {
		return err
	}
	if err := jsx.Unmarshal(about, &page); err != nil {
		return err
	}
	if page.Protocol != port.Version {
		return errors.New("the page is of another age")
	}
	store := i.tab.cluster.Store()
	ahead, err := store.Ahead()
	if err != nil {
		return err
	}
	if err := i.goesOn(ahead); err != nil {
		return err
	}
	if err := i.kept.disk.Unchanged(); err != nil {
		return err
	}
	file, err := jsx.Field(args[0], "revisions")
	if err != nil {
		return err
	}
	revisions, err := jsx.Bytes(file)
	if err != nil {
		return err
	}
	if err := reseed(); err != nil {
		return err
	}
	if err := store.GoOn(ahead, revisions); err != nil {
		return err
	}
	i.tab.checkpoints().ReadAgain()
	i.tab.host.begin = time.Now().Add(-time.Duration(page.Now * float64(time.Millisecond)))
	i.tab.server.NextPage()
	i.tab.terminal.CloseAll()
	if err := i.tab.server.Hello(page.Protocol); err != nil {
		return err
	}
	for _, step := range []cluster.Step{cluster.StepStore, cluster.StepAPIServer, cluster.StepControllers, cluster.StepScheduler, cluster.StepNodes} {
		p := cluster.Progress{Step: step, State: cluster.StateDone, At: time.Now()}
		if step == cluster.StepStore {
			p.Detail = fmt.Sprintf("%s, with %d later writes", page.Told, len(ahead.Entries))
		}
		i.tab.boot(p)
	}
	select {
	case i.taken <- "":
	default:
	}
	return nil
}

// goesOn fails if what was written since is more than a running program can be told: which containers run is the
// nodes' to know, and those of the image do not.
func (i *image) goesOn(a persist.Ahead) error {
	for _, e := range a.Entries {
		for _, c := range e.Record.Changes {
			switch {
			case strings.HasPrefix(i.below(c.KV.Key), "pods/"):
				return errors.New("a pod came, went or changed after the image was taken")
			case strings.HasPrefix(i.below(c.KV.Key), "minions/") && (c.Delete || c.KV.Version == 1):
				return errors.New("a node came or went after the image was taken")
			}
		}
	}
	return nil
}

// reseed has every source of random numbers begin anew: what was given out after the image was taken must not be
// given out again. crypto/rand asks the browser each time.
func reseed() error {
	if err := goroot.Reseed(); err != nil {
		return err
	}
	uuid.DisableRandPool()
	uuid.EnableRandPool()
	var seed [8]byte
	if _, err := rand.Read(seed[:]); err != nil {
		return err
	}
	utilrand.Seed(int64(binary.LittleEndian.Uint64(seed[:])))
	return nil
}

// refuse ends this program: the script then starts the cluster anew. It does not return.
func (i *image) refuse(err error) {
	_, _ = i.host.Call("refuse", err.Error())
	_ = time.Now() // the script's clock throws
	panic("unreachable")
}
