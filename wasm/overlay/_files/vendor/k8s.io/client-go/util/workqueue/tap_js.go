package workqueue

import "slices"

// Tap is told what becomes of one queue's items, mostly with the queue's lock held. core/clienttrace sets
// newTap, which is asked once for each queue.
type Tap interface {
	Added(item any)
	Got(item any)
	Done(item any)
	// Later is asked what an item comes of that is to be added later, and Due told of that before it is.
	Later() (cause int64)
	Due(item any, causes []int64)
	// Works marks the caller as one that works on an item which another goroutine has got, until done is called.
	Works(item any) (done func())
}

var newTap func(name string) Tap

func tapOf(name string) Tap {
	if newTap == nil {
		return nil
	}
	return newTap(name)
}

// tapOfQueue is the tap of a queue that may be somebody's own; nil if it has none.
func tapOfQueue[T comparable](q TypedInterface[T]) Tap {
	if tapped, ok := q.(*Typed[T]); ok {
		return tapped.tap
	}
	return nil
}

// Works is for a controller whose workers are handed what another goroutine has taken out of the queue.
func Works[T comparable](q TypedInterface[T], item T) (done func()) {
	if tap := tapOfQueue(q); tap != nil {
		return tap.Works(item)
	}
	return func() {}
}

// maxCauses bounds of how many requests an item that waits for its time comes.
const maxCauses = 16

// causes is what an item comes of that the caller asks to be added later.
func (q *delayingType[T]) causes() []int64 {
	if tap := tapOfQueue(q.TypedInterface); tap != nil {
		if cause := tap.Later(); cause != 0 {
			return []int64{cause}
		}
	}
	return nil
}

// due adds an item whose time has come.
func (q *delayingType[T]) due(entry *waitFor[T]) {
	if tap := tapOfQueue(q.TypedInterface); tap != nil && len(entry.causes) > 0 {
		tap.Due(entry.data, entry.causes)
	}
	q.Add(entry.data)
}

// alsoFor has an item that waits come of one more request for it, and first of the one that wants it soonest.
func (w *waitFor[T]) alsoFor(other *waitFor[T]) {
	first, then := w.causes, other.causes
	if w.readyAt.After(other.readyAt) {
		first, then = then, first
	}
	causes := slices.Clone(first)
	for _, cause := range then {
		if len(causes) < maxCauses && !slices.Contains(causes, cause) {
			causes = append(causes, cause)
		}
	}
	w.causes = causes
}
