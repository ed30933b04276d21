//go:build !js

package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage/etcd3"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// What clients are told when the past is gone, over HTTP. Events are the resource without a watch
// cache (upstream's default): what they are asked for is asked of the store. With
// TABERNETES_TEST_ON_ETCD the same has to be true of an etcd.

const compactionPatience = 2 * time.Minute

// compactNow compacts everything before the latest revision, as upstream's compactor would after
// its five minutes.
func compactNow(t *testing.T) {
	t.Helper()
	client := etcdClient(t)
	defer client.Close()
	now, err := client.KV.Get(t.Context(), "compact_rev_key")
	if err != nil {
		t.Fatal(err)
	}
	version, rev := int64(0), now.Header.Revision
	if len(now.Kvs) > 0 {
		version = now.Kvs[0].Version
	}
	_, _, done, err := etcd3.Compact(t.Context(), client.Client, version, rev)
	if err != nil || done != rev {
		t.Fatalf("compacted up to %d, want %d: %v", done, rev, err)
	}
}

func newNamespace(t *testing.T, client kubernetes.Interface) string {
	t.Helper()
	ns, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "compaction-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.CoreV1().Namespaces().Delete(context.WithoutCancel(t.Context()), ns.Name, metav1.DeleteOptions{})
	})
	return ns.Name
}

func newClient(t *testing.T, wrap func(http.RoundTripper) http.RoundTripper) kubernetes.Interface {
	t.Helper()
	config := rest.CopyConfig(running.AdminConfig())
	config.QPS = -1
	if wrap != nil {
		config.Wrap(wrap)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func event(ns, name, note string) *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: ns, Name: name},
		InvolvedObject: corev1.ObjectReference{Namespace: ns, Kind: "ConfigMap", Name: "c"},
		Message:        note,
	}
}

// mustExpire checks the error that clients know this by.
func mustExpire(t *testing.T, what string, err error) {
	t.Helper()
	status, ok := err.(apierrors.APIStatus)
	if !ok || !apierrors.IsResourceExpired(err) || status.Status().Code != http.StatusGone {
		t.Errorf("%s: %v, want 410 Expired", what, err)
	}
}

func TestReadsOfACompactedRevision(t *testing.T) {
	client := newClient(t, nil)
	ns := newNamespace(t, client)
	events := client.CoreV1().Events(ns)
	first, err := events.Create(t.Context(), event(ns, "one", ""), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// A compaction up to a revision leaves a watch from that revision alone: there has to be one more.
	for _, name := range []string{"two", "three"} {
		if _, err := events.Create(t.Context(), event(ns, name, ""), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	from := metav1.ListOptions{ResourceVersion: first.ResourceVersion}
	exact := from
	exact.ResourceVersionMatch = metav1.ResourceVersionMatchExact

	// While it is held, the past can be read.
	if e := firstEvent(t, events, from); e.Type != watch.Added || e.Object.(*corev1.Event).Name != "two" {
		t.Errorf("a watch before the compaction began with %+v", e)
	}
	if list, err := events.List(t.Context(), exact); err != nil || len(list.Items) != 1 {
		t.Errorf("a list before the compaction: %d items, %v", len(list.Items), err)
	}
	compactNow(t)
	if e := firstEvent(t, events, from); e.Type != watch.Error {
		t.Errorf("a watch after the compaction began with %+v", e)
	} else {
		mustExpire(t, "a watch after the compaction", apierrors.FromObject(e.Object))
	}
	_, err = events.List(t.Context(), exact)
	mustExpire(t, "a list after the compaction", err)
	// The present can.
	if list, err := events.List(t.Context(), metav1.ListOptions{}); err != nil || len(list.Items) != 3 {
		t.Errorf("a list of the latest: %d items, %v", len(list.Items), err)
	}
}

// firstEvent is what a watch begins with.
func firstEvent(t *testing.T, of interface {
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
}, opts metav1.ListOptions) watch.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), compactionPatience)
	defer cancel()
	w, err := of.Watch(ctx, opts)
	if err != nil {
		return watch.Event{Type: watch.Error, Object: statusOf(err)}
	}
	defer w.Stop()
	return <-w.ResultChan()
}

// page is a part of a list, whatever is in it.
type page struct {
	names              []string
	continues, atRev   string
	withoutConsistency string // what an expired token is replaced by
	err                error
}

// TestContinueAcrossACompaction has lists in pages go on after their revision was compacted: they
// are refused, and given the token that goes on with what there is now
// (k8s.io/apiserver/pkg/storage/etcd3, handleCompactedErrorForPaging).
func TestContinueAcrossACompaction(t *testing.T) {
	client := newClient(t, nil)
	for resource, of := range map[string]struct {
		create func(ns, name string) error
		list   func(ns string, opts metav1.ListOptions) (runtime.Object, error)
	}{
		"events, from the store": {
			func(ns, name string) error {
				_, err := client.CoreV1().Events(ns).Create(t.Context(), event(ns, name, ""), metav1.CreateOptions{})
				return err
			},
			func(ns string, opts metav1.ListOptions) (runtime.Object, error) {
				return client.CoreV1().Events(ns).List(t.Context(), opts)
			},
		},
		"secrets, through the watch cache": {
			func(ns, name string) error {
				_, err := client.CoreV1().Secrets(ns).Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
				return err
			},
			func(ns string, opts metav1.ListOptions) (runtime.Object, error) {
				return client.CoreV1().Secrets(ns).List(t.Context(), opts)
			},
		},
	} {
		t.Run(resource, func(t *testing.T) {
			ns := newNamespace(t, client)
			create := func(name string) {
				t.Helper()
				if err := of.create(ns, name); err != nil {
					t.Fatal(err)
				}
			}
			list := func(token string) page {
				obj, err := of.list(ns, metav1.ListOptions{Limit: 2, Continue: token})
				return pageOf(t, obj, err)
			}
			for i := range 5 {
				create(fmt.Sprintf("o-%d", i))
			}
			first := list("")
			if first.err != nil || !slices.Equal(first.names, []string{"o-0", "o-1"}) || first.continues == "" {
				t.Fatalf("%+v", first)
			}
			create("o-2b") // comes after the first page, and after its revision
			if same := list(first.continues); !slices.Equal(same.names, []string{"o-2", "o-3"}) || same.atRev != first.atRev {
				t.Errorf("the second page of the same revision: %+v", same)
			}
			compactNow(t)
			// The watch cache follows the compaction when it hears of it.
			var refused page
			for deadline := time.Now().Add(compactionPatience); ; time.Sleep(100 * time.Millisecond) {
				if refused = list(first.continues); refused.err != nil || time.Now().After(deadline) {
					break
				}
			}
			mustExpire(t, "the second page after the compaction", refused.err)
			if refused.withoutConsistency == "" {
				t.Fatal("no token to go on with")
			}
			next := list(refused.withoutConsistency)
			if next.err != nil || !slices.Equal(next.names, []string{"o-2", "o-2b"}) || number(t, next.atRev) <= number(t, first.atRev) {
				t.Fatalf("with the token that it was given: %+v", next)
			}
			last := list(next.continues)
			if last.err != nil || !slices.Equal(last.names, []string{"o-3", "o-4"}) || last.continues != "" || last.atRev != next.atRev {
				t.Errorf("the last page: %+v", last)
			}
		})
	}
}

func pageOf(t *testing.T, obj runtime.Object, err error) page {
	t.Helper()
	if err != nil {
		p := page{err: err}
		if status, ok := err.(apierrors.APIStatus); ok {
			p.withoutConsistency = status.Status().Continue
		}
		return p
	}
	p := page{}
	switch list := obj.(type) {
	case *corev1.EventList:
		p.continues, p.atRev = list.Continue, list.ResourceVersion
		for i := range list.Items {
			p.names = append(p.names, list.Items[i].Name)
		}
	case *corev1.SecretList:
		p.continues, p.atRev = list.Continue, list.ResourceVersion
		for i := range list.Items {
			p.names = append(p.names, list.Items[i].Name)
		}
	}
	return p
}

func number(t *testing.T, rv string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(rv, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestInformerRecovers cuts the line of a client-go informer, and mends it when what happened
// meanwhile has been compacted. It must find that out, and get to the present by WatchList.
func TestInformerRecovers(t *testing.T) {
	direct := newClient(t, nil)
	ns := newNamespace(t, direct)
	events := direct.CoreV1().Events(ns)
	for _, name := range []string{"deleted", "kept", "updated"} {
		if _, err := events.Create(t.Context(), event(ns, name, "before"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	line := &line{}
	factory := informers.NewSharedInformerFactoryWithOptions(newClient(t, line.wrap), 0, informers.WithNamespace(ns))
	informer := factory.Core().V1().Events().Informer()
	var mu sync.Mutex
	deleted := []string{}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		key, _ := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
		mu.Lock()
		defer mu.Unlock()
		deleted = append(deleted, key)
	}}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), compactionPatience)
	defer cancel()
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	defer cancel()
	if synced := factory.WaitForCacheSync(ctx.Done()); len(synced) != 1 {
		t.Fatal(synced)
	}
	began := line.took()
	if len(began) == 0 || !began[0].watchList {
		t.Errorf("the informer did not begin with WatchList: %+v", began)
	}

	until := func(want map[string]string) {
		t.Helper()
		for {
			have := map[string]string{}
			for _, obj := range informer.GetStore().List() {
				have[obj.(*corev1.Event).Name] = obj.(*corev1.Event).Message
			}
			if maps.Equal(have, want) {
				return
			}
			select {
			case <-ctx.Done():
				t.Fatalf("the informer has %v, want %v; it asked for %+v", have, want, line.took())
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	// A watch without any event that ends within a second is an error to a reflector, which then
	// begins anew.
	if _, err := events.Create(ctx, event(ns, "late", "before"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	until(map[string]string{"deleted": "before", "kept": "before", "updated": "before", "late": "before"})

	line.cut()
	if err := events.Delete(ctx, "deleted", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	changed, err := events.Get(ctx, "updated", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	changed.Message = "after"
	if _, err := events.Update(ctx, changed, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := events.Create(ctx, event(ns, "created", "after"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	compactNow(t)
	line.mend()

	until(map[string]string{"kept": "before", "late": "before", "updated": "after", "created": "after"})
	after := line.took()
	expired := slices.IndexFunc(after, func(r request) bool { return r.from != "" && !r.watchList })
	again := slices.IndexFunc(after, func(r request) bool { return r.watchList })
	if expired < 0 || again < expired {
		t.Errorf("want a watch from where it was, and then a WatchList: %+v", after)
	}
	for _, r := range slices.Concat(began, after) {
		if !r.watch {
			t.Errorf("it fell back to LIST: %+v", r)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(deleted, []string{ns + "/deleted"}) {
		t.Errorf("deletions seen: %v", deleted)
	}
}

// statusOf is what the API said, as a watch would have said it.
func statusOf(err error) *metav1.Status {
	if said, ok := errors.AsType[*apierrors.StatusError](err); ok {
		return &said.ErrStatus
	}
	return &metav1.Status{Status: metav1.StatusFailure, Message: err.Error()}
}
