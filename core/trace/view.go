package trace

import "context"

// Viewer reads a bus in the order in which steps ended. It holds a place in the ring and nothing
// else: one that is slow costs the cluster nothing, and is told how many steps it has missed. It is
// for one goroutine; Close is for any.
type Viewer struct {
	b           *Bus
	start, next int64 // places in the two rings
	closed      chan struct{}
}

// Batch is what a viewer reads at once.
type Batch struct {
	Steps []Step
	// Missed is how many steps had gone from the ring before they were read.
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
	v.start, v.next = b.start.first, b.live.first
	if onlyNew {
		v.start, v.next = b.start.end(), b.live.end()
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
	batch.take(&v.b.start, &v.start, limit)
	batch.take(&v.b.live, &v.next, limit)
	if len(batch.Steps) > 0 || batch.Missed > 0 {
		return batch, nil
	}
	if v.b.added == nil {
		v.b.added = make(chan struct{})
	}
	return batch, v.b.added
}

func (b *Batch) take(r *ring, place *int64, limit int) {
	if *place < r.first {
		b.Missed += r.first - *place
		*place = r.first
	}
	for *place < r.end() && len(b.Steps) < limit {
		b.Steps = append(b.Steps, *r.at(*place))
		*place++
	}
}
