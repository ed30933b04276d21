package interp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxBraces bounds the words of one brace expansion, which happens at once: {1..1000000000}
// would fill the memory of the whole tab before anyone could stop it.
const maxBraces = 100_000

// libraryBraces is how many words package expand makes of one by itself.
const libraryBraces = 16 << 10

// configure binds word expansion to the shell.
func (s *Shell) configure() {
	s.config = &expand.Config{
		Env:       env{s},
		CmdSubst:  s.commandSubstitution,
		ProcSubst: s.processSubstitution,
		NoUnset:   s.opts[optNoUnset],
	}
	s.shopts.apply(s.config)
	if !s.opts[optNoGlob] {
		s.config.ReadDir2 = func(dir string) ([]fs.DirEntry, error) {
			_ = s.ctx.Err() // yields: ** and */*/* read many directories
			if !path.IsAbs(dir) {
				dir = path.Join(s.dir, dir)
			}
			entries, err := s.p.FS.ReadDir(dir)
			for _, entry := range entries { // each may be a word, under the directory's name
				if s.flight.Grow(copies*(program.StringMemory+len(dir)+len(entry.Name()))) != nil {
					return nil, syscall.ENOMEM
				}
			}
			return entries, err
		}
	}
}

func (s *Shell) commandSubstitution(w io.Writer, cs *syntax.CmdSubst) error {
	if len(cs.Stmts) == 0 {
		s.substatus = 0
		return nil
	}
	if word := readsFile(cs.Stmts); word != nil {
		file, err := s.process(s.plain).Open(s.literal(word))
		if err != nil {
			s.substatus = 1
			s.errorf("can't open %s: %s", pathOf(err), lower(reason(err)))
			return nil
		}
		defer file.Close()
		out := &collected{w: w, held: s.flight}
		_, err = io.Copy(out, paced{s, file})
		return err
	}
	sub, end, ok := s.fork()
	if !ok {
		return nil
	}
	defer end()
	out := &collected{w: w, held: s.p.Memory()}
	sub.fds[1] = stream{w: out}
	sub.guard(func() {
		sub.stmts(cs.Stmts)
		sub.exitTrap()
	})
	n := out.held.Held()
	out.held.Free()
	_ = s.flight.Grow(int(n)) // until the expansion ends
	s.substatus = sub.status
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	return nil
}

// paced yields at each read, and ends with the shell.
type paced struct {
	s *Shell
	r io.Reader
}

func (p paced) Read(b []byte) (int, error) {
	if err := p.s.ctx.Err(); err != nil {
		return 0, err
	}
	return p.r.Read(b)
}

// readsFile is the word of $(<word), or nil.
func readsFile(stmts []*syntax.Stmt) *syntax.Word {
	if len(stmts) != 1 || stmts[0].Cmd != nil || len(stmts[0].Redirs) != 1 {
		return nil
	}
	if rd := stmts[0].Redirs[0]; rd.Op == syntax.RdrIn && !stmts[0].Negated && !stmts[0].Background {
		return rd.Word
	}
	return nil
}

// fields expands words to arguments: braces, ~, $, $( ), $(( )), splitting, globs, quotes.
func (s *Shell) fields(words ...*syntax.Word) []string {
	many := false
	for _, word := range words {
		count := braceCount(word)
		if many = many || count > libraryBraces; count > maxBraces {
			s.expansionFailed(fmt.Errorf("brace expansion: more than %d words", maxBraces))
			return nil
		}
		if s.shopts[shoptExtGlob] && !s.opts[optNoGlob] && isName(word) {
			s.expansionFailed(errName)
			return nil
		}
	}
	defer s.while(0)()
	expanded := words
	for i, word := range words {
		source := int(word.End().Offset() - word.Pos().Offset())
		_ = s.flight.Grow(braceCount(word) * (program.StringMemory + copies*source))
		if made := s.substitutions(word); made != word {
			expanded = slices.Clone(expanded)
			expanded[i] = made
		}
	}
	if many {
		expanded = allBraces(expanded)
	}
	if s.ctx.Err() != nil {
		return nil
	}
	expanded = s.presplit(expanded)
	if s.leaving() || s.ctx.Err() != nil {
		return nil
	}
	fields, err := expanding(func() ([]string, error) { return expand.Fields(s.config, expanded...) })
	s.expansionFailed(err)
	return fields
}

func (s *Shell) literal(word *syntax.Word) string {
	if word == nil {
		return ""
	}
	defer s.while(0)()
	text, err := expanding(func() (string, error) { return expand.Literal(s.config, unescaped(s.substitutions(word), false)) })
	s.expansionFailed(err)
	return text
}

func (s *Shell) pattern(word *syntax.Word) string {
	defer s.while(0)()
	text, err := expanding(func() (string, error) { return expand.Pattern(s.config, s.substitutions(word)) })
	s.expansionFailed(err)
	return text
}

func (s *Shell) arithmetic(expr syntax.ArithmExpr) int {
	defer s.while(0)()
	n, err := expanding(func() (int, error) { return expand.Arithm(s.config, s.arithmetics(expr)) })
	s.expansionFailed(err)
	return n
}

// expansionFailed reports an error of expansion; POSIX has a shell that is not interactive
// exit on it.
func (s *Shell) expansionFailed(err error) {
	if err == nil || s.ctx.Err() != nil {
		return
	}
	text := err.Error()
	var unset expand.UnsetParameterError
	if errors.As(err, &unset) {
		text = strings.Replace(text, ": unbound variable", ": parameter not set", 1)
	}
	s.errorf("%s", text)
	s.status = 2
	s.exiting = true
	if s.opts[optInteractive] && !s.subshell {
		s.exiting = false
		s.returning = true // the rest of the line is dropped
	}
}

// braces is what the brace expansion of a word makes, whose words have been counted.
func braces(word *syntax.Word) []*syntax.Word {
	split := *word
	if !syntax.SplitBraces(&split) {
		return []*syntax.Word{word}
	}
	return expand.Braces(&split) //nolint:staticcheck // what is to be used instead has a bound of its own, below ours
}

func allBraces(words []*syntax.Word) (made []*syntax.Word) {
	for _, word := range words {
		made = append(made, braces(word)...)
	}
	return made
}

// braceCount is how many words the brace expansion of word makes.
func braceCount(word *syntax.Word) int {
	split := *word
	if !syntax.SplitBraces(&split) {
		return 1
	}
	return countParts(&split)
}

func countParts(word *syntax.Word) int {
	count := 1
	for _, part := range word.Parts {
		brace, ok := part.(*syntax.BraceExp)
		if !ok {
			continue
		}
		n := 0
		if brace.Sequence {
			n = sequenceCount(brace)
		} else {
			for _, elem := range brace.Elems {
				n = min(n+countParts(elem), maxBraces+1)
			}
		}
		count = min(count*max(n, 1), maxBraces+1)
	}
	return count
}

// sequenceCount is how many words {from..to..step} makes. Of numbers beyond which there are none package expand
// makes words without end.
func sequenceCount(brace *syntax.BraceExp) int {
	from, err1 := strconv.Atoi(brace.Elems[0].Lit())
	to, err2 := strconv.Atoi(brace.Elems[1].Lit())
	step := 1
	if len(brace.Elems) > 2 {
		step, _ = strconv.Atoi(brace.Elems[2].Lit())
	}
	if err1 != nil || err2 != nil {
		from, to = 0, math.MaxUint8 // letters
	}
	low, high := min(from, to), max(from, to)
	if step == math.MinInt {
		return maxBraces + 1
	}
	if step = max(step, -step, 1); high > math.MaxInt-step || low < math.MinInt+step {
		return maxBraces + 1
	}
	return int(min((uint64(high)-uint64(low))/uint64(step)+1, maxBraces+1))
}

// pathOf is the path that an error is about.
func pathOf(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Path
	}
	return ""
}

func lower(text string) string {
	if text == "" {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}
