package pager

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"unicode/utf8"
)

// maxLine is the longest piece of a line, in bytes; what is longer continues as a line of its own.
const maxLine = 16 << 10

// lineOverhead is what a kept line costs beside its bytes.
const lineOverhead = 16

// source reads lines for a pager that asks for them.
type source struct {
	r       *bufio.Reader
	hold    func(bytes int) error // draws what is kept
	out     chan batch
	pending []byte // the beginning of a character that a piece ended in
}

// batch is what has been read; err, io.EOF among them, ends the text.
type batch struct {
	lines []string
	err   error
}

func newSource(r io.Reader, hold func(int) error) *source {
	return &source{r: bufio.NewReaderSize(r, maxLine), hold: hold, out: make(chan batch)}
}

// run reads one batch ahead of who takes them, until ctx ends.
func (s *source) run(ctx context.Context) {
	for {
		var b batch
		for b.err == nil && (len(b.lines) == 0 || len(b.lines) < 256 && s.ready()) {
			line, err := s.line()
			if err == nil {
				err = s.hold(len(line) + lineOverhead)
			}
			if b.err = err; err == nil {
				b.lines = append(b.lines, line)
			}
		}
		select {
		case s.out <- b:
		case <-ctx.Done():
			return
		}
		if b.err != nil {
			return
		}
	}
}

// ready says that the next line is here already.
func (s *source) ready() bool {
	here, _ := s.r.Peek(s.r.Buffered())
	return bytes.IndexByte(here, '\n') >= 0
}

// line is the next line without its end, or the next piece of one.
func (s *source) line() (string, error) {
	part, err := s.r.ReadSlice('\n')
	text := append(s.pending, part...)
	s.pending = nil
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		whole := len(text)
		for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
			if at := len(text) - back; utf8.RuneStart(text[at]) {
				if !utf8.FullRune(text[at:]) {
					whole = at
				}
				break
			}
		}
		s.pending = bytes.Clone(text[whole:])
		return string(text[:whole]), nil
	case errors.Is(err, io.EOF) && len(text) > 0:
		return string(text), nil
	case err != nil:
		return "", err
	}
	return string(bytes.TrimSuffix(text[:len(text)-1], []byte("\r"))), nil
}
