package memfs

import (
	"crypto/rand"
	"syscall"
)

// device is a character device.
type device interface {
	read(b []byte) (int, error)
	write(b []byte) (int, error)
}

var (
	_ device = null{}
	_ device = zero{}
	_ device = full{}
	_ device = random{}
)

type null struct{}

func (null) read([]byte) (int, error)    { return 0, nil }
func (null) write(b []byte) (int, error) { return len(b), nil }

type zero struct{ null }

func (zero) read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

type full struct{ zero }

func (full) write([]byte) (int, error) { return 0, syscall.ENOSPC }

type random struct{ null }

func (random) read(b []byte) (int, error) { return rand.Read(b) }
