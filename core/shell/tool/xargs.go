package tool

import (
	"io"
	"strings"

	"github.com/spf13/pflag"
)

func init() { tools["xargs"] = xargs }

func xargs(t *T) int {
	var max int
	var replace string
	var zero, noEmpty, trace bool
	var delim string
	f := func(f *pflag.FlagSet) {
		f.SetInterspersed(false)
		f.IntVarP(&max, "max-args", "n", 0, "")
		f.StringVarP(&replace, "replace", "I", "", "")
		f.BoolVarP(&zero, "null", "0", false, "")
		f.BoolVarP(&noEmpty, "no-run-if-empty", "r", false, "")
		f.BoolVarP(&trace, "verbose", "t", false, "")
		f.StringVarP(&delim, "delimiter", "d", "", "")
		f.IntP("max-procs", "P", 1, "")
		f.IntP("max-lines", "L", 0, "")
	}
	command, code, ok := t.flags("[-rt0] [-n N] [-I STR] [PROG ARGS]", f)
	if !ok {
		return code
	}
	if len(command) == 0 {
		command = []string{"echo"}
	}
	data, err := io.ReadAll(t.in)
	if t.failed("read error", err) {
		return 1
	}
	var items []string
	switch text := string(data); {
	case zero:
		items = split(text, "\x00")
	case delim != "":
		items = split(text, strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\0`, "\x00").Replace(delim))
	case replace != "":
		items = split(text, "\n")
	default:
		if items, ok = words(text); !ok {
			t.fail("unmatched quote")
			return 1
		}
	}
	status := 0
	run := func(args []string) bool {
		if trace {
			_, _ = io.WriteString(t.stderr(), strings.Join(args, " ")+"\n")
		}
		switch code := t.execWith(t.ctx, strings.NewReader(""), t.Stdout, args); {
		case code == 127 || code == 126:
			status = code
			return false
		case code == 255:
			t.fail("%s: exited with status 255; aborting", args[0])
			status = 124
			return false
		case code != 0:
			status = 123
		}
		return t.ctx.Err() == nil
	}
	if replace != "" {
		for _, item := range items {
			args := make([]string, len(command))
			for i, arg := range command {
				args[i] = strings.ReplaceAll(arg, replace, strings.TrimLeft(item, " \t"))
			}
			if !run(args) {
				break
			}
		}
		return status
	}
	if len(items) == 0 && !noEmpty {
		run(command)
		return status
	}
	for len(items) > 0 {
		n := len(items)
		if max > 0 {
			n = min(max, n)
		}
		if !run(append(append([]string{}, command...), items[:n]...)) {
			break
		}
		items = items[n:]
	}
	return status
}

// split cuts text at each end mark; what follows the last one counts if it is not empty.
func split(text, end string) []string {
	parts := strings.Split(text, end)
	var out []string
	for i, part := range parts {
		if part != "" || i < len(parts)-1 && end == "\x00" {
			out = append(out, part)
		}
	}
	return out
}

// words splits as xargs does: at white space, with quotes and backslashes.
func words(text string) (out []string, ok bool) {
	var word strings.Builder
	inside, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				word.WriteByte(c)
			}
		case c == '\'' || c == '"':
			quote, inside = c, true
		case c == '\\' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
			inside = true
		case c == ' ' || c == '\t' || c == '\n':
			if inside {
				out = append(out, word.String())
			}
			word.Reset()
			inside = false
		default:
			word.WriteByte(c)
			inside = true
		}
	}
	if inside {
		out = append(out, word.String())
	}
	return out, quote == 0
}
