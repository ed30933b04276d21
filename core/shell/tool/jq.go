package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/itchyny/gojq"

	"github.com/tabernetes/tabernetes/core/shell/jq"
)

func init() { tools["jq"] = jqTool }

// Exit codes of jq.
const (
	jqUsage   = 2 // options, and what cannot be read
	jqCompile = 3
	jqNothing = 4 // -e, and no value
	jqFailed  = 5
)

// jqTool is jq by gojq. It says that something failed in gojq's words.
func jqTool(t *T) int {
	o, err := t.jqOptions(t.Args[1:])
	switch {
	case errors.Is(err, errJQHelp):
		t.print(jqHelp)
		return 0
	case err != nil:
		fmt.Fprintf(t.stderr(), "jq: error: %v\n%s", err, "Use jq --help for help with command-line options\n")
		return jqUsage
	}
	in := t.jqInput(o)
	defer in.close()
	held := t.Memory()
	defer held.Free()
	config := jq.Config{
		Context: t.ctx, Env: t.Env, Names: o.names, Values: o.values,
		Hold:  func(bytes int) error { return held.Set(int64(bytes)) },
		Input: in.next,
		Debug: func(v any) { t.jqSay([]any{"DEBUG:", v}); _, _ = io.WriteString(t.stderr(), "\n") },
		Stderr: func(v any) {
			t.jqSay(v)
		},
		Filename: in.filename,
	}
	program, err := jq.Compile(o.program, config)
	if err != nil {
		fmt.Fprintf(t.stderr(), "jq: error: %v\njq: 1 compile error\n", err)
		return jqCompile
	}
	last, code := jqNothing, 0
	show := func(v any) bool {
		if last = 0; v == nil || v == false {
			last = 1
		}
		return t.jqPrint(v, o)
	}
	for t.ctx.Err() == nil {
		v, size, err := any(nil), 0, error(nil)
		if !o.null {
			if v, size, err = in.next(); errors.Is(err, io.EOF) {
				break
			}
		}
		if err == nil {
			err = program.Run(v, size, show)
		}
		if err != nil {
			var stop bool
			if code, stop = t.jqError(err); stop {
				return code
			}
			last = code
		} else if code == jqFailed {
			code = 0 // as jq: the last one counts
		}
		if o.null {
			break
		}
	}
	switch {
	case in.failed != 0:
		return in.failed
	case o.exit:
		return max(last, code)
	}
	return code
}

// jqError tells why a run ended; stop says that the program is at its end.
func (t *T) jqError(err error) (code int, stop bool) {
	if t.ctx.Err() != nil {
		return jqFailed, true
	}
	if halt, ok := errors.AsType[*gojq.HaltError](err); ok {
		switch v := halt.Value().(type) {
		case nil:
		case string:
			_, _ = io.WriteString(t.stderr(), v)
		default:
			t.jqSay(v)
			_, _ = io.WriteString(t.stderr(), "\n")
		}
		return halt.ExitCode(), true
	}
	if parse, ok := errors.AsType[jqParseError](err); ok {
		fmt.Fprintf(t.stderr(), "%v\n", parse)
		return jqUsage, true
	}
	fmt.Fprintf(t.stderr(), "jq: error: %v\n", err)
	return jqFailed, errors.Is(err, jq.ErrMemory)
}

// jqSay writes a value to standard error.
func (t *T) jqSay(v any) {
	p := jqPrinter{t: t, w: t.stderr(), options: &jqOptions{compact: true}}
	p.value(v, 0)
}

// decodeJSON reads one value that was given as an argument.
func decodeJSON(text string) (v any, err error) {
	if jq.Estimate([]byte(text)) > jq.MaxHeld/4 {
		return nil, jq.ErrMemory
	}
	err = json.Unmarshal([]byte(text), &v)
	return v, err
}
