package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxJQDepth is how deep what is streamed may be, as encoding/json has it for values.
const maxJQDepth = 10_000

// jqStream reads JSON as jq --stream does: an array of the path and the value of each leaf, in the order of the text,
// and of the path alone where an array or an object ends.
type jqStream struct {
	path   []any // of what is read now: its last part is of the innermost array or object
	frames []jqFrame
}

// jqFrame is an array or an object that has begun.
type jqFrame struct {
	object bool
	keyed  bool // its next value has a key already
	n      int  // values so far
}

func (s *jqStream) next(d *json.Decoder) ([]any, error) {
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && len(s.frames) > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		if end, ok := token.(json.Delim); ok && (end == '}' || end == ']') {
			return s.end(), nil
		}
		if s.key(token) {
			continue
		}
		begin, ok := token.(json.Delim)
		if !ok {
			return []any{slices.Clone(s.path), token}, nil
		}
		if len(s.frames) >= maxJQDepth {
			return nil, jqParseError{fmt.Errorf("parse error: exceeds depth limit of %d", maxJQDepth)}
		}
		s.frames = append(s.frames, jqFrame{object: begin == '{'})
		s.path = append(s.path, nil)
	}
}

// key takes the name of an object's next value, or counts an array's; true says that the token was a name.
func (s *jqStream) key(token any) bool {
	if len(s.frames) == 0 {
		return false
	}
	top, last := &s.frames[len(s.frames)-1], len(s.path)-1
	switch {
	case top.object && !top.keyed:
		s.path[last], top.keyed = token, true
		return true
	case top.object:
		top.keyed = false
	default:
		s.path[last] = top.n
	}
	top.n++
	return false
}

// end is what is said of an array or an object that has ended.
func (s *jqStream) end() []any {
	top := s.frames[len(s.frames)-1]
	s.frames = s.frames[:len(s.frames)-1]
	whole := slices.Clone(s.path)
	s.path = s.path[:len(s.path)-1]
	switch {
	case top.n > 0:
		return []any{whole}
	case top.object:
		return []any{slices.Clone(s.path), map[string]any{}}
	}
	return []any{slices.Clone(s.path), []any{}}
}
