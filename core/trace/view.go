package trace

import "context"

// Viewer reads a bus in the order in which steps ended. It holds a place in the ring and nothing
// else: one that is slow costs the cluster nothing, and is told how many steps it has missed. It is
// for one goroutine; Close is for any.
type Viewer struct {
	b           *Bus
	start, next int64 // the place in the start's ring, and the number of the next of the other steps
	closed      chan struct{}
}

// Batch is what a viewer reads at once.
type Batch struct {
	Steps []Step
	// Missed is how many steps had gone before they were read, those before the viewing began with them unless
	// only new ones are read.
	Missed int64
}

// View returns a viewer of what is held, or, if only new is set, of what comes from now on.
func (b *Bus) View(onlyNew bool) *Viewer {
	v := &Viewer{b: b, closed: make(chan struct{})}
	if b == nil {
		return v
	}
	b.viewers.Add(1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if onlyNew {
		v.start, v.next = b.start.end(), b.ended
	}
	return v
}

// Close ends the viewing. It is called once.
func (v *Viewer) Close() {
	close(v.closed)
	if v.b != nil {
		v.b.viewers.Add(-1)
	}
}

// Next waits for steps, and gives up to limit of them. On a nil bus none ever comes.
func (v *Viewer) Next(ctx context.Context, limit int) (Batch, error) {
	for {
		batch, wait := v.read(limit)
		if wait == nil {
			return batch, nil
		}
		select {
		case <-wait:
		case <-v.closed:
			return Batch{}, context.Canceled
		case <-ctx.Done():
			return Batch{}, context.Cause(ctx)
		}
	}
}

// read gives what there is, or what to wait for.
func (v *Viewer) read(limit int) (batch Batch, wait <-chan struct{}) {
	if v.b == nil {
		return batch, v.closed
	}
	v.b.mu.Lock()
	defer v.b.mu.Unlock()
	v.readStart(&batch, limit)
	v.readOn(&batch, limit)
	if len(batch.Steps) > 0 || batch.Missed > 0 {
		return batch, nil
	}
	if v.b.added == nil {
		v.b.added = make(chan struct{})
	}
	return batch, v.b.added
}

func (v *Viewer) readStart(batch *Batch, limit int) {
	r := &v.b.start
	if v.start < r.first {
		batch.Missed += r.first - v.start
		v.start = r.first
	}
	for v.start < r.end() && len(batch.Steps) < limit {
		batch.Steps = append(batch.Steps, *r.at(v.start))
		v.start++
	}
}

// readOn reads what came after the start. A number that is not held is a step that has gone.
func (v *Viewer) readOn(batch *Batch, limit int) {
	room := limit - len(batch.Steps)
	if v.next == v.b.ended || room <= 0 {
		return
	}
	steps := v.b.since(v.next, room)
	for _, s := range steps {
		batch.Missed += s.number - v.next
		batch.Steps = append(batch.Steps, *s)
		v.next = s.number + 1
	}
	if len(steps) < room {
		batch.Missed += v.b.ended - v.next
		v.next = v.b.ended
	}
}
