package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
)

// The ids of the sections that define and that export globals.
const (
	globalSection = 6
	exportSection = 7
)

// globalPrefix and a number is what a global is exported as; web/image/state.ts has the same name.
const globalPrefix = "tabernetes.global."

// withGlobalsExported returns the module with its mutable globals among its exports. Go keeps its stack pointer
// and its goroutine there; whoever copies a program that rests copies them with its memory (ADR 52).
func withGlobalsExported(module []byte) ([]byte, error) {
	var mutable []int
	if _, err := withSection(module, globalSection, "global", func(body []byte) (_ []byte, err error) {
		mutable, err = mutableGlobals(body)
		return body, err
	}); err != nil {
		return nil, err
	}
	return withSection(module, exportSection, "export", func(body []byte) ([]byte, error) {
		count, n := binary.Uvarint(body)
		if n <= 0 {
			return nil, errors.New("export section: no count")
		}
		out := binary.AppendUvarint(nil, count+uint64(len(mutable)))
		out = append(out, body[n:]...)
		for _, index := range mutable {
			name := globalPrefix + strconv.Itoa(index)
			out = append(binary.AppendUvarint(out, uint64(len(name))), name...)
			out = append(out, 3) // a global
			out = binary.AppendUvarint(out, uint64(index))
		}
		return out, nil
	})
}

// mutableGlobals is which of a section's globals can change. Go's begin with a constant each.
func mutableGlobals(body []byte) (mutable []int, err error) {
	count, n := binary.Uvarint(body)
	if n <= 0 {
		return nil, errors.New("global section: no count")
	}
	rest := body[n:]
	for i := range int(count) {
		if len(rest) < 5 || rest[2] != 0x41 && rest[2] != 0x42 { // i32.const, i64.const
			return nil, fmt.Errorf("global %d is not of the expected form", i)
		}
		if rest[1] == 1 {
			mutable = append(mutable, i)
		}
		_, n := binary.Uvarint(rest[3:]) // its length is that of a signed number, too
		if n <= 0 || len(rest) <= 3+n || rest[3+n] != 0x0b {
			return nil, fmt.Errorf("global %d does not begin with a constant", i)
		}
		rest = rest[4+n:]
	}
	if len(rest) > 0 {
		return nil, errors.New("global section: more follows its globals")
	}
	return mutable, nil
}
