package awk

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxWidth is what package fmt takes.
const maxWidth = 1e6

// maxSpec is how long a conversion may be, before its letter: longer than any that means something.
const maxSpec = 128

// width is the largest number in a conversion: its width or its precision.
func width(spec string) int {
	most, n := 0, 0
	for _, c := range spec {
		if c < '0' || c > '9' {
			n = 0
			continue
		}
		n = min(10*n+int(c-'0'), maxWidth+1)
		most = max(most, n)
	}
	return most
}

// sprintf formats as printf(3) does; conv is how a number becomes a string.
func sprintf(format string, args []value, conv string) string {
	var b strings.Builder
	next := func() value {
		if len(args) == 0 {
			return uninitialised
		}
		v := args[0]
		args = args[1:]
		return v
	}
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		spec := "%"
		for i++; i < len(format) && strings.IndexByte("-+ #0123456789.*lh", format[i]) >= 0; i++ {
			switch format[i] {
			case '*':
				spec += fmt.Sprint(int(next().number()))
			case 'l', 'h':
			default:
				spec += string(format[i])
			}
			if len(spec) > maxSpec {
				panic(runError("format: a conversion of too many characters"))
			}
		}
		if i == len(format) {
			b.WriteString(spec)
			break
		}
		fits(b.Len())
		if width(spec) > maxWidth {
			panic(runError("format: a field of more than a million characters"))
		}
		switch c := format[i]; c {
		case '%':
			b.WriteByte('%')
		case 'd', 'i':
			fmt.Fprintf(&b, spec+"d", int64(next().number()))
		case 'o', 'x', 'X', 'u':
			if c == 'u' {
				c = 'd'
			}
			fmt.Fprintf(&b, spec+string(c), int64(next().number()))
		case 'e', 'E', 'f', 'F', 'g', 'G':
			fmt.Fprintf(&b, spec+string(c), next().number())
		case 'c':
			v := next()
			if v.isNum && !v.isStr {
				fmt.Fprintf(&b, spec+"c", rune(v.n))
			} else if r, size := utf8.DecodeRuneInString(v.s); size > 0 {
				fmt.Fprintf(&b, spec+"c", r)
			}
		case 's':
			v := next()
			if v.isNum && !v.isStr && format == conv {
				conv = "%.6g" // a format that converts by itself would not end
			}
			fmt.Fprintf(&b, spec+"s", v.text(conv))
		default:
			b.WriteString(spec + string(c))
		}
	}
	fits(b.Len())
	return b.String()
}
