package initializers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	kubestorage "k8s.io/apiserver/pkg/storage"

	"github.com/tabernetes/tabernetes/core/trace"
)

// patience is how long a create waits, as it did; less if its client says so by ?timeout.
const patience = 30 * time.Second

// margin is what is left of a request's own deadline to say in words what it waited for.
const margin = 500 * time.Millisecond

var waited = trace.Declare(trace.Initializers, "initializers.waited", trace.Place{})

// Waited are the details of initializers.waited: a create that waited until the object that it has stored was
// initialized.
type Waited struct {
	// Pending are the initializers, in order.
	Pending []Acted `json:"pending"`
	// Outcome is "initialized", "refused", "deleted" or "timeout".
	Outcome string `json:"outcome"`
}

// Acted is one of them.
type Acted struct {
	Name string `json:"name"`
	// After is when it had taken its name off, in milliseconds since the object was stored; 0 if it has not.
	After float64 `json:"after,omitempty"`
}

// Weight implements trace.Weigher.
func (w *Waited) Weight() int {
	n := 64
	for _, a := range w.Pending {
		n += 32 + len(a.Name)
	}
	return n
}

// await waits until an object is initialized; it follows WaitForInitialized of upstream's
// k8s.io/apiserver/pkg/registry/generic/registry/store.go until 1.13.
func (f *Feature) await(ctx context.Context, m *made) error {
	began, told := time.Now(), &Waited{Outcome: "timeout"}
	for _, name := range m.pending {
		told.Pending = append(told.Pending, Acted{Name: trace.Text(name)})
	}
	defer func() {
		r := trace.RequestOf(ctx)
		if f.trace == nil || r == nil {
			return
		}
		f.trace.Add(trace.Step{At: began, Took: time.Since(began), Kind: waited, Component: "kube-apiserver", Cause: r.ID, Object: r.Object(), Details: told})
	}()
	until := began.Add(patience)
	if deadline, ok := ctx.Deadline(); ok && deadline.Add(-margin).Before(until) {
		until = deadline.Add(-margin)
	}
	waiting, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	resource := resourceOf(ctx)
	events, err := m.storage.Watch(waiting, m.key, kubestorage.ListOptions{
		ResourceVersion: m.version,
		Predicate:       kubestorage.SelectionPredicate{Label: labels.Everything(), Field: fields.Everything()},
	})
	if err != nil {
		return apierrors.NewInternalError(fmt.Errorf("wait until %s %q is initialized: %w", resource, m.name, err))
	}
	defer events.Stop()
	left := m.pending
	for {
		select {
		case e, ok := <-events.ResultChan():
			if !ok {
				if waiting.Err() != nil {
					return timedOut(resource, m.name, left)
				}
				return apierrors.NewServerTimeout(resource, "create", 0)
			}
			switch e.Type {
			case watch.Modified, watch.Added:
				if result, err := resultOf(e.Object); err == nil && result != nil {
					told.Outcome = "refused"
					return &apierrors.StatusError{ErrStatus: *result}
				}
				left = pendingOf(e.Object)
				for i := range told.Pending[:max(0, len(told.Pending)-len(left))] {
					if p := &told.Pending[i]; p.After == 0 {
						p.After = float64(time.Since(began).Microseconds()) / 1000
					}
				}
				if len(left) == 0 {
					told.Outcome = "initialized"
					return nil
				}
			case watch.Deleted:
				if result, err := resultOf(e.Object); err == nil && result != nil {
					told.Outcome = "refused"
					return &apierrors.StatusError{ErrStatus: *result}
				}
				told.Outcome = "deleted"
				return apierrors.NewInternalError(errors.New("object deleted while waiting for creation"))
			case watch.Error:
				if status, ok := e.Object.(*metav1.Status); ok {
					return &apierrors.StatusError{ErrStatus: *status}
				}
				return apierrors.NewInternalError(fmt.Errorf("unexpected object in watch stream, can't complete initialization %T", e.Object))
			}
		case <-waiting.Done():
			return timedOut(resource, m.name, left)
		}
	}
}

func timedOut(r schema.GroupResource, name string, left []string) error {
	return apierrors.NewTimeoutError(fmt.Sprintf("request did not complete within allowed duration: %s %q is stored and waits for its initializers %s",
		r, name, strings.Join(left, ", ")), 0)
}

func resourceOf(ctx context.Context) schema.GroupResource {
	if info, ok := genericapirequest.RequestInfoFrom(ctx); ok {
		return schema.GroupResource{Group: info.APIGroup, Resource: info.Resource}
	}
	return schema.GroupResource{}
}
