package workqueue

// Tap is told what becomes of one queue's items, with the queue's lock held. core/clienttrace sets
// newTap, which is asked once for each queue.
type Tap interface {
	Added(item any)
	Got(item any)
	Done(item any)
}

var newTap func(name string) Tap

func tapOf(name string) Tap {
	if newTap == nil {
		return nil
	}
	return newTap(name)
}
