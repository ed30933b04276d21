package initializers

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	kubestorage "k8s.io/apiserver/pkg/storage"
	api "k8s.io/kubernetes/pkg/apis/core"
)

// watched is a storage of which only the watch is asked.
type watched struct {
	kubestorage.Interface
	events *watch.FakeWatcher
}

func (w watched) Watch(context.Context, string, kubestorage.ListOptions) (watch.Interface, error) {
	return w.events, nil
}

func waitingFor(names ...string) *api.Pod {
	p := &api.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	setPending(p, names)
	return p
}

// TestWaiting: how long a create waits, and for what, on a clock of the test's.
func TestWaiting(t *testing.T) {
	refused := waitingFor("a.example.com")
	if err := Refuse(refused, "not so"); err != nil {
		t.Fatal(err)
	}
	is := func(reason metav1.StatusReason, text string) func(error) bool {
		return func(err error) bool {
			return apierrors.ReasonForError(err) == reason && strings.Contains(err.Error(), text)
		}
	}
	for name, c := range map[string]struct {
		client time.Duration // its own deadline; 0 for none
		acts   func(*watch.FakeWatcher)
		waited time.Duration
		want   func(error) bool
	}{
		"nobody acts": {0, nil, patience, is(metav1.StatusReasonTimeout, "a.example.com, b.example.com")},
		"only the first acts": {0, func(w *watch.FakeWatcher) {
			time.Sleep(patience - time.Second)
			w.Modify(waitingFor("b.example.com"))
		}, patience, is(metav1.StatusReasonTimeout, "initializers b.example.com")},
		"the client waits less":    {10 * time.Second, nil, 10*time.Second - margin, is(metav1.StatusReasonTimeout, "a.example.com")},
		"the client would wait on": {time.Hour, nil, patience, is(metav1.StatusReasonTimeout, "a.example.com")},
		"it is initialized":        {0, func(w *watch.FakeWatcher) { time.Sleep(29 * time.Second); w.Modify(waitingFor()) }, 29 * time.Second, func(err error) bool { return err == nil }},
		"an initializer refuses":   {0, func(w *watch.FakeWatcher) { time.Sleep(time.Second); w.Modify(refused) }, time.Second, is(metav1.StatusReasonForbidden, "not so")},
		"somebody deletes it":      {0, func(w *watch.FakeWatcher) { time.Sleep(time.Second); w.Delete(waitingFor("a.example.com")) }, time.Second, is(metav1.StatusReasonInternalError, "deleted while waiting")},
		"the store ends the watch": {0, func(w *watch.FakeWatcher) { time.Sleep(time.Second); w.Stop() }, time.Second, is(metav1.StatusReasonServerTimeout, "")},
		"the store says what fails": {0, func(w *watch.FakeWatcher) {
			w.Error(&metav1.Status{Reason: metav1.StatusReasonExpired, Message: "too old"})
		}, 0, is(metav1.StatusReasonExpired, "too old")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if c.client > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.client)
					defer cancel()
				}
				w := watch.NewFakeWithChanSize(4, false)
				if c.acts != nil {
					go c.acts(w)
				}
				began := time.Now()
				err := (&Feature{}).await(ctx, &made{storage: watched{events: w}, name: "p", pending: []string{"a.example.com", "b.example.com"}})
				if took := time.Since(began); took != c.waited || !c.want(err) {
					t.Errorf("after %s (want %s): %v", took, c.waited, err)
				}
			})
		})
	}
}

// TestRefuseIsBounded: what an initializer says is read again, whatever it is made of.
func TestRefuseIsBounded(t *testing.T) {
	p := waitingFor("a.example.com")
	if err := Refuse(p, strings.Repeat("\x00", 1<<20)); err != nil {
		t.Fatal(err)
	}
	status, err := resultOf(p)
	if err != nil || !json.Valid([]byte(p.Annotations[ResultAnnotation])) || status.Message == "" {
		t.Errorf("%v, %v", status, err)
	}
}
