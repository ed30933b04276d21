package jq

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/itchyny/gojq"
)

// maxSource is how long a program may be, in bytes: gojq compiles by recursion.
const maxSource = 32 << 10

// MaxHeld is what a run may hold, in bytes.
const MaxHeld = 32 << 20

// ErrMemory ends a run that holds more, and is what a function answers that would make too much.
var ErrMemory = fmt.Errorf("out of memory (jq keeps %d MiB at most)", MaxHeld>>20)

// Config is what a program sees of the world.
type Config struct {
	// Context ends the run; its Err yields.
	Context context.Context
	// Hold draws what the run holds from now on, in bytes, in place of what it held.
	Hold func(bytes int) error
	// Names and Values are variables, with $.
	Names  []string
	Values []any
	// Env are KEY=value pairs.
	Env []string
	// Input gives what `input` and `inputs` read, and about what it takes in bytes; io.EOF at the end.
	Input func() (v any, size int, err error)
	// Debug and Stderr are told what the functions of these names are given.
	Debug, Stderr func(v any)
	// Filename is what input_filename answers.
	Filename func() any
}

// Program is a compiled program. It runs once at a time.
type Program struct {
	code   *gojq.Code
	config Config
	run    *run
}

// Compile compiles a program.
func Compile(source string, config Config) (*Program, error) {
	if len(source) > maxSource {
		return nil, fmt.Errorf("the program has %d bytes; %d are the most", len(source), maxSource)
	}
	query, err := gojq.Parse(strings.TrimSpace(source))
	if err != nil {
		return nil, err
	}
	tell := func(f func(any)) func(any, []any) any {
		return func(v any, _ []any) any { f(v); return v }
	}
	r := &run{ctx: config.Context, hold: config.Hold}
	code, err := gojq.Compile(query,
		gojq.WithEnvironLoader(func() []string { return config.Env }),
		gojq.WithVariables(config.Names),
		gojq.WithInputIter(inputs{r, config.Input}),
		gojq.WithFunction("debug", 0, 0, tell(config.Debug)),
		gojq.WithFunction("stderr", 0, 0, tell(config.Stderr)),
		gojq.WithFunction("input_filename", 0, 0, func(any, []any) any { return config.Filename() }),
	)
	if err != nil {
		return nil, err
	}
	if err := bind(code, r); err != nil {
		return nil, err
	}
	return &Program{code: code, config: config, run: r}, nil
}

// Run runs the program on v, which holds size bytes, and gives each value to f until that returns false.
// The error is a value's of the program's own (gojq.ValueError, *gojq.HaltError), ErrMemory, the context's,
// or one of Hold's.
func (p *Program) Run(v any, size int, f func(v any) bool) error {
	iter, err := p.run.begin(p.code, v, size, p.config.Values)
	if err != nil {
		return err
	}
	defer p.run.end()
	for {
		v, ok := iter.Next()
		if !ok {
			return nil
		}
		if err, isErr := v.(error); isErr {
			if p.run.err != nil {
				return p.run.err
			}
			return err
		}
		if !f(v) {
			return nil
		}
	}
}

// inputs is what a program reads by itself.
type inputs struct {
	run  *run
	next func() (any, int, error)
}

// Next implements gojq.Iter.
func (i inputs) Next() (any, bool) {
	v, size, err := i.next()
	if errors.Is(err, io.EOF) {
		return nil, false
	}
	if err != nil {
		return err, true
	}
	i.run.spent += size
	return v, true
}

// errReach says that gojq is not the one that this package was written for.
var errReach = errors.New("this build of jq does not fit its library")
