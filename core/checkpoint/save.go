package checkpoint

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tabernetes/tabernetes/core/store/persist"
)

// save writes what is not in the file yet behind it; or all of it into a new one, if the old one is full, mostly of what has
// gone, or of what has changed. Nobody who takes a checkpoint waits for it.
func (c *Checkpoints) save() {
	c.lock()
	k := c.kept
	all := make([]*Checkpoint, len(c.all))
	for i, p := range c.all {
		one := *p
		all[i] = &one
	}
	next := slices.IndexFunc(all, func(p *Checkpoint) bool { return k.saved == nil || p.ID > k.saved.ID })
	saved, number, size, records, anew := k.saved, k.number, k.size, k.records, k.anew
	k.anew = false
	c.mu.Unlock()

	if next < 0 && !anew || len(all) == 0 {
		return
	}
	var err error
	if anew || saved == nil || records+len(all)-next > maxRecords {
		number, size, records, err = k.writeAnew(all, number)
	} else {
		// The last one of the file comes before them, whether it is still held or has gone.
		more, then := size, saved
		for _, p := range all[next:] {
			more += recordSize(then, p)
			then = p
		}
		if more > MaxFile {
			number, size, records, err = k.writeAnew(all, number)
		} else if size, err = k.write(number, size, all[next:], saved); err == nil {
			records += len(all) - next
		}
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		// What is in the file may be anything: next time it is written anew.
		k.anew = true
		err = fmt.Errorf("what is remembered ends with this tab: %w", err)
		if k.problem == nil || k.problem.Error() != err.Error() {
			k.tell(err)
		}
		k.problem = err
		return
	}
	if k.problem != nil {
		k.tell(nil)
	}
	k.problem = nil
	k.saved, k.number, k.size, k.records = all[len(all)-1], number, size, records
}

// write writes checkpoints into a file from a place on, and says where they end.
func (k *kept) write(number, at int64, some []*Checkpoint, then *Checkpoint) (end int64, err error) {
	f, err := k.sink.Open(nameOf(number))
	if err != nil {
		return at, err
	}
	end, err = putAll(f, at, some, then)
	if err == nil {
		err = f.Sync()
	}
	return end, errors.Join(err, f.Close())
}

func putAll(f persist.File, at int64, some []*Checkpoint, then *Checkpoint) (end int64, err error) {
	// Behind a place there is nothing that was said to be kept.
	if err := f.Truncate(at); err != nil {
		return at, err
	}
	w := &writer{file: f, at: at}
	if at == 0 {
		w.put([]byte(magic))
	}
	for _, p := range some {
		if err := putRecord(w, then, p); err != nil {
			return at, err
		}
		then = p
	}
	w.flushAt(0)
	return w.at, w.err
}

// writeAnew writes as many of the newest as fit into a new file, and removes all others.
func (k *kept) writeAnew(all []*Checkpoint, old int64) (number, size int64, records int, err error) {
	from := fitting(all)
	if from == len(all) {
		return old, 0, 0, errTooLarge
	}
	numbers, err := k.numbers()
	if err != nil {
		return old, 0, 0, err
	}
	number = 1
	if len(numbers) > 0 {
		number = numbers[len(numbers)-1] + 1
	}
	if size, err = k.write(number, 0, all[from:], nil); err == nil {
		err = k.sink.Sync()
	}
	if err != nil {
		// What was kept before stays.
		return old, 0, 0, errors.Join(err, k.sink.Remove(nameOf(number)))
	}
	for _, n := range numbers {
		if err := k.sink.Remove(nameOf(n)); err != nil {
			return number, size, len(all) - from, fmt.Errorf("remove what was kept before: %w", err)
		}
	}
	return number, size, len(all) - from, nil
}

// fitting is the oldest from which on all fit into a new file; their number if not even the last one does.
func fitting(all []*Checkpoint) int {
	behind := int64(0) // what those after it take
	from := len(all)
	for i := len(all) - 1; i >= 0; i-- {
		if recordSize(nil, all[i])+behind > room {
			break
		}
		from = i
		if i > 0 {
			behind += recordSize(all[i-1], all[i])
		}
	}
	return from
}
