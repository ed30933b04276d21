package jq

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/tabernetes/tabernetes/core/shell/regex"
)

const (
	// maxRegexp is what a compiled expression may take, in bytes, and keptRegexps what those take that are kept. gojq's own
	// function keeps each that there ever was.
	maxRegexp   = 8 << 20
	keptRegexps = 2 << 20
	// matchSize is what a match takes, and each of its groups: an object with four or five keys.
	matchSize = 512
	// tellEvery is after how many bytes of matches their memory is drawn.
	tellEvery = 1 << 20
)

// match is gojq's _match, which test, match, capture, scan, split, sub and gsub stand on, with expressions that leave
// the thread to others and matches that are counted as they are made. What is an error is gojq's to say.
func (r *run) match(f native) native {
	return func(v any, args []any) any {
		text, ok1 := v.(string)
		pattern, ok2 := args[0].(string)
		flags, ok3 := args[1].(string)
		if !ok1 || !ok2 || !ok3 && args[1] != nil || strings.Trim(flags, "gim") != "" {
			return f(v, args)
		}
		re, err := r.compile(pattern, flags)
		switch {
		case errors.Is(err, regex.ErrSize) || errors.Is(err, ErrMemory):
			return ErrMemory
		case err != nil:
			return f(v, args)
		case args[2] == true:
			return re.Match(r.ctx, text)
		}
		return r.matches(re, text, strings.Contains(flags, "g"))
	}
}

func (r *run) compile(pattern, flags string) (*regex.Regexp, error) {
	key := [2]string{pattern, flags}
	if re, ok := r.regexps[key]; ok {
		return re, nil
	}
	if strings.Contains(flags, "i") {
		pattern = "(?i)" + pattern
	}
	if strings.Contains(flags, "m") {
		pattern = "(?s)" + pattern
	}
	re, err := regex.Compile(pattern)
	if err != nil {
		return nil, err
	}
	size := re.Memory(true) + len(pattern)
	if size > maxRegexp {
		return nil, ErrMemory
	}
	if r.regexps == nil || r.patterns+size > keptRegexps {
		r.regexps, r.patterns = map[[2]string]*regex.Regexp{}, 0
	}
	r.regexps[key] = re
	r.patterns += size
	return re, r.hold(r.live + r.budget + r.patterns)
}

// matches are objects, as jq's manual has them; offsets count characters.
func (r *run) matches(re *regex.Regexp, text string, all bool) any {
	limit := 1
	if all {
		limit = -1
	}
	found, names, made, told := []any{}, re.GroupNames(), 0, 0
	at, before := 0, 0 // where the last match began, in bytes and in characters
	for match := range re.AllGroups(r.ctx, text, limit) {
		made += matchSize * len(match) / 2
		held := r.live + r.budget + r.patterns + made
		if held > MaxHeld {
			return ErrMemory
		}
		if made-told > tellEvery {
			if told = made; r.hold(held) != nil {
				return ErrMemory
			}
		}
		before += utf8.RuneCountInString(text[at:match[0]])
		at = match[0]
		captures := make([]any, 0, len(match)/2-1)
		for i := 1; i < len(match)/2; i++ {
			captures = append(captures, group(text, names[i], match[2*i], match[2*i+1], at, before))
		}
		one := span(text, match[0], match[1], at, before)
		one["captures"] = captures
		found = append(found, one)
	}
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.spent += made
	return found
}

// span is what was matched between two bytes; at and before are a place in front of it, in bytes and in characters.
func span(text string, from, to, at, before int) map[string]any {
	return map[string]any{
		"offset": before + utf8.RuneCountInString(text[min(at, from):from]),
		"length": utf8.RuneCountInString(text[from:to]),
		"string": text[from:to],
	}
}

func group(text, name string, from, to, at, before int) map[string]any {
	one := map[string]any{"offset": -1, "length": 0, "string": nil}
	if from >= 0 {
		one = span(text, from, to, at, before)
	}
	one["name"] = nil
	if name != "" {
		one["name"] = name
	}
	return one
}
