package jq

import (
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/itchyny/gojq"
)

// native is a function in Go, as gojq calls it.
type native = func(v any, args []any) any

// instruction is gojq's code.
type instruction struct {
	v  any // of a call: the function, how many arguments, its name
	op int
}

// bind puts bounds before each function that code calls.
func bind(code *gojq.Code, r *run) error {
	field := reflect.ValueOf(code).Elem().FieldByName("codes")
	if !field.IsValid() || field.Kind() != reflect.Slice {
		return errReach
	}
	for _, c := range *(*[]*instruction)(unsafe.Pointer(field.UnsafeAddr())) {
		call, ok := c.v.([3]any)
		if !ok {
			continue
		}
		f, isNative := call[0].(native)
		name, isName := call[2].(string)
		if !isNative || !isName {
			return errReach
		}
		call[0] = r.bounded(name, f)
		c.v = call
	}
	return nil
}

// bounded is f with its bounds: those that bounds has for it, or that it may walk through all that it is
// given.
func (r *run) bounded(name string, f native) native {
	if free[name] {
		return f
	}
	if name == "_match" {
		f = r.match(f)
	}
	check, special := bounds[name]
	return func(v any, args []any) any {
		made := 0
		if special {
			if made = check(v, args); made < 0 {
				return ErrMemory
			}
		} else {
			var s size
			if !s.of(v, 0) {
				return ErrMemory
			}
			for _, arg := range args {
				if !s.of(arg, 0) {
					return ErrMemory
				}
			}
			made = s.cost()
		}
		w := f(v, args)
		r.spent += max(made, shallow(w))
		return w
	}
}

// free are functions that end at once and make nothing.
var free = map[string]bool{
	"length": true, "has": true, "type": true, "_alternative": true, "_plus": true, "error": true,
	"halt": true, "halt_error": true, "input": true, "env": true, "now": true, "_allocator": true,
	"debug": true, "stderr": true, "input_filename": true, "infinite": true, "nan": true, "_slice": true,
	"startswith": true, "endswith": true, "toboolean": true, "utf8bytelength": true,
}

const tooMuch = -1

// bounds are the functions that make more than what they are given, take longer than to walk through it,
// or are called often on what is large and look at a part only. Each gives what is made at most, in bytes.
var bounds = map[string]func(v any, args []any) int{
	"_add":      func(_ any, args []any) int { return sum(args[0], args[1]) },
	"_multiply": func(_ any, args []any) int { return product(args[0], args[1]) },
	"_subtract": func(_ any, args []any) int { return square(args[0], args[1]) },
	"_divide": func(_ any, args []any) int {
		if text, ok := args[0].(string); ok {
			return parts(text, args[1])
		}
		return numbers(args)
	},
	"_range":  func(_ any, args []any) int { return numbers(args) },
	"_modulo": func(_ any, args []any) int { return numbers(args) },
	"_negate": func(v any, _ []any) int { return numbers([]any{v}) },
	"_equal":  compared, "_notequal": compared, "_less": compared, "_lesseq": compared, "_greater": compared, "_greatereq": compared,

	"_index": func(_ any, args []any) int {
		if _, search := args[1].([]any); search {
			return square(args[0], args[1])
		}
		return 0
	},
	"indices": func(v any, args []any) int { return square(v, args[0]) },
	"index":   func(v any, args []any) int { return square(v, args[0]) },
	"rindex":  func(v any, args []any) int { return square(v, args[0]) },
	"contains": func(v any, args []any) int {
		if _, text := v.(string); text {
			return 0
		}
		return square(v, args[0])
	},
	"inside": func(v any, args []any) int {
		if _, text := v.(string); text {
			return 0
		}
		return square(v, args[0])
	},
	"bsearch": func(any, []any) int { return 0 },

	"getpath":   func(_ any, args []any) int { return path(args[0]) },
	"setpath":   func(v any, args []any) int { return plus(path(args[0]), along(v, args[0])) },
	"_setpath":  func(v any, args []any) int { return plus(path(args[0]), along(v, args[0])) },
	"keys":      func(v any, _ []any) int { return 2 * shallow(v) },
	"reverse":   func(v any, _ []any) int { return shallow(v) },
	"explode":   func(v any, _ []any) int { return parts(v, "") },
	"split":     func(v any, args []any) int { return parts(v, args[0]) },
	"join":      joined,
	"transpose": transposed,
	"tonumber":  func(v any, _ []any) int { return map[bool]int{true: 0, false: tooMuch}[len(textOf(v)) <= maxDigits] },
	"fromjson":  func(v any, _ []any) int { return capped(Estimate([]byte(textOf(v)))) },
	"_match":    matched,
	"strftime":  dated, "strflocaltime": dated, "strptime": dated,
}

func textOf(v any) string { text, _ := v.(string); return text }

// capped is n, if one function may make that much.
func capped(n int) int {
	if n < 0 || n > maxBytes {
		return tooMuch
	}
	return n
}

func plus(a, b int) int {
	if a < 0 || b < 0 {
		return tooMuch
	}
	return a + b
}

func numbers(args []any) int {
	for _, arg := range args {
		if !number(arg) {
			return tooMuch
		}
	}
	return maxBits / 8
}

// sum is of two values side by side.
func sum(l, r any) int {
	if numbers([]any{l, r}) < 0 {
		return tooMuch
	}
	return capped(shallow(l) + shallow(r))
}

// product is of numbers, of a text and a number, or of two objects, which are merged deep.
func product(l, r any) int {
	text, times := l, r
	if _, ok := r.(string); ok {
		text, times = r, l
	}
	if s, ok := text.(string); ok {
		n, _ := float(times)
		if n*float64(len(s)) > maxBytes {
			return tooMuch
		}
		return int(max(n*float64(len(s)), 0))
	}
	var s size
	if !s.of(l, 0) || !s.of(r, 0) {
		return tooMuch
	}
	return s.cost()
}

// square is of what compares each of the one with each of the other.
func square(l, r any) int {
	var a, b size
	if !a.of(l, 0) || !b.of(r, 0) || (a.cells+a.bytes)*(b.cells+b.bytes) > 1<<26 {
		return tooMuch
	}
	return a.cost() + 32*a.bytes // texts are searched as lists of their characters
}

// compared is of a comparison, which is quick if one side is simple.
func compared(_ any, args []any) int {
	for _, arg := range args[:2] {
		switch arg.(type) {
		case []any, map[string]any:
		default:
			return min(numbers(args[:2]), 0) // tooMuch, or nothing made
		}
	}
	var s size
	if !s.of(args[0], 0) || !s.of(args[1], 0) {
		return tooMuch
	}
	return 0
}

// maxIndex is the highest index that may be assigned to: what is between is filled with null.
const maxIndex = 1 << 18

// path is of a path that is followed: its length, by recursion, and its indices.
func path(v any) int {
	steps, ok := v.([]any)
	if !ok {
		return 0
	}
	if len(steps) > maxDepth {
		return tooMuch
	}
	made := 0
	for _, step := range steps {
		if i, isNumber := float(step); isNumber {
			made += 16 * int(min(max(i, 0), maxIndex))
			if !(i <= maxIndex) || made > maxBytes {
				return tooMuch
			}
		}
	}
	return made
}

// float is a number, which may be larger than any index.
func float(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	case json.Number:
		f, _ := v.Float64()
		return f, true
	case *big.Int:
		return math.Inf(v.Sign()), true
	}
	return 0, false
}

// along is what is copied of v when something is set at a path.
func along(v, p any) int {
	steps, _ := p.([]any)
	made := shallow(v)
	for _, step := range steps {
		switch in := v.(type) {
		case []any:
			i, ok := step.(int)
			if !ok || i < 0 || i >= len(in) {
				return capped(made)
			}
			v = in[i]
		case map[string]any:
			v = in[textOf(step)]
		default:
			return capped(made)
		}
		made += shallow(v)
	}
	return capped(made)
}

// parts is of a text that is split.
func parts(v, by any) int {
	text, separator := textOf(v), textOf(by)
	if text == "" {
		return 0
	}
	return capped(48 * (1 + min(strings.Count(text, separator), utf8.RuneCountInString(text))))
}

func joined(v any, args []any) int {
	var s size
	if !s.of(v, 0) {
		return tooMuch
	}
	n := 0
	switch v := v.(type) {
	case []any:
		n = len(v)
	case map[string]any:
		n = len(v)
	}
	return capped(plus(capped(n*len(textOf(args[0]))), s.bytes+32*n))
}

func transposed(v any, _ []any) int {
	rows, _ := v.([]any)
	longest := 0
	for _, row := range rows {
		if row, ok := row.([]any); ok {
			longest = max(longest, len(row))
		}
	}
	return capped(16 * len(rows) * longest)
}

// maxPattern is how long a regular expression may be; repetitions count (see weight).
const maxPattern = 1 << 14

func matched(v any, args []any) int {
	text, pattern := textOf(v), textOf(args[0])
	if len(pattern) > maxPattern || weight(pattern) > maxPattern {
		return tooMuch
	}
	return capped(len(text))
}

// weight is about how many instructions a regular expression comes to.
func weight(pattern string) int {
	if !strings.Contains(pattern, "{") {
		return len(pattern)
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0 // the function says so itself
	}
	return weigh(parsed)
}

func weigh(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += weigh(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, maxPattern+1)
}

// dated is of a time and its form.
func dated(v any, args []any) int {
	if len(textOf(v)) > 256 || len(textOf(args[0])) > 256 {
		return tooMuch
	}
	return 0
}

// Estimate is about what a text in JSON takes when it is read, in bytes.
func Estimate(text []byte) int {
	n := 2 * len(text)
	for _, c := range text {
		switch c {
		case ',', '[', '{', ':':
			n += 64
		}
	}
	return n
}
