package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/feature"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"

	"github.com/tabernetes/tabernetes/core/store"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

func openStore(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func configFor(servers ...string) storagebackend.Config {
	c := storagebackend.NewDefaultConfig("/registry", codec)
	c.Transport.ServerList = servers
	return *c
}

// createStorage goes the way every storage of an apiserver goes.
func createStorage(t *testing.T, c storagebackend.Config) (storage.Interface, factory.DestroyFunc) {
	t.Helper()
	s, destroy, err := factory.Create(*c.ForResource(schema.GroupResource{Resource: "pods"}),
		func() runtime.Object { return &example.Pod{} },
		func() runtime.Object { return &example.PodList{} }, "/pods")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(destroy)
	return s, destroy
}

func createPod(t *testing.T, s storage.Interface, name string) {
	t.Helper()
	pod := &example.Pod{}
	pod.Name = name
	if err := s.Create(t.Context(), "/pods/ns/"+name, pod, &example.Pod{}, 0); err != nil {
		t.Fatal(err)
	}
}

func hasPod(t *testing.T, s storage.Interface, name string) bool {
	t.Helper()
	err := s.Get(t.Context(), "/pods/ns/"+name, storage.GetOptions{}, &example.Pod{})
	if err != nil && !storage.IsNotFound(err) && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return err == nil
}

func TestInstallServesTheFactory(t *testing.T) {
	s := openStore(t)
	defer store.Install(s)()
	if !feature.DefaultFeatureSupportChecker.Supports(storage.RequestWatchProgress) {
		t.Error("watch progress should be supported")
	}
	c := configFor("http://127.0.0.1:1") // nobody listens there
	one, destroy := createStorage(t, c)
	createPod(t, one, "a")
	two, _ := createStorage(t, c)
	destroy() // a resource that goes takes its own client along, no other
	createPod(t, two, "b")
	if !hasPod(t, two, "a") {
		t.Error("both storages should be of one store")
	}
	if got := s.Status().Keys; got != 2 {
		t.Errorf("%d keys, want 2", got)
	}
}

func TestSeveralStores(t *testing.T) {
	first, second := openStore(t), openStore(t)
	uninstallFirst := store.Install(first)
	defer uninstallFirst()
	uninstallSecond := store.Install(second)
	defer uninstallSecond()
	of1, _ := createStorage(t, configFor(first.Endpoint()))
	of2, _ := createStorage(t, configFor(second.Endpoint()))
	of0, _ := createStorage(t, configFor("http://127.0.0.1:1"))
	createPod(t, of1, "a")
	createPod(t, of2, "b")
	if hasPod(t, of1, "b") || hasPod(t, of2, "a") {
		t.Error("the stores are mixed up")
	}
	if !hasPod(t, of0, "b") {
		t.Error("a server that is none of ours should mean the store installed last")
	}
	uninstallSecond()
	uninstallSecond()
	rest, _ := createStorage(t, configFor("http://127.0.0.1:1"))
	if !hasPod(t, rest, "a") {
		t.Error("with the second taken out, the first should be meant")
	}
	createPod(t, of2, "c") // what was made goes on
}

func TestProbesAndCompactor(t *testing.T) {
	s := openStore(t)
	defer store.Install(s)()
	c := configFor(s.Endpoint())
	c.CompactionInterval = 50 * time.Millisecond
	c.DBMetricPollInterval = time.Second
	st, _ := createStorage(t, c)
	pods := 0
	createNext := func() {
		pods++
		createPod(t, st, fmt.Sprintf("p%d", pods))
	}
	for range 20 {
		createNext()
	}

	prober, err := factory.CreateProber(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := prober.Probe(t.Context()); err != nil {
		t.Errorf("probe: %v", err)
	}
	if err := prober.Close(); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("close the prober: %v", err)
	}
	monitor, err := factory.CreateMonitor(c)
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := monitor.Monitor(t.Context())
	if err != nil || metrics.Size <= 0 {
		t.Errorf("monitor: %+v, %v", metrics, err)
	}
	_ = monitor.Close()

	for name, create := range map[string]func(storagebackend.Config, <-chan struct{}) (func() error, error){
		"health": factory.CreateHealthCheck, "ready": factory.CreateReadyCheck,
	} {
		check, err := create(c, t.Context().Done())
		if err != nil {
			t.Fatal(err)
		}
		eventually.True(t, name, func() bool { return check() == nil })
	}
	eventually.True(t, "compaction", func() bool {
		createNext()
		return s.Status().CompactRevision > 5
	})
}

func TestCloseEndsWatches(t *testing.T) {
	b := newBackend(t)
	w, err := b.Watch(t.Context(), "/pods/", storage.ListOptions{Recursive: true, ResourceVersion: "1", Predicate: storage.Everything})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.ours.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case e, open := <-w.ResultChan():
		if open {
			t.Errorf("unexpected %v", e)
		}
	case <-time.After(10 * time.Second):
		t.Error("the watch goes on")
	}
}

// TestOffer: an offered store is meant by its name, and by nothing else.
func TestOffer(t *testing.T) {
	own, offered := openStore(t), openStore(t)
	defer store.Install(own)()
	withdraw := store.Offer(offered)
	defer withdraw()
	named, _ := createStorage(t, configFor(offered.Endpoint()))
	createPod(t, named, "a")
	other, _ := createStorage(t, configFor("http://127.0.0.1:1"))
	if hasPod(t, other, "a") {
		t.Error("a server that is none of ours means the offered store")
	}
	withdraw()
	gone, _ := createStorage(t, configFor(offered.Endpoint()))
	if hasPod(t, gone, "a") {
		t.Error("the store was withdrawn")
	}
}
