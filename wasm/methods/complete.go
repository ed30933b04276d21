package methods

import (
	"context"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/wasm/port"
)

type completeParams struct {
	Line    string `json:"line"`
	Cursor  int    `json:"cursor"`
	Session string `json:"session"`
}

type completion struct {
	From  int    `json:"from"`
	Words []word `json:"words"`
}

type word struct {
	Text string `json:"text"`
	Help string `json:"help,omitempty"`
}

// Complete serves `complete`: what may stand at the cursor. Positions are UTF-16 units.
func Complete(t *kubectl.Terminal) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p completeParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("complete: %w", err)
		}
		from, words := t.Session(p.Session).Complete(ctx, p.Line, byteOffset(p.Line, p.Cursor))
		result := completion{From: utf16Offset(p.Line, from), Words: []word{}}
		for _, w := range words {
			result.Words = append(result.Words, word(w))
		}
		return result, nil
	}
}

// byteOffset is the offset in bytes of an offset in UTF-16 units, at most len(s).
func byteOffset(s string, units int) int {
	for i, r := range s {
		if units <= 0 {
			return i
		}
		units -= utf16.RuneLen(r)
	}
	return len(s)
}

// utf16Offset is the offset in UTF-16 units of an offset in bytes.
func utf16Offset(s string, bytes int) int {
	units := 0
	for _, r := range s[:min(bytes, len(s))] {
		if r == utf8.RuneError {
			units++
			continue
		}
		units += utf16.RuneLen(r)
	}
	return units
}
