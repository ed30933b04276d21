package keptdisk

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	// lookShare bounds the time that is spent on looking: one part in so many.
	lookShare = 20
	// writeAt is how much is gathered before it is written, in bytes.
	writeAt = 256 << 10
	// slack is how much of a file may be past, beside as much as is present, in bytes.
	slack = 4 << 20
	// youth is for how long after its last change a file may change again within one tick of the clock.
	youth = 2 * time.Second
	// entryCost is what an entry takes beside a file's content, about, in bytes.
	entryCost = 256
)

// largest is the size at which the next file is begun, in bytes.
func (d *Disk) largest() int64 {
	return 2*(min(d.held, d.opts.MaxBytes)+entryCost*int64(len(d.known))) + slack
}

// Run looks for changes until ctx ends, and a last time then.
func (d *Disk) Run(ctx context.Context) {
	for {
		began := time.Now()
		d.Look()
		timer := time.NewTimer(max(d.opts.Every, lookShare*time.Since(began)))
		select {
		case <-ctx.Done():
			timer.Stop()
			d.Look()
			return
		case <-timer.C:
		}
	}
}

// Look keeps what has changed since the last look. What it cannot keep it tells, and tries again.
func (d *Disk) Look() {
	d.lost = nil
	var err error
	if !d.stale {
		err = d.look()
	}
	if err == nil && (d.stale || d.end > d.largest()) {
		err = d.rewrite()
	}
	if err == nil {
		err = d.lost
	}
	d.size.Store(d.end)
	if (err != nil) != d.told {
		d.told = err != nil
		d.opts.Tell(err)
	}
}

// rewrite begins the next file with all that there is.
func (d *Disk) rewrite() error {
	old, end, known, held, low := d.file, d.end, d.known, d.held, d.low
	gen := d.gen + 1
	f, err := d.sink.Open(fileName(gen))
	if err == nil {
		d.file, d.end, d.known, d.held, d.low = f, 0, map[string]*entry{}, 0, 0
		d.buf = append(d.buf[:0], magic...)
		err = f.Truncate(0)
	}
	if err == nil {
		err = d.walk()
	}
	if err == nil {
		d.buf = record{kind: kindWhole, path: "."}.append(d.buf)
		err = d.flush()
	}
	if err == nil {
		err = errors.Join(f.Sync(), d.sink.Sync())
	}
	if err != nil {
		d.buf = d.buf[:0]
		if f != nil {
			err = errors.Join(err, f.Close())
			_ = d.sink.Remove(fileName(gen)) // it is not whole: whoever reads it does not take it
		}
		d.file, d.end, d.known, d.held, d.low = old, end, known, held, low
		return fmt.Errorf("begin %s: %w", fileName(gen), err)
	}
	if old != nil {
		_ = old.Close()
	}
	d.gen, d.stale = gen, false
	gens, err := generations(d.sink)
	for _, other := range gens {
		if other != gen {
			err = errors.Join(err, d.sink.Remove(fileName(other)))
		}
	}
	return err
}

func (d *Disk) look() error {
	if err := d.walk(); err != nil {
		return err
	}
	if err := d.flush(); err != nil {
		return err
	}
	if err := d.file.Sync(); err != nil {
		return fmt.Errorf("flush %s: %w", fileName(d.gen), err)
	}
	return nil
}

func (d *Disk) walk() error {
	d.turn++
	err := filepath.WalkDir(d.opts.Root, func(file string, item fs.DirEntry, err error) error {
		name, relErr := filepath.Rel(d.opts.Root, file)
		if name = filepath.ToSlash(name); relErr != nil || name == "." {
			return relErr
		}
		if d.opts.Skip(name) || len(name) > maxPath {
			if item.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if err == nil {
			var info fs.FileInfo
			if info, err = item.Info(); err == nil {
				err = d.see(name, file, info)
			}
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil // gone meanwhile, or closed by who made it
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("look at the nodes' disks: %w", err)
	}
	for name, e := range d.known {
		if e.turn != d.turn {
			d.drop(name, e)
		}
	}
	return nil
}

// see keeps what is at name, if it is not kept as it is.
func (d *Disk) see(name, file string, info fs.FileInfo) error {
	was := d.known[name]
	kind := info.Mode().Type()
	if kind != 0 && kind != fs.ModeDir && kind != fs.ModeSymlink {
		return nil // a pipe's or a socket's end is a program
	}
	if was != nil && was.Mode.Type() != kind {
		d.drop(name, was)
		was = nil
	}
	if was == nil && len(d.known) >= maxEntries {
		d.lost = fmt.Errorf("more than %d files, of which the rest is not kept", maxEntries)
		return nil
	}
	next := &entry{Attributes: d.opts.Attributes(file, info), mtime: info.ModTime(), turn: d.turn, low: d.opts.Low(name)}
	switch {
	case kind == fs.ModeDir:
		if was == nil || was.Attributes != next.Attributes {
			d.add(name, next, record{kind: kindDir, path: name, mode: next.Mode & modeBits})
			d.own(name, nil, next) // a directory's record begins anew
		} else {
			was.turn = d.turn
		}
	case kind == fs.ModeSymlink:
		to, err := os.Readlink(file)
		if err != nil {
			return err
		}
		next.to, next.size = to, int64(len(to))
		if was != nil && was.to == to && was.Attributes == next.Attributes {
			was.turn = d.turn
		} else if len(to) <= maxPath && d.room(name, was, next) {
			d.add(name, next, record{kind: kindLink, path: name, data: []byte(to)})
			d.own(name, nil, next)
		}
	case was != nil && !was.young && !was.left && was.Attributes == next.Attributes && was.size == info.Size() && was.mtime.Equal(next.mtime):
		was.turn = d.turn
	default:
		return d.seeFile(name, file, info, was, next)
	}
	return d.flushIfLarge()
}

// seeFile keeps those chunks of a file that have changed.
func (d *Disk) seeFile(name, file string, seen fs.FileInfo, was, next *entry) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !os.SameFile(info, seen) {
		return err // a pod has put a link in its place
	}
	next.size = info.Size()
	next.young = time.Since(next.mtime) < youth
	if !d.room(name, was, next) {
		return nil
	}
	if was == nil || was.left || was.size != next.size || was.Attributes != next.Attributes {
		d.add(name, next, record{kind: kindFile, path: name, mode: next.Mode, size: next.size})
		d.own(name, was, next)
	} else {
		d.put(name, next)
	}
	chunk := make([]byte, min(chunkSize, next.size))
	for offset := int64(0); offset < next.size; offset += chunkSize {
		n, err := f.ReadAt(chunk[:min(chunkSize, next.size-offset)], offset)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		sum, i := maphash.Bytes(d.seed, chunk[:n]), len(next.sums)
		next.sums = append(next.sums, sum)
		if was != nil && !was.left && i < len(was.sums) && was.sums[i] == sum && was.size >= offset+int64(n) {
			continue
		}
		d.buf = record{kind: kindChunk, path: name, offset: offset, data: chunk[:n]}.append(d.buf)
		if err := d.flushIfLarge(); err != nil {
			return err
		}
	}
	return nil
}

// room says whether a file of that size can be kept; if it cannot, what was kept of it goes, and that is told.
func (d *Disk) room(name string, was, next *entry) bool {
	before := int64(0)
	if was != nil && !was.left {
		before = was.size
	}
	held, low := d.held-before+next.size, d.low
	if next.low {
		low += next.size - before
	}
	if held <= d.opts.MaxBytes && (!next.low || low <= d.opts.MaxBytes/4) {
		return true
	}
	if next.low {
		// A log is not worth a word: the kubelet throws them away as well.
	} else if d.lost == nil {
		d.lost = fmt.Errorf("more than the %d MiB of files that are kept; %q is among those that are not", d.opts.MaxBytes>>20, name)
	}
	if was != nil && !was.left {
		d.drop(name, was)
	}
	next.left = true
	d.known[name] = next
	return false
}

func (d *Disk) add(name string, e *entry, r record) {
	d.buf = r.append(d.buf)
	d.put(name, e)
}

// own says whose a file is, if that is not what the file's records say already.
func (d *Disk) own(name string, was, next *entry) {
	uid, gid := 0, 0
	if was != nil && !was.left {
		uid, gid = was.UID, was.GID
	}
	if uid != next.UID || gid != next.GID {
		d.buf = record{kind: kindOwner, path: name, size: int64(next.UID), offset: int64(next.GID)}.append(d.buf)
	}
}

func (d *Disk) put(name string, e *entry) {
	if was := d.known[name]; was != nil {
		d.count(was, -1)
	}
	d.known[name] = e
	d.count(e, 1)
}

func (d *Disk) count(e *entry, sign int64) {
	if e.left {
		return
	}
	d.held += sign * e.size
	if e.low {
		d.low += sign * e.size
	}
}

func (d *Disk) drop(name string, e *entry) {
	if !e.left {
		d.buf = record{kind: kindRemove, path: name}.append(d.buf)
	}
	d.count(e, -1)
	delete(d.known, name)
}

func (d *Disk) flushIfLarge() error {
	if len(d.buf) < writeAt {
		return nil
	}
	return d.flush()
}

// flush writes what has gathered. When it fails nobody knows what is there: the next look begins anew.
func (d *Disk) flush() error {
	if len(d.buf) == 0 {
		return nil
	}
	if _, err := d.file.WriteAt(d.buf, d.end); err != nil {
		d.buf = d.buf[:0]
		// A part may be there, and what was to be known is not so.
		d.stale = true
		return errors.Join(fmt.Errorf("write %s: %w", fileName(d.gen), err), d.file.Truncate(d.end))
	}
	d.end += int64(len(d.buf))
	d.buf = d.buf[:0]
	return nil
}

// Written is how much of its file a disk has written. It grows with each change, and begins anew with the file. It
// may be asked at any time.
func (d *Disk) Written() int64 { return d.size.Load() }

// Unchanged fails if somebody else has written since to what the disk is kept in, or if it has not written all that it
// has seen: what is there is not what it knows. It must not be called while a look is under way.
func (d *Disk) Unchanged() error {
	if len(d.buf) > 0 || d.stale {
		return errors.New("not all of the disk was written")
	}
	size, err := d.file.Size()
	if err == nil && size != d.end {
		err = errors.New("the files of the nodes' disks have changed since")
	}
	return err
}
