package interp

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/tabernetes/tabernetes/core/program"
)

// pieceMemory is what a piece of a field takes as a word.
const pieceMemory = 5 * program.StringMemory

// presplit is words whose expansions are split already, where IFS has more than spaces in it: the words that are
// returned are as many as there are fields, and package expand finds nothing in them to split.
func (s *Shell) presplit(words []*syntax.Word) []*syntax.Word {
	sep := s.ifs()
	if sep.spaces() {
		return words
	}
	var made []*syntax.Word
	for _, word := range words {
		for _, one := range braces(word) {
			if splits(one) {
				p := pieces{s: s, splitter: splitter{ifs: sep}}
				made = append(made, p.words(one)...)
			} else {
				made = append(made, one)
			}
			if s.leaving() || s.ctx.Err() != nil {
				return nil
			}
		}
	}
	return made
}

// splits tells whether a word holds what is split.
func splits(word *syntax.Word) bool {
	for _, part := range word.Parts {
		switch part.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp:
			return true
		}
	}
	return false
}

// pieces makes words of one that is split.
type pieces struct {
	splitter
	s    *Shell
	made []*syntax.Word
	now  []syntax.WordPart
}

func (p *pieces) words(word *syntax.Word) []*syntax.Word {
	p.begin = func() {
		if len(p.now) == 0 {
			p.now = []syntax.WordPart{&syntax.SglQuoted{}} // is a field, though empty
		}
		if p.s.flight.Grow(pieceMemory) == nil {
			p.made = append(p.made, &syntax.Word{Parts: p.now})
		}
		p.now = nil
	}
	for i, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if i > 0 {
				p.add(&syntax.SglQuoted{}, part) // a ~ in it is none that begins a word
			} else {
				p.add(part, &syntax.SglQuoted{}) // nor is it the whole word
			}
		case *syntax.DblQuoted:
			for j, text := range p.s.expandedFields(part) {
				if j > 0 {
					p.end()
				}
				p.add(&syntax.SglQuoted{Value: text})
			}
		case *syntax.ParamExp:
			if list := listed(part); list != nil {
				for j, text := range p.s.expandedFields(&syntax.DblQuoted{Parts: []syntax.WordPart{list}}) {
					if j > 0 { // as if the first character of IFS stood between, as in bash
						p.split(p.first(), p.piece)
					}
					p.split(text, p.piece)
				}
				continue
			}
			p.split(p.s.expandedText(part), p.piece)
		case *syntax.CmdSubst, *syntax.ArithmExp:
			p.split(p.s.expandedText(part), p.piece)
		case *syntax.ProcSubst:
			p.add(&syntax.SglQuoted{Value: p.s.expandedText(part)})
		default:
			p.add(part)
		}
	}
	if p.begun {
		p.begin()
	}
	return p.made
}

// add puts parts that are not split to the current field.
func (p *pieces) add(parts ...syntax.WordPart) {
	p.now = append(p.now, parts...)
	p.more()
}

var inPattern = strings.NewReplacer(`\`, `\\`, "{", `\{`, "}", `\}`, ",", `\,`)

// piece puts a piece of what an expansion gave: it may be a pattern of files' names, and is nothing else.
func (p *pieces) piece(text string) {
	if p.s.flight.Grow(pieceMemory+len(text)) != nil {
		return // the container is being killed
	}
	if strings.ContainsAny(text, "*?[") {
		p.now = append(p.now, &syntax.SglQuoted{}, &syntax.Lit{Value: inPattern.Replace(text)})
	} else {
		p.now = append(p.now, &syntax.SglQuoted{Value: text})
	}
}

// listed is $*, $@, ${name[*]} or ${name[@]} in the form whose elements are fields in quotes; nil if pe is none.
func listed(pe *syntax.ParamExp) *syntax.ParamExp {
	if pe.Param == nil || pe.Excl || pe.Length || pe.Repl != nil || pe.Exp != nil {
		return nil
	}
	made := *pe
	if word, ok := pe.Index.(*syntax.Word); ok && (word.Lit() == "*" || word.Lit() == "@") {
		made.Index = &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: "@"}}}
		return &made
	}
	if name := pe.Param.Value; name == "*" || name == "@" {
		made.Param = &syntax.Lit{Value: "@"}
		return &made
	}
	return nil
}

// expandedFields is what a part in quotes gives: a field, or those of "$@". What it takes stays drawn.
func (s *Shell) expandedFields(part syntax.WordPart) []string {
	fields, err := expanding(func() ([]string, error) {
		return expand.Fields(s.config, &syntax.Word{Parts: []syntax.WordPart{part}})
	})
	s.expansionFailed(err)
	_ = s.flight.Grow(sizeOfList(fields))
	return fields
}

func (s *Shell) expandedText(part syntax.WordPart) string {
	text, err := expanding(func() (string, error) {
		return expand.Literal(s.config, &syntax.Word{Parts: []syntax.WordPart{part}})
	})
	s.expansionFailed(err)
	_ = s.flight.Grow(len(text))
	return text
}
