package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/tabernetes/tabernetes/scripts/eventually"
)

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// concurrentWatches are connections of their own, each with a watch.
const concurrentWatches = 200

func TestManyWatches(t *testing.T) {
	ns := namespace(t)
	var opened, saw sync.WaitGroup
	var failed atomic.Int64
	ctx, cancel := context.WithTimeout(t.Context(), longEnough)
	defer cancel()
	for i := range concurrentWatches {
		opened.Add(1)
		saw.Go(func() {
			config := clientConfig(t)
			config.UserAgent = fmt.Sprintf("watch-%d", i)
			config.Dial = dialer() // a transport of its own for each
			client, err := kubernetes.NewForConfig(config)
			var w watch.Interface
			if err == nil {
				w, err = client.CoreV1().ConfigMaps(ns).Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=signal"})
			}
			opened.Done()
			if err != nil {
				t.Errorf("watch %d: %v", i, err)
				return
			}
			defer w.Stop()
			select {
			case e := <-w.ResultChan():
				if e.Type != watch.Added {
					failed.Add(1)
				}
			case <-ctx.Done():
				failed.Add(1)
			}
		})
	}
	opened.Wait()
	if _, err := clientset(t).CoreV1().ConfigMaps(ns).Create(ctx, configMap("signal"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	saw.Wait()
	if n := failed.Load(); n > 0 {
		t.Errorf("%d of %d watches did not see the event", n, concurrentWatches)
	}
}

func TestInformers(t *testing.T) {
	ns := namespace(t)
	client := clientset(t)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(ns))
	var mu sync.Mutex
	events := map[string]int{}
	count := func(kind string) {
		mu.Lock()
		defer mu.Unlock()
		events[kind]++
	}
	informer := factory.Core().V1().ConfigMaps().Informer()
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { count("add") },
		UpdateFunc: func(any, any) { count("update") },
		DeleteFunc: func(any) { count("delete") },
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	// A controller puts one of its own (kube-root-ca.crt) into each namespace, sooner or later.
	ours := func() (n int) {
		for _, key := range informer.GetStore().ListKeys() {
			if strings.HasPrefix(key, ns+"/c-") {
				n++
			}
		}
		return n
	}
	for i := range 30 {
		cm := configMap(fmt.Sprintf("c-%d", i))
		made, err := client.CoreV1().ConfigMaps(ns).Create(ctx, cm, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		made.Data = map[string]string{"k": "v"}
		if _, err := client.CoreV1().ConfigMaps(ns).Update(ctx, made, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			if err := client.CoreV1().ConfigMaps(ns).Delete(ctx, made.Name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	eventually.OK(t, "the informer's cache", func() error {
		mu.Lock()
		defer mu.Unlock()
		if n := ours(); n != 15 || events["delete"] != 15 {
			return fmt.Errorf("%d objects, events %v", n, events)
		}
		return nil
	})
	cancel()
	factory.Shutdown() // returns when all of it has ended
}

func TestLeaderElection(t *testing.T) {
	ns := namespace(t)
	client := clientset(t)
	leads := make(chan string, 8)
	start := func(id string) context.CancelFunc {
		ctx, cancel := context.WithCancel(t.Context())
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: ns, Name: "leader"},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: id},
		}
		go leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, ReleaseOnCancel: true,
			LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: time.Second,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leads <- id },
				OnStoppedLeading: func() {},
			},
		})
		return cancel
	}
	next := func(want string) {
		t.Helper()
		select {
		case got := <-leads:
			if got != want {
				t.Errorf("%s leads, want %s", got, want)
			}
		case <-time.After(longEnough):
			t.Fatal("nobody leads")
		}
	}
	stopA := start("a")
	next("a")
	stopB := start("b")
	defer stopB()
	stopA()
	next("b")
}

// dialer is a new dial function each time: client-go shares the connections of clients
// whose configurations are alike.
func dialer() func(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return d.DialContext(ctx, network, address)
	}
}
