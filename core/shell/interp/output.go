package interp

import "strings"

func echo(s *Shell, args []string) int {
	args = args[1:]
	newline, escapes := "\n", false
options:
	for ; len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-'; args = args[1:] {
		n, e := newline, escapes
		for _, letter := range args[0][1:] {
			switch letter {
			case 'n':
				n = ""
			case 'e':
				e = true
			case 'E':
				e = false
			default:
				break options
			}
		}
		newline, escapes = n, e
	}
	defer s.while(copies * sizeOfList(args))()
	text := strings.Join(args, " ")
	if escapes {
		text, newline = unescape(text, newline)
	}
	s.status = 0
	s.print(text + newline)
	return s.status
}

// unescape replaces the escapes of echo -e; \c ends the output.
func unescape(text, newline string) (string, string) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		if j := strings.IndexByte(`abefnrtv\`, text[i]); j >= 0 {
			b.WriteByte("\a\b\x1b\f\n\r\t\v\\"[j])
			continue
		}
		switch text[i] {
		case 'c':
			return b.String(), ""
		case '0', 'x':
			base, limit := byte(8), 3
			if text[i] == 'x' {
				base, limit = 16, 2
			}
			value, n := 0, 0
			for ; n < limit && i+1 < len(text); n++ {
				d := digit(text[i+1])
				if d >= base {
					break
				}
				value = value*int(base) + int(d)
				i++
			}
			b.WriteByte(byte(value))
		default:
			b.WriteByte('\\')
			b.WriteByte(text[i])
		}
	}
	return b.String(), newline
}

func digit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

func printf(s *Shell, args []string) int {
	args = args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		s.errorf("printf: usage: printf FORMAT [ARG]...")
		return 2
	}
	format, args := args[0], args[1:]
	s.status = 0
	defer s.while(formatMemory(format, args))()
	for !s.leaving() && s.ctx.Err() == nil {
		text, used, err := s.format(format, args)
		s.print(text)
		if err != nil {
			s.errorf("printf: %v", err)
			return 1
		}
		args = args[used:]
		if used == 0 || len(args) == 0 {
			break
		}
	}
	return s.status
}
