package initializers

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	kubestorage "k8s.io/apiserver/pkg/storage"
)

// attribute is a field that upstream's predicates see beside an object's own; requests cannot select by it, since
// upstream checks their selectors by kind. It is empty of an object that is initialized.
const attribute = "initializers.tabernetes.internal"

const (
	isPending = "pending"
	isGoing   = "going"
)

// withAttribute adds it. The watch cache asks it once for each event and keeps what it says: that an object begins to
// match, and is ADDED, is upstream's.
func withAttribute(attrs kubestorage.AttrFunc) kubestorage.AttrFunc {
	return func(o runtime.Object) (labels.Set, fields.Set, error) {
		l, f, err := attrs(o)
		if err != nil || len(pendingOf(o)) == 0 {
			return l, f, err
		}
		with := fields.Set{attribute: isPending}
		for k, v := range f {
			with[k] = v
		}
		if m, err := meta.Accessor(o); err == nil && m.GetDeletionTimestamp() != nil {
			with[attribute] = isGoing
		}
		return l, with, nil
	}
}

// selector is what such a view may see; nil for everything.
func (v view) selector() fields.Selector {
	switch v {
	case all:
		return nil
	case going:
		return fields.OneTermNotEqualSelector(attribute, isPending)
	default:
		return fields.OneTermEqualSelector(attribute, "")
	}
}

// hiding is a resource's, from which requests do not get what is not initialized unless they ask for it.
type hiding struct {
	kubestorage.Interface
	feature  *Feature
	resource schema.GroupResource
	make     func() runtime.Object
}

var _ kubestorage.Interface = (*hiding)(nil)

// narrowed is what a request may see of what it selects.
func narrowed(ctx context.Context, o kubestorage.ListOptions) kubestorage.ListOptions {
	a := askedOf(ctx)
	if a == nil {
		return o
	}
	s := a.view.selector()
	if s == nil {
		return o
	}
	if f := o.Predicate.Field; f != nil && !f.Empty() {
		s = fields.AndSelectors(f, s)
	}
	o.Predicate.Field = s
	if attrs := o.Predicate.GetAttrs; attrs != nil {
		// For what is read past the cache.
		o.Predicate.GetAttrs = withAttribute(attrs)
	}
	if o.Predicate.Label == nil {
		o.Predicate.Label = labels.Everything()
	}
	return o
}

// GetList implements storage.Interface.
func (s *hiding) GetList(ctx context.Context, key string, o kubestorage.ListOptions, list runtime.Object) error {
	return s.Interface.GetList(ctx, key, narrowed(ctx, o), list)
}

// Watch implements storage.Interface.
func (s *hiding) Watch(ctx context.Context, key string, o kubestorage.ListOptions) (watch.Interface, error) {
	return s.Interface.Watch(ctx, key, narrowed(ctx, o))
}

// Get implements storage.Interface. Only requests that read are told that there is nothing: who creates, deletes or
// updates meets the object.
func (s *hiding) Get(ctx context.Context, key string, o kubestorage.GetOptions, into runtime.Object) error {
	a := askedOf(ctx)
	if a == nil || a.verb != "get" || a.view == all {
		return s.Interface.Get(ctx, key, o, into)
	}
	if err := s.Interface.Get(ctx, key, o, into); err != nil || len(pendingOf(into)) == 0 {
		return err
	}
	if m, err := meta.Accessor(into); err == nil && m.GetDeletionTimestamp() != nil && a.view == going {
		return nil
	}
	if err := runtime.SetZeroValue(into); err != nil {
		return err
	}
	if o.IgnoreNotFound {
		return nil
	}
	return kubestorage.NewKeyNotFoundError(key, 0)
}
