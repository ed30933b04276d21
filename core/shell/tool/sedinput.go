package tool

import (
	"errors"
	"io"

	"github.com/tabernetes/tabernetes/core/program"
)

// sedInput gives the lines of the files one after the other, as they are asked for. It reads one
// line ahead only where a script asks whether a line is the last.
type sedInput struct {
	t        *T
	names    []string
	separate bool // a file's last line is a last line, and each file begins at line 1

	file   io.ReadCloser
	lines  *lineReader
	ahead  string // read and not yet taken; has says that there is one
	has    bool
	number int // of the line taken last, from 1
}

// next takes a line with its end, which the last line of a file may lack.
func (in *sedInput) next() (string, bool) {
	if !in.has && !in.read(false) {
		return "", false
	}
	in.has = false
	in.number++
	return in.ahead, true
}

// last tells whether the line taken last has none after it.
func (in *sedInput) last() bool { return !in.has && !in.read(in.separate) }

// read fetches a line, from the next file if this one has ended, unless only this one counts.
func (in *sedInput) read(sameFile bool) bool {
	for in.t.ctx.Err() == nil {
		if in.lines == nil {
			if sameFile && in.number > 0 || !in.open() {
				return false
			}
		}
		line, err := in.lines.next('\n')
		if err == nil {
			in.ahead, in.has = line, true
			return true
		}
		in.close()
		if errors.Is(err, errHeld) {
			in.t.fail("%v", err)
			in.names = nil
		} else if !errors.Is(err, io.EOF) {
			in.t.failed("read error", err)
		}
	}
	return false
}

// open opens the next file that can be.
func (in *sedInput) open() bool {
	for len(in.names) > 0 {
		name := in.names[0]
		in.names = in.names[1:]
		f, err := in.t.open(name)
		if err != nil {
			in.t.fail("%s: %s", name, program.Reason(err))
			continue
		}
		in.file, in.lines = f, in.t.lineReader(f)
		if in.separate {
			in.number = 0
		}
		return true
	}
	return false
}

func (in *sedInput) close() {
	if in.file != nil {
		_ = in.file.Close()
	}
	in.file, in.lines = nil, nil
}

// sedOutput writes lines. One that lacks its end gets it when another follows.
type sedOutput struct {
	w       io.Writer
	missing bool
}

// finish ends a line that lacks its end.
func (o *sedOutput) finish() {
	if o.missing {
		_, _ = io.WriteString(o.w, "\n")
		o.missing = false
	}
}

func (o *sedOutput) text(text string) {
	o.finish()
	_, _ = io.WriteString(o.w, text)
}

func (o *sedOutput) line(text, end string) {
	o.text(text + end)
	o.missing = end == ""
}

// file copies a file as r appends it; one that cannot be read is left out.
func (o *sedOutput) file(t *T, name string) error {
	f, err := t.open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	o.finish()
	_, err = copyTo(o.w, f)
	return err
}
