package interp

import (
	"strconv"
	"strings"
)

// getopts is getopts optstring name [argument…].
func getopts(s *Shell, args []string) int {
	if len(args) < 3 {
		s.errorf("getopts: usage: getopts optstring var [arg...]")
		return 2
	}
	spec, name := args[1], args[2]
	params := s.params
	if len(args) > 3 {
		params = args[3:]
	}
	index, err := strconv.Atoi(s.lookup("OPTIND").String())
	if err != nil || index < 1 {
		index = 1
	}
	if index == 1 && s.optIndex != 1 {
		s.optOffset = 0
	}
	done := func() int {
		s.setVar(name, "?")
		s.setVar("OPTIND", strconv.Itoa(index))
		s.optIndex, s.optOffset = index, 0
		return 1
	}
	if index > len(params) {
		return done()
	}
	word := params[index-1]
	if s.optOffset == 0 {
		if len(word) < 2 || word[0] != '-' {
			return done()
		}
		if word == "--" {
			index++
			return done()
		}
		s.optOffset = 1
	}
	letter := word[s.optOffset]
	s.optOffset++
	rest := word[s.optOffset:]
	if rest == "" {
		index++
		s.optOffset = 0
	}
	silent := strings.HasPrefix(spec, ":")
	value, arg, hasArg := string(letter), "", false
	at := strings.IndexByte(spec, letter)
	switch {
	case letter == ':' || at < 0:
		if value = "?"; silent {
			arg, hasArg = string(letter), true
		} else {
			fprintf(s.stderr(), "Illegal option -%c\n", letter)
		}
	case strings.HasPrefix(spec[at+1:], ":"):
		switch {
		case rest != "":
			arg, hasArg = rest, true
			index++
		case index <= len(params):
			arg, hasArg = params[index-1], true
			index++
		case silent:
			value, arg, hasArg = ":", string(letter), true
		default:
			value = "?"
			fprintf(s.stderr(), "No arg for -%c option\n", letter)
		}
		s.optOffset = 0
	}
	if hasArg {
		s.setVar("OPTARG", arg)
	} else {
		unset(s, []string{"unset", "OPTARG"})
	}
	s.setVar(name, value)
	s.setVar("OPTIND", strconv.Itoa(index))
	s.optIndex = index
	return 0
}
