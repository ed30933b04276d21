package cache

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

// Hooks of core/clienttrace; nil unless it sets them. distributed is told of each event that an
// informer hands to its listeners, delivering of each that a handler is given: what it returns is
// called after.
var (
	distributed func(event string, object any, listeners int)
	delivering  func(object any) (delivered func())
)

// distributes is called for events that say something new.
func distributes(notification any, sync bool, listeners int) {
	if distributed == nil || sync || listeners == 0 {
		return
	}
	switch n := notification.(type) {
	case addNotification:
		if !n.isInInitialList {
			distributed("added", n.newObj, listeners)
		}
	case updateNotification:
		distributed("updated", n.newObj, listeners)
	case deleteNotification:
		distributed("deleted", n.oldObj, listeners)
	}
}

func delivers(notification any) func() {
	if delivering != nil {
		switch n := notification.(type) {
		case addNotification:
			if !n.isInInitialList {
				return delivering(n.newObj)
			}
		case updateNotification:
			return delivering(n.newObj)
		case deleteNotification:
			return delivering(n.oldObj)
		}
	}
	return func() {}
}

// reads is a hook of core/clienttrace: nil, or it returns nil, if nobody is told what the caller reads of
// a cache. first are the first of the n that were found.
var reads func() (tell func(kind, by, what string, first []any, n int))

// namesOfARead is how many of what was found are handed on.
const namesOfARead = 5

// kindOf names what an informer's cache holds, which is not known of one that holds nothing.
func kindOf(example runtime.Object) StoreOption {
	return func(c *cache) { c.kind = fmt.Sprintf("%T", example) }
}

func (c *cache) gets(key string, item any, exists bool) {
	if reads == nil || c.kind == "" {
		return
	}
	if tell := reads(); tell != nil {
		if exists {
			tell(c.kind, "key", key, []any{item}, 1)
		} else {
			tell(c.kind, "key", key, nil, 0)
		}
	}
}

func (c *cache) indexed(index, value string, items []any) {
	if reads == nil || c.kind == "" {
		return
	}
	if tell := reads(); tell != nil {
		tell(c.kind, index, value, items[:min(namesOfARead, len(items))], len(items))
	}
}

// lists sees what a lister finds.
func lists(store Store, namespace string, selector labels.Selector, add AppendFunc) (adds AppendFunc, done func()) {
	if c, ok := store.(*cache); ok && reads != nil && c.kind != "" {
		if tell := reads(); tell != nil {
			var first []any
			n := 0
			return func(item any) {
				if n++; len(first) < namesOfARead {
					first = append(first, item)
				}
				add(item)
			}, func() { tell(c.kind, "selector", namespace+"/"+selector.String(), first, n) }
		}
	}
	return add, func() {}
}
