package tool

import (
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/shell/awk"
	"github.com/tabernetes/tabernetes/core/shell/regex"
)

func init() { tools["awk"] = awkTool }

func awkTool(t *T) int {
	const usage = "[-F SEP] [-v NAME=VALUE]... {PROGRAM | -f FILE} [FILE]..."
	var separator string
	var vars, files []string
	args, code, ok := t.flags(usage, func(f *pflag.FlagSet) {
		f.SetInterspersed(false)
		f.StringVarP(&separator, "field-separator", "F", "", "")
		f.StringArrayVarP(&vars, "assign", "v", nil, "")
		f.StringArrayVarP(&files, "file", "f", nil, "")
	})
	if !ok {
		return code
	}
	var src string
	for _, file := range files {
		data, err := t.readFile(file)
		if t.failed("can't open '"+file+"'", err) {
			return 2
		}
		src += string(data) + "\n"
	}
	if len(files) == 0 {
		if len(args) == 0 {
			return t.usage(usage)
		}
		src, args = args[0], args[1:]
	}
	if t.failed("program", t.hold(len(src)*sourceMemory)) {
		return 2
	}
	prog, err := awk.Parse(src, func(expr string) (*regex.Regexp, error) { return t.compile(expr, true, false, false) })
	if err != nil {
		t.fail("%v", err)
		return 2
	}
	config := awk.Config{
		Context: t.ctx, Args: args, Env: map[string]string{}, Vars: map[string]string{},
		Hold: func(bytes int) error { return t.drawn.Set(int64(t.holds() + bytes)) },
		Open: t.open, Output: t.out,
		Compile: func(expr string) (*regex.Regexp, error) { return regex.Compile(regex.FromExtended(expr)) }, // the run holds it
		Create: func(name string, appending bool) (io.WriteCloser, error) {
			mode := os.O_TRUNC
			if appending {
				mode = os.O_APPEND
			}
			return t.OpenFile(name, os.O_WRONLY|os.O_CREATE|mode, 0o644)
		},
	}
	for _, kv := range t.Env {
		name, value, _ := strings.Cut(kv, "=")
		config.Env[name] = value
	}
	for _, kv := range vars {
		name, value, _ := strings.Cut(kv, "=")
		config.Vars[name] = awk.Unescape(value)
	}
	if separator == "t" {
		separator = `\t` // POSIX has it so
	}
	if separator != "" {
		config.Vars["FS"] = awk.Unescape(separator)
	}
	code, err = prog.Run(config)
	if err != nil && t.ctx.Err() == nil {
		t.fail("%v", err)
	}
	return code
}
