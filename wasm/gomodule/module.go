package gomodule

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Sections of a WebAssembly module that are read here.
const (
	SectionCode = 10
	SectionData = 11
)

// Module is a WebAssembly module taken apart.
type Module struct {
	Sections map[byte][]byte // by id; custom sections (0) are left out
	Bodies   [][]byte        // of the functions, in order
	Memory   []byte          // what linear memory holds when the program begins, from address 0
}

// Read takes a module apart; what it returns shares raw's memory.
func Read(raw []byte) (*Module, error) {
	const header = 8
	if len(raw) < header || !bytes.Equal(raw[:4], []byte("\x00asm")) {
		return nil, errors.New("not a WebAssembly module")
	}
	m := &Module{Sections: map[byte][]byte{}}
	r := reader{raw[header:]}
	for len(r.rest) > 0 {
		id, err := r.byte()
		if err != nil {
			return nil, err
		}
		body, err := r.counted()
		if err != nil {
			return nil, fmt.Errorf("section %d: %w", id, err)
		}
		if id != 0 {
			m.Sections[id] = body
		}
	}
	if err := m.readCode(); err != nil {
		return nil, fmt.Errorf("code section: %w", err)
	}
	if err := m.readData(); err != nil {
		return nil, fmt.Errorf("data section: %w", err)
	}
	return m, nil
}

func (m *Module) readCode() error {
	r := reader{m.Sections[SectionCode]}
	n, err := r.uvarint()
	for ; err == nil && n > 0; n-- {
		var body []byte
		if body, err = r.counted(); err == nil {
			m.Bodies = append(m.Bodies, body)
		}
	}
	return err
}

// readData lays the segments out as the program finds them. Go's linker writes active ones of
// memory 0 at constant addresses, and leaves out runs of zeros between them.
func (m *Module) readData() error {
	r := reader{m.Sections[SectionData]}
	n, err := r.uvarint()
	for ; err == nil && n > 0; n-- {
		var head [2]byte
		for i := range head {
			if head[i], err = r.byte(); err != nil {
				return err
			}
		}
		const active, i32Const, end = 0, 0x41, 0x0b
		if head != [2]byte{active, i32Const} {
			return fmt.Errorf("a segment begins with % x, not as Go's linker writes it", head)
		}
		var at uint64
		if at, err = r.svarint(); err != nil {
			return err
		}
		if b, err := r.byte(); err != nil || b != end {
			return errors.New("a segment's address is not one constant")
		}
		var content []byte
		if content, err = r.counted(); err != nil {
			return err
		}
		const most = 1 << 30
		if at > most {
			return fmt.Errorf("a segment at %#x", at)
		}
		if end := int(at) + len(content); end > len(m.Memory) {
			m.Memory = append(m.Memory, make([]byte, end-len(m.Memory))...)
		}
		copy(m.Memory[at:], content)
	}
	return err
}

// reader reads the module's encodings.
type reader struct{ rest []byte }

var errCut = errors.New("the module is cut off")

func (r *reader) byte() (byte, error) {
	if len(r.rest) == 0 {
		return 0, errCut
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b, nil
}

func (r *reader) uvarint() (uint64, error) {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		return 0, errCut
	}
	r.rest = r.rest[n:]
	return v, nil
}

// svarint is a signed LEB128 of 32 bits that is not negative.
func (r *reader) svarint() (uint64, error) {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || r.rest[n-1]&0x40 != 0 {
		return 0, errors.New("an address that is negative or cut off")
	}
	r.rest = r.rest[n:]
	return v, nil
}

// counted is a length, and so many bytes.
func (r *reader) counted() ([]byte, error) {
	n, err := r.uvarint()
	if err != nil {
		return nil, err
	}
	if n > uint64(len(r.rest)) {
		return nil, errCut
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b, nil
}
