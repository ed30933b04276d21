package regex

import (
	"context"
	"errors"
	"io"
	"iter"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// MaxSize is how many instructions a regular expression may have: x{1000} has a thousand. Each
	// takes memory, and time at each rune of a text.
	MaxSize = 1 << 16
	// MaxExpr is how long an expression may be, in bytes, to be parsed at all.
	MaxExpr = 4 * MaxSize
	// ParseMemory is what a byte of an expression takes while it is parsed.
	ParseMemory = 256

	// between is how many instructions times runes are done between two questions to the context:
	// less than a millisecond, or they do not count as use of the thread (program.Yield).
	between = 1 << 13

	// What one instruction takes: with what it was parsed from, and the queues of a match; and a thread
	// of a match, of which two may be at each, beside its captures.
	instMemory    = 256
	captureMemory = 16
)

// direct is how many instructions times bytes are matched in one go, and directAll for all matches of a text
// together, each of which may look at all that is left. Tests set them.
var direct, directAll = 1 << 20, 1 << 22

// ErrSize is of an expression that is not compiled.
var ErrSize = errors.New("the regular expression is too large")

// Regexp is a compiled regular expression. It may be used by several goroutines.
type Regexp struct {
	re       *regexp.Regexp
	size     int  // instructions
	behind   bool // it looks at what stands before a place: ^, \b
	anchored bool // it matches at the beginning of a text only
	// later is for behind: it begins with the rune before, which package regexp cannot be told of, and
	// its first group is the expression.
	later func() *regexp.Regexp
}

// Compile compiles an expression in package regexp's syntax. Who has bounded memory draws ParseMemory for each
// byte of it before, and Memory afterwards.
func Compile(expr string) (*Regexp, error) {
	if len(expr) > MaxExpr {
		return nil, ErrSize
	}
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if weight(parsed) > MaxSize {
		return nil, ErrSize
	}
	behind := looksBehind(parsed)
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	r := &Regexp{size: len(prog.Inst), behind: behind, anchored: prog.StartCond()&syntax.EmptyBeginText != 0}
	if r.re, err = regexp.Compile(expr); err != nil {
		return nil, err
	}
	if later := `(?s:\A.(?:.*?))(` + expr + `)`; r.behind {
		if _, err := syntax.Parse(later, syntax.Perl); err != nil { // it is nested too deeply
			return nil, ErrSize
		}
		r.later = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(later) })
	}
	return r, nil
}

// weight is about how many instructions re comes to; it bounds what Simplify makes of it.
func weight(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += weight(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, MaxSize+1)
}

func looksBehind(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	default:
	}
	for _, sub := range re.Sub {
		if looksBehind(sub) {
			return true
		}
	}
	return false
}

// Memory is about what it takes, with a match that is going on, in bytes; more if what its groups match is asked for.
func (r *Regexp) Memory(groups bool) int {
	captures := 4 // of a match, and of the group of later
	if groups {
		captures += 2 * r.re.NumSubexp()
	}
	return r.size * (instMemory + captures*captureMemory)
}

// Groups is how many groups it has.
func (r *Regexp) Groups() int { return r.re.NumSubexp() }

// GroupNames are their names, as package regexp gives them.
func (r *Regexp) GroupNames() []string { return r.re.SubexpNames() }

// Match tells whether it matches somewhere in text.
func (r *Regexp) Match(ctx context.Context, text string) bool {
	if r.fits(text) {
		return r.re.MatchString(text)
	}
	return r.re.MatchReader(r.reader(ctx, strings.NewReader(text), 0))
}

// Find gives where it matches first in text; nil if it does not.
func (r *Regexp) Find(ctx context.Context, text string) []int { return r.from(ctx, text, 0, false) }

// FindGroups is Find with what its groups match, as package regexp's FindStringSubmatchIndex.
func (r *Regexp) FindGroups(ctx context.Context, text string) []int {
	return r.from(ctx, text, 0, true)
}

// FindReader is Find of what is read.
func (r *Regexp) FindReader(ctx context.Context, text io.RuneReader) []int {
	return r.re.FindReaderIndex(r.reader(ctx, text, 2))
}

// All gives where it matches, one after the other and up to limit, which is none if it is negative, as package
// regexp's FindAllStringIndex. It ends early with the context.
func (r *Regexp) All(ctx context.Context, text string, limit int) iter.Seq[[]int] {
	return r.all(ctx, text, limit, false)
}

// AllGroups is All with what its groups match.
func (r *Regexp) AllGroups(ctx context.Context, text string, limit int) iter.Seq[[]int] {
	return r.all(ctx, text, limit, true)
}

func (r *Regexp) all(ctx context.Context, text string, limit int, groups bool) iter.Seq[[]int] {
	if n := max(len(text), 1); r.size*n <= directAll/n {
		find := r.re.FindAllStringIndex
		if groups {
			find = r.re.FindAllStringSubmatchIndex
		}
		return func(yield func([]int) bool) {
			for _, match := range find(text, limit) {
				if !yield(match) {
					return
				}
			}
		}
	}
	return func(yield func([]int) bool) {
		at, before, work, given := 0, -1, 0, 0
		for at <= len(text) && given != limit {
			if work += r.size * (len(text) - at); work > between {
				if work = 0; ctx.Err() != nil {
					return
				}
			}
			match := r.from(ctx, text, at, groups)
			if match == nil {
				return
			}
			// None that is empty right after another.
			empty := match[1] == at
			if !(empty && match[0] == before) {
				if given++; !yield(match) {
					return
				}
			}
			if before, at = match[1], match[1]; empty {
				_, width := utf8.DecodeRuneInString(text[at:])
				at += max(width, 1)
			}
		}
	}
}

// Split is package regexp's Split, up to limit parts.
func (r *Regexp) Split(ctx context.Context, text string, limit int) []string {
	if text == "" {
		return []string{""}
	}
	var parts []string
	begin, end := 0, 0
	for match := range r.All(ctx, text, limit) {
		if len(parts) == limit-1 {
			break
		}
		end = match[0]
		if match[1] != 0 {
			parts = append(parts, text[begin:end])
		}
		begin = match[1]
	}
	if end != len(text) {
		parts = append(parts, text[begin:])
	}
	return parts
}

// from gives the first match that begins at a byte or behind it.
func (r *Regexp) from(ctx context.Context, text string, at int, groups bool) []int {
	re, base := r.re, at
	switch {
	case at > 0 && r.anchored:
		return nil
	case at > 0 && r.behind:
		_, width := utf8.DecodeLastRuneInString(text[:at])
		re, base = r.later(), at-width
	}
	rest := text[base:]
	var match []int
	switch later := base < at; {
	case r.fits(rest) && (groups || later):
		match = re.FindStringSubmatchIndex(rest)
	case r.fits(rest):
		match = re.FindStringIndex(rest)
	case groups || later:
		match = re.FindReaderSubmatchIndex(r.reader(ctx, strings.NewReader(rest), 2+2*re.NumSubexp()))
	default:
		match = re.FindReaderIndex(r.reader(ctx, strings.NewReader(rest), 2))
	}
	if base < at && match != nil {
		if match = match[2:]; !groups {
			match = match[:2]
		}
	}
	for i := range match {
		if match[i] >= 0 {
			match[i] += base
		}
	}
	return match
}

func (r *Regexp) fits(text string) bool { return len(text) <= direct/max(r.size, 1) }

// reader is a text that is read while others run. Each thread of the match copies its captures.
func (r *Regexp) reader(ctx context.Context, text io.RuneReader, captures int) io.RuneReader {
	return &reader{RuneReader: text, ctx: ctx, cost: r.size * (1 + captures/8)}
}

type reader struct {
	io.RuneReader
	ctx  context.Context
	cost int // of a rune, in instructions
	work int // since the context was asked
}

// ReadRune implements io.RuneReader.
func (r *reader) ReadRune() (rune, int, error) {
	if r.work += r.cost; r.work > between {
		r.work = 0
		if err := r.ctx.Err(); err != nil {
			return 0, 0, err
		}
	}
	return r.RuneReader.ReadRune()
}
