package memfs

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// pipeSize is how much a pipe holds, Linux' default.
const pipeSize = 64 << 10

// pipe is a bounded queue of bytes between descriptors.
type pipe struct {
	mu               sync.Mutex
	changed          sync.Cond
	buf              []byte
	readers, writers int // open files
}

// Pipe makes a pipe and returns its reading and its writing end.
func (f *FS) Pipe() (r, w int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.newNode(typeFIFO | 0o600)
	n.pipe = &pipe{readers: 1, writers: 1}
	n.pipe.changed.L = &n.pipe.mu
	if r, err = f.newDescriptor(&openFile{node: n, flags: O_RDONLY}); err != nil {
		return -1, -1, err
	}
	if w, err = f.newDescriptor(&openFile{node: n, flags: O_WRONLY}); err != nil {
		f.fds[r] = nil
		return -1, -1, err
	}
	return r, w, nil
}

// close ends the use of the pipe by o.
func (p *pipe) close(o *openFile) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.readable() {
		p.readers--
	}
	if o.writable() {
		p.writers--
	}
	p.changed.Broadcast()
}

func (p *pipe) read(d *descriptor, b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.buf) == 0 && p.writers > 0 && len(b) > 0 {
		if err := p.wait(d, &d.readDeadline); err != nil {
			return 0, err
		}
	}
	n := copy(b, p.buf)
	if p.buf = p.buf[n:]; len(p.buf) == 0 {
		p.buf = nil
	}
	p.changed.Broadcast()
	return n, nil
}

func (p *pipe) write(d *descriptor, b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	done := 0
	for {
		if p.readers == 0 {
			return done, syscall.EPIPE
		}
		n := min(len(b)-done, pipeSize-len(p.buf))
		p.buf = append(p.buf, b[done:done+n]...)
		done += n
		p.changed.Broadcast()
		if done == len(b) {
			return done, nil
		}
		if err := p.wait(d, &d.writeDeadline); err != nil {
			return done, err
		}
	}
}

// wait returns after something may have changed. Caller holds p.mu.
func (p *pipe) wait(d *descriptor, deadline *time.Time) error {
	if d.stopped {
		return syscall.EAGAIN
	}
	if !deadline.IsZero() && !time.Now().Before(*deadline) {
		return os.ErrDeadlineExceeded
	}
	p.changed.Wait()
	return nil
}

// StopIO wakes whoever waits in a Read or Write of fd: they return EAGAIN. Package os calls it
// before it closes.
func (f *FS) StopIO(fd int) error {
	return f.pipeOf(fd, func(d *descriptor, p *pipe) { d.stopped = true })
}

// SetDeadline sets when a Read or a Write of a pipe gives up with os.ErrDeadlineExceeded; the
// zero time is never. A file that never waits has no deadline to exceed.
func (f *FS) SetDeadline(fd int, t time.Time, read, write bool) error {
	return f.pipeOf(fd, func(d *descriptor, p *pipe) {
		if read {
			d.readDeadline = t
		}
		if write {
			d.writeDeadline = t
		}
		if !t.IsZero() {
			time.AfterFunc(time.Until(t), func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.changed.Broadcast()
			})
		}
	})
}

// pipeOf calls do under the lock of the pipe that fd is an end of, then wakes everybody.
func (f *FS) pipeOf(fd int, do func(d *descriptor, p *pipe)) error {
	f.mu.Lock()
	d, err := f.descriptor(fd)
	f.mu.Unlock()
	if err != nil {
		return err
	}
	p := d.open.node.pipe
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	do(d, p)
	p.changed.Broadcast()
	return nil
}
