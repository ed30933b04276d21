package interp

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
)

// The options of shopt that are here: those that package expand has, and what match does.
const (
	shoptDotGlob = iota
	shoptExpandAliases
	shoptExtGlob
	shoptGlobStar
	shoptNoCaseGlob
	shoptNoCaseMatch
	shoptNullGlob
)

var shoptNames = [...]string{
	shoptDotGlob:       "dotglob",
	shoptExpandAliases: "expand_aliases",
	shoptExtGlob:       "extglob",
	shoptGlobStar:      "globstar",
	shoptNoCaseGlob:    "nocaseglob",
	shoptNoCaseMatch:   "nocasematch",
	shoptNullGlob:      "nullglob",
}

type shoptOptions [len(shoptNames)]bool

// apply has package expand do what is asked for.
func (o shoptOptions) apply(config *expand.Config) {
	config.DotGlob, config.ExtGlob, config.GlobStar = o[shoptDotGlob], o[shoptExtGlob], o[shoptGlobStar]
	config.NoCaseGlob, config.NullGlob = o[shoptNoCaseGlob], o[shoptNullGlob]
}

// shopt is shopt [-pqsu] [-o] [name…]. Of an option that is not here it says so, as a script that needs it
// would do something else without.
func shopt(s *Shell, args []string) int {
	letters := ""
	for args = args[1:]; len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-'; args = args[1:] {
		if args[0] == "--" {
			args = args[1:]
			break
		}
		for _, letter := range args[0][1:] {
			if !strings.ContainsRune("opqsu", letter) {
				s.errorf("shopt: illegal option -%c", letter)
				return 2
			}
			letters += string(letter)
		}
	}
	has := func(letter string) bool { return strings.Contains(letters, letter) }
	on, off := has("s"), has("u")
	if on && off {
		s.errorf("shopt: -s and -u are not for one call")
		return 1
	}
	names, get, set := s.shoptTable(has("o"))
	given := args
	if len(args) == 0 {
		given = names
	}
	status := 0
	for _, name := range given {
		at := slices.Index(names, name)
		switch {
		case at < 0 || name == "":
			s.errorf("shopt: %s: not here", name)
			status = 1
		case (on || off) && len(args) > 0:
			set(at, on)
		case len(args) == 0 && (on || off) && get(at) != on:
		default:
			if len(args) > 0 && !get(at) {
				status = 1
			}
			if !has("q") {
				s.printShopt(name, get(at), has("p"), has("o"))
			}
		}
	}
	return status
}

// shoptTable is what shopt knows: its own options, or those of set.
func (s *Shell) shoptTable(ofSet bool) (names []string, get func(int) bool, set func(int, bool)) {
	if !ofSet {
		return shoptNames[:], func(i int) bool { return s.shopts[i] }, func(i int, on bool) {
			s.shopts[i] = on
			s.configure()
		}
	}
	for _, opt := range optionTable {
		names = append(names, opt.name)
	}
	return names, func(i int) bool { return s.opts[i] }, func(i int, on bool) { s.SetOption(names[i], on) }
}

func (s *Shell) printShopt(name string, on, readable, ofSet bool) {
	switch {
	case !readable:
		s.printf("%-15s\t%s\n", name, map[bool]string{true: "on", false: "off"}[on])
	case ofSet:
		s.printf("set %so %s\n", map[bool]string{true: "-", false: "+"}[on], name)
	default:
		s.printf("shopt %s %s\n", map[bool]string{true: "-s", false: "-u"}[on], name)
	}
}
