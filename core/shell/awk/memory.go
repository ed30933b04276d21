package awk

import (
	"fmt"
	"iter"
	"strings"
)

// A program shares the memory of whatever runs it.
const (
	maxText    = 16 << 20 // bytes, of one string
	maxKept    = 32 << 20 // bytes, of all variables
	maxSplit   = 1 << 20  // the parts of one string
	maxFiles   = 256      // that are open for reading, and as many for writing
	maxPattern = 64 << 10 // bytes, of a regular expression made while running
	perElement = 64       // bytes, beside its key and its value
	perField   = 16       // bytes, beside its text, which is the record's
	holdStep   = 64 << 10 // bytes: what is held beside variables is told in such steps
)

// What is held beside variables.
const (
	ofValues   = iota // of expressions that are being evaluated, and of the calls around them
	ofRecord          // and its fields
	ofReading         // of the next record
	ofRests           // of what files had to be read ahead
	ofPatterns        // of regular expressions that were made while running
	kinds
)

const errMemory = runError("out of memory (a program keeps 32 MiB at most, 16 of them in one string)")

// array is an associative array, with the bytes that it keeps.
type array struct {
	elems map[string]value
	kept  int
}

func newArray() *array { return &array{elems: map[string]value{}} }

// keep counts n more bytes that variables hold, or fewer if n is negative.
func (m *machine) keep(n int) {
	m.kept += n
	if m.kept > maxKept {
		panic(errMemory)
	}
	if m.Hold == nil {
		return
	}
	held := m.kept
	for _, beside := range m.beside {
		held += beside
	}
	if m.Hold(held) != nil {
		panic(errMemory)
	}
}

// hold says that there are n bytes of a kind. Less than a step is too little to be told.
func (m *machine) hold(kind, n int) {
	if n = n / holdStep * holdStep; n != m.beside[kind] {
		m.beside[kind] = n
		m.keep(0)
	}
}

// fly sets how many bytes the values of unfinished expressions have. A string may stand in several
// of them, or in a variable besides, and is counted each time: it is there as long as one of them.
func (m *machine) fly(n int) {
	if m.flying = n; n > maxKept {
		panic(errMemory)
	}
	m.hold(ofValues, n)
}

// holdRecord counts the record and its fields anew.
func (m *machine) holdRecord() {
	m.hold(ofRecord, len(m.record)+len(m.fields)*perField+m.set)
}

// put sets an element.
func (m *machine) put(a *array, key string, v value) {
	old, ok := a.elems[key]
	n := len(v.s) - len(old.s)
	if !ok {
		n += len(key) + perElement
	}
	m.keep(n)
	a.kept += n
	a.elems[key] = v
}

// drop deletes an element.
func (m *machine) drop(a *array, key string) {
	if old, ok := a.elems[key]; ok {
		n := len(key) + len(old.s) + perElement
		m.kept -= n
		a.kept -= n
		delete(a.elems, key)
	}
}

// empty deletes all elements.
func (m *machine) empty(a *array) {
	m.kept -= a.kept
	a.kept = 0
	a.elems = map[string]value{}
}

// fits ends the program if a string of n bytes is too long.
func fits(n int) {
	if n > maxText {
		panic(errMemory)
	}
}

// growing is a string that is made piece by piece, and counted before it grows.
type growing struct {
	m       *machine
	text    strings.Builder
	mark    int // of what was flying before
	counted int
}

func (m *machine) growing() *growing { return &growing{m: m, mark: m.flying} }

func (g *growing) write(piece string) {
	n := g.text.Len() + len(piece)
	fits(n)
	if n > g.counted {
		g.counted = 2 * n
		g.m.fly(g.mark + g.counted)
	}
	g.text.WriteString(piece)
}

// join is strings.Join of what fits.
func join(parts []string, by string) string {
	n := 0
	for _, part := range parts {
		n += len(part) + len(by)
		fits(n)
	}
	return strings.Join(parts, by)
}

// collect gathers the parts of a string.
func collect(parts iter.Seq[string]) []string {
	var all []string
	for part := range parts {
		if all = append(all, part); len(all) > maxSplit {
			panic(runError(fmt.Sprintf("a record of more than %d fields", maxSplit)))
		}
	}
	return all
}
