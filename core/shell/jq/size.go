package jq

import (
	"encoding/json"
	"math/big"
)

// What one argument of a function may have, wherever it is reached, however often: functions walk through
// values, and one that holds the same list twice, ten levels deep, has it a thousand times.
const (
	maxCells  = 1 << 19
	maxBytes  = 8 << 20
	maxDepth  = 10000   // as jq's own; functions recurse
	maxDigits = 4096    // of a number as text
	maxBits   = 1 << 14 // of a whole number
)

// size is what a function walks through.
type size struct{ cells, bytes int }

// of adds a value; false if that is too much.
func (s *size) of(v any, depth int) bool {
	if s.cells++; s.cells > maxCells || s.bytes > maxBytes || depth > maxDepth {
		return false
	}
	switch v := v.(type) {
	case string:
		s.bytes += len(v)
	case json.Number:
		return len(v) <= maxDigits
	case *big.Int:
		return v.BitLen() <= maxBits
	case []any:
		for _, one := range v {
			if !s.of(one, depth+1) {
				return false
			}
		}
	case map[string]any:
		for key, one := range v {
			s.bytes += len(key)
			if !s.of(one, depth+1) {
				return false
			}
		}
	}
	return s.bytes <= maxBytes
}

// cost is about what a copy of it takes.
func (s *size) cost() int { return s.cells*48 + s.bytes }

// shallow is what a value takes without what is in it.
func shallow(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []any:
		return 16 * cap(v)
	case map[string]any:
		return entrySize * len(v)
	case *big.Int:
		return v.BitLen() / 8
	}
	return 0
}

// number says that v is no number of too many digits.
func number(v any) bool {
	switch v := v.(type) {
	case json.Number:
		return len(v) <= maxDigits
	case *big.Int:
		return v.BitLen() <= maxBits
	}
	return true
}
