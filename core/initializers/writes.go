package initializers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	kubestorage "k8s.io/apiserver/pkg/storage"
)

// Create implements storage.Interface. The admission plugin has said what is pending, after everybody else who may
// change the object.
func (s *hiding) Create(ctx context.Context, key string, o, out runtime.Object, ttl uint64) error {
	a := askedOf(ctx)
	if a == nil || len(pendingOf(o)) == 0 {
		return s.Interface.Create(ctx, key, o, out, ttl)
	}
	setReason(o, true)
	if err := s.Interface.Create(ctx, key, o, out, ttl); err != nil {
		return err
	}
	a.setMade(madeOf(s.Interface, key, out))
	return nil
}

// GuaranteedUpdate implements storage.Interface. Every change of a stored object comes by here, whichever subresource
// it is by: the list of an object that is not initialized is held here.
func (s *hiding) GuaranteedUpdate(ctx context.Context, key string, into runtime.Object, ignoreNotFound bool,
	preconditions *kubestorage.Preconditions, update kubestorage.UpdateFunc, cached runtime.Object,
) error {
	a := askedOf(ctx)
	if a == nil {
		return s.Interface.GuaranteedUpdate(ctx, key, into, ignoreNotFound, preconditions, update, cached)
	}
	created, refused := false, false
	err := s.Interface.GuaranteedUpdate(ctx, key, into, ignoreNotFound, preconditions, func(in runtime.Object, meta kubestorage.ResponseMeta) (runtime.Object, *uint64, error) {
		was, err := s.stateOf(in) // before: the function may change it in place
		if err != nil {
			return nil, nil, err
		}
		a.spec = nil
		var before runtime.Object
		if a.role.lesser {
			before = in.DeepCopyObject()
		}
		out, ttl, err := update(in, meta)
		if err != nil {
			return out, ttl, err
		}
		if a.role.lesser && !was.new {
			if out, err = s.leaves(a.role, before, out); err != nil {
				return nil, nil, err
			}
		}
		created = was.new
		if was.new {
			setReason(out, len(pendingOf(out)) > 0)
			return out, ttl, nil
		}
		refused, err = s.transition(ctx, a, was, out)
		return out, ttl, err
	}, cached)
	if err != nil {
		return err
	}
	if refused {
		// As a failed initialization ended: at once, whatever finalizers there are.
		if err := s.Interface.Delete(context.WithoutCancel(ctx), key, s.make(), nil, kubestorage.ValidateAllObjectFunc, nil, kubestorage.DeleteOptions{}); err != nil && !kubestorage.IsNotFound(err) {
			return fmt.Errorf("remove what an initializer has refused: %w", err)
		}
	}
	if created && len(pendingOf(into)) > 0 {
		a.setMade(madeOf(s.Interface, key, into))
	}
	return nil
}

// state is what counts of a stored object.
type state struct {
	new, going bool
	pending    []string
	raw        string
}

func (s *hiding) stateOf(o runtime.Object) (state, error) {
	rv, err := s.Versioner().ObjectResourceVersion(o)
	if err != nil {
		return state{}, fmt.Errorf("read an object's version: %w", err)
	}
	st := state{new: rv == 0, raw: annotated(o)[PendingAnnotation]}
	st.pending = split(st.raw)
	if m, err := meta.Accessor(o); err == nil {
		st.going = m.GetDeletionTimestamp() != nil
	}
	return st, nil
}

// transition judges a change, and finishes it: refused says that an initializer refuses the object.
func (s *hiding) transition(ctx context.Context, a *asked, was state, out runtime.Object) (refused bool, err error) {
	m, err := meta.Accessor(out)
	if err != nil {
		return false, nil // it has no annotations
	}
	annotations := m.GetAnnotations()
	raw := annotations[PendingAnnotation]
	_, hasResult := annotations[ResultAnnotation]
	if len(was.pending) == 0 {
		// An empty list is none; one that was made while the plugin was off has it still.
		if raw != "" || hasResult {
			return false, apierrors.NewForbidden(s.resource, m.GetName(), errors.New("initializers are not set on an object that is initialized"))
		}
		return false, nil
	}
	same := raw == was.raw && !hasResult
	if same && (was.going || a.verb == "delete" || a.verb == "deletecollection" || a.role.collects()) {
		return false, nil
	}
	if err := s.feature.mayInitialize(ctx, authorizer.AttributesRecord{
		APIGroup: s.resource.Group, Resource: s.resource.Resource, Namespace: m.GetNamespace(), Name: m.GetName(),
	}); err != nil {
		return false, apierrors.NewForbidden(s.resource, m.GetName(), fmt.Errorf("it waits for its initializer %s: %w", was.pending[0], err))
	}
	if a.subresource == "binding" {
		return false, apierrors.NewForbidden(s.resource, m.GetName(), fmt.Errorf("it waits for its initializer %s, and gets no node before", was.pending[0]))
	}
	names := split(raw)
	if raw != was.raw && !slices.Equal(names, was.pending[1:]) {
		return false, apierrors.NewForbidden(s.resource, m.GetName(),
			fmt.Errorf("it waits for its initializer %s: only the first of its list may act, and take its own name off", was.pending[0]))
	}
	result, err := resultOf(out)
	if err != nil {
		return false, apierrors.NewBadRequest(fmt.Sprintf("annotation %s: %v", ResultAnnotation, err))
	}
	if len(names) == 0 {
		setPending(m, nil)
	}
	if err := a.setSpec(out); err != nil {
		return false, err
	}
	setReason(out, len(names) > 0)
	return result != nil, nil
}

// mayInitialize asks whether who has sent a request may change what is not initialized: the verb is "initialize", as it
// was.
func (f *Feature) mayInitialize(ctx context.Context, a authorizer.AttributesRecord) error {
	u, ok := genericapirequest.UserFrom(ctx)
	if !ok {
		return errors.New("nobody has sent this request")
	}
	a.User, a.Verb, a.ResourceRequest = u, "initialize", true
	if info, ok := genericapirequest.RequestInfoFrom(ctx); ok {
		a.APIVersion = info.APIVersion
	}
	decision, reason, err := f.authorizer.Authorize(ctx, a)
	switch {
	case decision == authorizer.DecisionAllow:
		return nil
	case err != nil:
		return fmt.Errorf("ask whether %q may initialize it: %w", u.GetName(), err)
	case reason != "":
		return fmt.Errorf("%q may not initialize it: %s", u.GetName(), reason)
	}
	return fmt.Errorf("%q may not initialize it", u.GetName())
}
