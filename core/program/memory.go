package program

import "io"

// Memory is what one holder has drawn from its container's Cgroup, in bytes. It is not safe
// for concurrent use. What grows with its input draws first, and gives back when it is done:
//
//	held := t.Memory()
//	defer held.Free()
//	for lines.Scan() {
//		if err := held.Grow(len(lines.Text()) + program.StringMemory); err != nil {
//			return 1 // the container is being killed; what is returned becomes 137
//		}
//		kept = append(kept, lines.Text())
//	}
//
// What is dropped on the way is given back with Set: a window of the last lines holds
// held.Set(bytes in the window). A whole input is read with held.ReadAll.
type Memory struct {
	cgroup *Cgroup
	held   int64
	drawn  int64 // held, rounded up to memoryStep
}

// StringMemory is what a string takes in a slice or a map beside its bytes.
const StringMemory = 48

// memoryStep is in what pieces memory is drawn, so that small growth does not ask each time.
const memoryStep = 4 << 10

// Memory returns a holder that has nothing yet.
func (p *Process) Memory() *Memory { return p.Cgroup.Holder() }

// Holder returns a holder of g's memory that has nothing yet.
func (g *Cgroup) Holder() *Memory { return &Memory{cgroup: g} }

// Held is what it holds, in bytes.
func (m *Memory) Held() int64 { return m.held }

// Grow draws n bytes more; less than nothing gives back. With an error, which wraps
// syscall.ENOMEM, nothing is drawn, and the caller is to return.
func (m *Memory) Grow(n int) error { return m.Set(m.held + int64(n)) }

// Set draws or gives back so that n bytes are held.
func (m *Memory) Set(n int64) error {
	n = max(n, 0)
	want := (n + memoryStep - 1) / memoryStep * memoryStep
	switch {
	case want > m.drawn:
		if err := m.cgroup.charge(want - m.drawn); err != nil {
			return err
		}
	case want < m.drawn:
		m.cgroup.uncharge(m.drawn - want)
	}
	m.held, m.drawn = n, want
	return nil
}

// Free gives everything back. The holder can be used again.
func (m *Memory) Free() { _ = m.Set(0) }

// ReadAll reads r to its end, as io.ReadAll does. What is returned stays held.
func (m *Memory) ReadAll(r io.Reader) ([]byte, error) {
	var data []byte
	for {
		if len(data) == cap(data) {
			bigger := max(4<<10, 2*cap(data))
			if err := m.Grow(bigger); err != nil {
				return nil, err
			}
			old := cap(data)
			data = append(make([]byte, 0, bigger), data...)
			_ = m.Grow(-old)
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return data, err
		}
	}
}
