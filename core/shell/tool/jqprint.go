package tool

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// Colours of values, as jq's.
const (
	jqNull   = "\x1b[1;30m"
	jqPlain  = "\x1b[0;39m"
	jqString = "\x1b[0;32m"
	jqKey    = "\x1b[34;1m"
	jqReset  = "\x1b[0m"
)

// jqDepth is how deep a value is printed; a program can make one that is deeper than any stack.
const jqDepth = 10000

// jqPrinter writes values as they are walked through: one that holds the same list often is written
// without being made.
type jqPrinter struct {
	t       *T
	w       io.Writer
	options *jqOptions
	failed  bool
}

// jqPrint prints a value and the end of its line; false when nobody reads or too much was asked for.
func (t *T) jqPrint(v any, o *jqOptions) bool {
	p := jqPrinter{t: t, w: t.out, options: o}
	if text, ok := v.(string); ok && o.rawOut {
		p.write(text)
	} else {
		p.value(v, 0)
	}
	if !o.join {
		p.write("\n")
	}
	return !p.failed
}

func (p *jqPrinter) write(text string) {
	if p.failed {
		return
	}
	_, err := io.WriteString(p.w, text)
	p.failed = err != nil
}

func (p *jqPrinter) colored(color, text string) {
	if p.options.color {
		text = color + text + jqReset
	}
	p.write(text)
}

func (p *jqPrinter) value(v any, depth int) {
	if p.failed || p.t.ctx.Err() != nil {
		p.failed = true
		return
	}
	if depth > jqDepth {
		p.t.fail("error: a value that is more than %d levels deep cannot be printed", jqDepth)
		p.failed, p.t.code = true, jqFailed
		return
	}
	switch v := v.(type) {
	case []any:
		p.list('[', ']', len(v), depth, func(each func()) {
			for _, one := range v {
				each()
				p.value(one, depth+1)
				if p.failed {
					return
				}
			}
		})
	case map[string]any:
		p.list('{', '}', len(v), depth, func(each func()) {
			for _, key := range slices.Sorted(maps.Keys(v)) {
				each()
				p.colored(jqKey, scalar(key))
				p.write(":")
				if !p.options.compact {
					p.write(" ")
				}
				p.value(v[key], depth+1)
				if p.failed {
					return
				}
			}
		})
	case nil:
		p.colored(jqNull, "null")
	case string:
		p.colored(jqString, scalar(v))
	default:
		p.colored(jqPlain, scalar(v))
	}
}

// list writes what is between brackets; each stands before an item.
func (p *jqPrinter) list(open, end rune, n, depth int, items func(each func())) {
	p.write(string(open))
	first := true
	items(func() {
		if !first {
			p.write(",")
		}
		first = false
		p.line(depth + 1)
	})
	if n > 0 {
		p.line(depth)
	}
	p.write(string(end))
}

func (p *jqPrinter) line(depth int) {
	if !p.options.compact {
		p.write("\n" + strings.Repeat(p.options.indent, depth))
	}
}

// scalar is a value that holds no others, in JSON.
func scalar(v any) string {
	text, err := gojq.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(text)
}
