package interp

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/tabernetes/tabernetes/core/program"
)

// An indexed array has holes: its List holds what there is, and Indexes where each stands, sorted;
// nil says 0, 1, 2 and so on. So a[999999999]=x is one string.

// indexMemory is what the index of an element takes.
const indexMemory = 8

var errSubscript = errors.New("bad array subscript")

// indexed is v as an array: a string is its first element.
func indexed(v expand.Variable) expand.Variable {
	if v.Kind != expand.Indexed {
		v.List, v.Indexes = nil, nil
		if v.Kind == expand.String && v.Set {
			v.List = []string{v.Str}
		}
	}
	v.Kind, v.Str, v.Map = expand.Indexed, "", nil
	return v
}

// place is where the element at index stands in v.List, or would.
func place(v expand.Variable, index int) (at int, ok bool) {
	if v.Indexes != nil {
		return slices.BinarySearch(v.Indexes, index)
	}
	if index >= 0 && index < len(v.List) {
		return index, true
	}
	return len(v.List), false
}

// indexAt is the index of what stands at a place of v.List.
func indexAt(v expand.Variable, at int) int {
	if v.Indexes != nil {
		return v.Indexes[at]
	}
	return at
}

// after is the index behind the last; negative if there is none.
func after(v expand.Variable) int {
	if len(v.List) == 0 {
		return 0
	}
	return indexAt(v, len(v.List)-1) + 1
}

// subscript is an index of v as a script names it: a negative one counts from the end.
func (s *Shell) subscript(v expand.Variable, index int) (int, bool) {
	from := index
	if index < 0 {
		index += after(v)
	}
	if index < 0 {
		s.fail(1, "%d: %v", from, errSubscript)
		return 0, false
	}
	return index, true
}

// put sets an element of an array that no other variable has; false if there is no memory for it.
func (s *Shell) put(v *expand.Variable, index int, value string) bool {
	at, ok := place(*v, index)
	switch {
	case ok:
		v.List[at] = value
	case v.Indexes == nil && index == len(v.List):
		v.List = append(v.List, value)
	default:
		if !s.number(v) {
			return false
		}
		v.List, v.Indexes = slices.Insert(v.List, at, value), slices.Insert(v.Indexes, at, index)
		dense(v)
	}
	return true
}

// take removes an element of an array that no other variable has; false if there is no memory for it.
func (s *Shell) take(v *expand.Variable, index int) bool {
	at, ok := place(*v, index)
	if !ok {
		return true
	}
	if at < len(v.List)-1 && !s.number(v) {
		return false
	}
	v.List = slices.Delete(v.List, at, at+1)
	if v.Indexes != nil {
		v.Indexes = slices.Delete(v.Indexes, at, at+1)
		dense(v)
	}
	return true
}

// number gives an array indexes, as it is to have a hole.
func (s *Shell) number(v *expand.Variable) bool {
	if v.Indexes != nil {
		return true
	}
	if s.flight.Grow(copies*indexMemory*len(v.List)) != nil {
		return false
	}
	v.Indexes = make([]int, len(v.List), len(v.List)+1)
	for i := range v.Indexes {
		v.Indexes[i] = i
	}
	return true
}

// dense forgets the indexes of an array that has no holes any more.
func dense(v *expand.Variable) {
	if n := len(v.Indexes); n == 0 || v.Indexes[0] == 0 && v.Indexes[n-1] == n-1 {
		v.Indexes = nil
	}
}

// own is v with an array or a map of its own, after that has been drawn for as long as the command lasts.
func (s *Shell) own(v expand.Variable) (expand.Variable, bool) {
	size := (len(v.List) + 2*len(v.Map)) * (copies*program.StringMemory + indexMemory)
	if s.flight.Grow(size) != nil {
		return v, false // the container is being killed
	}
	v.List, v.Indexes, v.Map = slices.Clone(v.List), slices.Clone(v.Indexes), maps.Clone(v.Map)
	return v, true
}

// element is v with its element at index set, or added to.
func (s *Shell) element(v expand.Variable, index syntax.ArithmExpr, value string, add bool) (expand.Variable, bool) {
	if s.flight.Grow(2*program.StringMemory+len(value)) != nil {
		return v, false // the container is being killed
	}
	v.Set = true
	if v.Kind == expand.Associative {
		key := s.key(index)
		if v.Map == nil {
			v.Map = map[string]string{}
		}
		if add {
			value = s.joined(v.Map[key], value)
		}
		v.Map[key] = value
		return v, true
	}
	i, ok := 0, true
	if v = indexed(v); index != nil {
		i, ok = s.subscript(v, s.arithmetic(index))
	}
	if !ok || s.leaving() {
		return v, false
	}
	if at, ok := place(v, i); ok && add {
		value = s.joined(v.List[at], value)
	}
	return v, s.put(&v, i, value)
}

// key is the subscript of an associative array.
func (s *Shell) key(index syntax.ArithmExpr) string {
	if word, ok := index.(*syntax.Word); ok {
		return s.literal(word)
	}
	return "0"
}

// arrayValue is what name=(…) or name+=(…) gives a variable that was prev.
func (s *Shell) arrayValue(prev expand.Variable, as *syntax.Assign) expand.Variable {
	elems := as.Array.Elems
	if prev.Kind == expand.Associative || len(elems) > 0 && quotedIndex(elems[0].Index) {
		return s.mapValue(prev, as)
	}
	v := indexed(expand.Variable{})
	if as.Append {
		v = indexed(prev)
	}
	ok := true
	if slices.ContainsFunc(elems, func(elem *syntax.ArrayElem) bool { return elem.Index != nil }) {
		v, ok = s.own(v) // what is put within it may be looked at by an element behind
	}
	next := after(v)
	for _, elem := range elems {
		if !ok || s.leaving() || s.ctx.Err() != nil { // yields: an element may be set among very many
			break
		}
		var values []string
		if elem.Index == nil {
			values = s.fields(elem.Value)
		} else if next, ok = s.subscript(v, s.arithmetic(elem.Index)); ok {
			values = []string{s.literal(elem.Value)}
		}
		ok = ok && s.flight.Grow(sizeOfList(values)+len(values)*(program.StringMemory+indexMemory)) == nil
		for _, value := range values {
			if !ok || next < 0 || next == math.MaxInt { // behind the last index that there is
				break
			}
			ok = s.put(&v, next, value)
			next++
		}
	}
	prev.Kind, prev.Str, prev.List, prev.Indexes = expand.Indexed, "", v.List, v.Indexes
	if prev.List == nil {
		prev.List = []string{}
	}
	return prev
}

// mapValue is arrayValue of an associative array: ([key]=value …).
func (s *Shell) mapValue(prev expand.Variable, as *syntax.Assign) expand.Variable {
	m := map[string]string{}
	if as.Append {
		if v, ok := s.own(prev); ok && v.Map != nil {
			m = v.Map
		}
	}
	for _, elem := range as.Array.Elems {
		if s.leaving() || s.ctx.Err() != nil {
			break
		}
		if word, ok := elem.Index.(*syntax.Word); ok {
			key, value := s.literal(word), s.literal(elem.Value)
			if s.flight.Grow(2*program.StringMemory+len(key)+len(value)) != nil {
				break
			}
			m[key] = value
		}
	}
	prev.Kind, prev.Map = expand.Associative, m
	return prev
}

// quotedIndex tells ["key"] from [0].
func quotedIndex(index syntax.ArithmExpr) bool {
	word, ok := index.(*syntax.Word)
	if !ok || len(word.Parts) != 1 {
		return false
	}
	switch word.Parts[0].(type) {
	case *syntax.DblQuoted, *syntax.SglQuoted:
		return true
	}
	return false
}

// eachElement calls f with each element of an array as declare prints it: its subscript, and its value.
func (s *Shell) eachElement(v expand.Variable, f func(subscript, value string)) {
	if v.Kind == expand.Associative {
		for _, key := range slices.Sorted(maps.Keys(v.Map)) {
			if s.ctx.Err() != nil {
				return
			}
			subscript := key
			if quote(key) != key {
				subscript = s.doubleQuoted(key)
			}
			f(subscript, v.Map[key])
		}
		return
	}
	for at, value := range v.List {
		if s.ctx.Err() != nil {
			return
		}
		f(strconv.Itoa(indexAt(v, at)), value)
	}
}
