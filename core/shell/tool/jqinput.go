package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell/jq"
)

// jqInput reads values from files, one after the other.
type jqInput struct {
	t       *T
	o       *jqOptions
	files   []string
	name    any // of the file that is being read
	file    io.ReadCloser
	decoder *json.Decoder
	stream  jqStream // with --stream
	lines   *lineReader
	drawn   *program.Memory // for the value that is being read
	size    int             // about what it takes
	slurped bool
	failed  int // the exit code, when a file could not be read
}

// jqParseError says that the input is no JSON.
type jqParseError struct{ error }

func (t *T) jqInput(o *jqOptions) *jqInput {
	in := &jqInput{t: t, o: o, files: o.files, drawn: t.Memory()}
	if len(in.files) == 0 {
		in.files = []string{"-"}
	}
	return in
}

func (in *jqInput) close() {
	if in.file != nil {
		_ = in.file.Close()
	}
	in.drawn.Free()
}

func (in *jqInput) filename() any { return in.name }

// next is the next value with about what it takes in bytes, or io.EOF.
func (in *jqInput) next() (v any, size int, err error) {
	defer in.drawn.Free() // who has the value counts it
	if !in.o.slurp {
		in.size = 0
		v, err = in.one()
		return v, in.size, err
	}
	if in.slurped {
		return nil, 0, io.EOF
	}
	in.slurped = true
	in.size = 0
	values, text := []any{}, []byte{}
	for {
		v, err := in.one()
		switch {
		case errors.Is(err, io.EOF):
			if in.o.raw {
				return string(text), in.size, nil
			}
			return values, in.size, nil
		case err != nil:
			return nil, 0, err
		}
		if line, ok := v.(string); ok && in.o.raw {
			text = append(text, line...)
		} else {
			values = append(values, v)
		}
	}
}

// one is the next value of the next file that has one.
func (in *jqInput) one() (any, error) {
	for {
		if in.file == nil {
			if len(in.files) == 0 {
				return nil, io.EOF
			}
			name := in.files[0]
			in.files = in.files[1:]
			file, err := in.t.open(name)
			if err != nil {
				in.t.failed("error: Could not open "+name, err)
				in.failed = jqUsage
				continue
			}
			in.name, in.file = any(name), file
			if name == "-" {
				in.name = nil
			}
			in.decoder = json.NewDecoder(counted{in})
			in.decoder.UseNumber()
			in.stream = jqStream{}
			in.lines = in.t.lineReader(file)
		}
		v, err := in.read()
		if err == nil {
			return v, nil
		}
		_ = in.file.Close()
		in.file = nil
		if !errors.Is(err, io.EOF) {
			in.files = nil
			return nil, err
		}
	}
}

func (in *jqInput) read() (v any, err error) {
	if in.o.raw {
		line, err := in.lines.next('\n')
		if err != nil {
			return nil, err
		}
		in.size += 2 * len(line)
		if in.size > jq.MaxHeld {
			return nil, jq.ErrMemory
		}
		if !in.o.slurp && line[len(line)-1] == '\n' {
			line = line[:len(line)-1]
		}
		return line, in.drawn.Set(int64(in.size))
	}
	if in.o.stream {
		var event []any
		if event, err = in.stream.next(in.decoder); err == nil {
			in.size += 32 * (len(in.stream.path) + len(event))
			if in.size > jq.MaxHeld {
				return nil, jq.ErrMemory
			}
			return event, in.drawn.Set(int64(in.size))
		}
	} else {
		err = in.decoder.Decode(&v)
	}
	if err != nil {
		if _, syntax := errors.AsType[*json.SyntaxError](err); syntax || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, jqParseError{fmt.Errorf("parse error: %w", err)}
		}
		return nil, err
	}
	return v, nil
}

// counted draws what is read for what will be made of it.
type counted struct{ in *jqInput }

// Read implements io.Reader.
func (c counted) Read(p []byte) (int, error) {
	n, err := c.in.file.Read(p)
	c.in.size += jq.Estimate(p[:n])
	if c.in.size > jq.MaxHeld {
		return n, jq.ErrMemory
	}
	if held := c.in.drawn.Set(int64(c.in.size)); held != nil {
		return n, held
	}
	return n, err
}
