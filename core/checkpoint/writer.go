package checkpoint

import (
	"encoding/binary"
	"hash/crc32"
	"runtime"

	"github.com/tabernetes/tabernetes/core/store/persist"
)

// piece is how much is written at a time: between two pieces others run.
const piece = 64 << 10

// writer writes to a file from a place on. Its first error stays.
type writer struct {
	file persist.File
	at   int64
	sum  uint32 // of what was put since it was set to 0
	held []byte
	err  error
}

func (w *writer) put(bytes []byte) {
	w.sum = crc32.Update(w.sum, castagnoli, bytes)
	w.held = append(w.held, bytes...)
	w.flushAt(piece)
}

func (w *writer) text(text string) {
	w.number(int64(len(text)))
	for len(text) > 0 {
		n := min(len(text), piece)
		w.put([]byte(text[:n]))
		text = text[n:]
	}
}

func (w *writer) number(n int64) { w.put(binary.AppendVarint(nil, n)) }

// flushAt writes what is held if it is so much.
func (w *writer) flushAt(least int) {
	if w.err != nil || len(w.held) < least || len(w.held) == 0 {
		return
	}
	n, err := w.file.WriteAt(w.held, w.at)
	w.at += int64(n)
	w.held, w.err = w.held[:0], err
	runtime.Gosched()
}
