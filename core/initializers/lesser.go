package initializers

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	kubestorage "k8s.io/apiserver/pkg/storage"
)

// role is which of the two controllers that run twice (collect.go) has sent a request.
type role struct {
	name string // empty of everybody else
	// lesser are those of the controller manager, which have not seen everything.
	lesser bool
}

func roleOf(user string, seesAll bool) role {
	for _, name := range []string{garbageCollector, quotaController} {
		if serviceaccount.MatchesUsername(systemNamespace, name, user) {
			return role{name, !seesAll}
		}
	}
	return role{}
}

// collects is whether it is the collector that sees everything: of an object that waits it may change who its owners
// are, and which of them it blocks.
func (r role) collects() bool { return r.name == garbageCollector && !r.lesser }

// leaves is what is stored of a change that follows from having seen all: the lesser collector, for which an object has
// no dependents any more, is refused as if another had been faster, and tries again when the other has finished; what
// the lesser controller has counted is left, and it goes on.
func (s *hiding) leaves(r role, was, now runtime.Object) (runtime.Object, error) {
	if r.name == quotaController {
		if s.resource == corev1.Resource("resourcequotas") {
			return was, nil
		}
		return now, nil
	}
	if f := s.finishes(was); f != "" {
		if after, err := meta.Accessor(now); err == nil && !slices.Contains(after.GetFinalizers(), f) {
			return nil, s.others(was)
		}
	}
	return now, nil
}

// finishes is the finalizer by which an object waits for its dependents, empty if it has none.
func (s *hiding) finishes(o runtime.Object) string {
	m, err := meta.Accessor(o)
	if err != nil {
		return ""
	}
	for _, f := range []string{metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents} {
		if slices.Contains(m.GetFinalizers(), f) {
			return f
		}
	}
	return ""
}

func (s *hiding) others(o runtime.Object) error {
	name := ""
	if m, err := meta.Accessor(o); err == nil {
		name = m.GetName()
	}
	return apierrors.NewConflict(s.resource, name, errors.New("dependents that are not initialized come first"))
}

// Delete implements storage.Interface. It is here that an update ends which takes the last finalizer off.
func (s *hiding) Delete(ctx context.Context, key string, out runtime.Object, preconditions *kubestorage.Preconditions,
	validate kubestorage.ValidateObjectFunc, cached runtime.Object, o kubestorage.DeleteOptions,
) error {
	if a := askedOf(ctx); a != nil && a.role.lesser && a.role.name == garbageCollector {
		next := validate
		validate = func(ctx context.Context, stored runtime.Object) error {
			if s.finishes(stored) != "" {
				return s.others(stored)
			}
			return next(ctx, stored)
		}
	}
	return s.Interface.Delete(ctx, key, out, preconditions, validate, cached, o)
}
