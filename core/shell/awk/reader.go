package awk

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/tabernetes/tabernetes/core/shell/regex"
)

// recordReader takes records off a file. Of what has not been asked for it holds a buffer, and
// what a regular expression had to look at.
type recordReader struct {
	r    *bufio.Reader
	c    io.Closer
	rest []byte // comes before r

	counted int         // bytes of rest that the machine knows of
	reading func(n int) // told how long the next record is so far, in bytes
}

func (m *machine) newRecordReader(f io.ReadCloser) *recordReader {
	return &recordReader{r: bufio.NewReader(f), c: f, reading: func(n int) { m.hold(ofReading, n) }}
}

// until gives what stands before the next end, or before the end of the file; io.EOF comes with
// nothing.
func (r *recordReader) until(end byte) (string, error) {
	if i := bytes.IndexByte(r.rest, end); i >= 0 {
		record := string(r.rest[:i])
		r.rest = r.rest[i+1:]
		return record, nil
	}
	record := r.rest
	r.rest = nil
	for {
		part, err := r.r.ReadSlice(end)
		if len(record)+len(part) > maxText {
			return "", errMemory
		}
		record = append(record, part...)
		r.reading(len(record))
		switch {
		case err == nil:
			return string(record[:len(record)-1]), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(record) > 0:
			return string(record), nil
		default:
			return "", err
		}
	}
}

// untilMatch gives what stands before the next match of re that is not empty, or before the end
// of the file.
func (r *recordReader) untilMatch(ctx context.Context, re *regex.Regexp) (string, error) {
	text := &runes{from: r}
	at := re.FindReader(ctx, text)
	if at == nil || at[0] == at[1] {
		for text.err == nil {
			_, _, _ = text.ReadRune()
		}
		at = []int{len(text.read), len(text.read)}
	}
	if text.err != nil && (!errors.Is(text.err, io.EOF) || len(text.read) == 0) {
		return "", text.err
	}
	r.rest = append(text.read[at[1]:len(text.read):len(text.read)], r.rest...)
	return string(text.read[:at[0]]), nil
}

// paragraph gives the lines up to the next blank one.
func (r *recordReader) paragraph() (string, error) {
	var lines []byte
	for {
		line, err := r.until('\n')
		switch {
		case err != nil && len(lines) > 0 && errors.Is(err, io.EOF):
			return string(lines), nil
		case err != nil:
			return "", err
		case line != "":
			if len(lines)+len(line) >= maxText {
				return "", errMemory
			}
			if len(lines) > 0 {
				lines = append(lines, '\n')
			}
			lines = append(lines, line...)
			r.reading(len(lines))
		case len(lines) > 0:
			return string(lines), nil
		}
	}
}

// runes gives what a regular expression looks at, and remembers it.
type runes struct {
	from *recordReader
	read []byte
	err  error
}

// ReadRune implements io.RuneReader. A byte that is in no rune counts as one.
func (t *runes) ReadRune() (rune, int, error) {
	if t.err != nil {
		return 0, 0, t.err
	}
	if len(t.read) > maxText {
		t.err = errMemory
		return 0, 0, t.err
	}
	t.from.reading(len(t.read))
	c, size, err := t.from.readRune(t)
	t.err = err
	return c, size, err
}

// readRune appends the bytes of a rune to what has been read.
func (r *recordReader) readRune(t *runes) (rune, int, error) {
	if len(r.rest) == 0 {
		c, size, err := r.r.ReadRune()
		switch {
		case err != nil:
			return 0, 0, err
		case c != utf8.RuneError || size > 1:
			t.read = utf8.AppendRune(t.read, c)
			return c, size, nil
		}
		_ = r.r.UnreadRune()
		b, err := r.r.ReadByte()
		t.read = append(t.read, b)
		return utf8.RuneError, 1, err
	}
	for !utf8.FullRune(r.rest) {
		b, err := r.r.ReadByte()
		if err != nil {
			break
		}
		r.rest = append(r.rest[:len(r.rest):len(r.rest)], b)
	}
	c, size := utf8.DecodeRune(r.rest)
	t.read = append(t.read, r.rest[:size]...)
	r.rest = r.rest[size:]
	return c, size, nil
}
