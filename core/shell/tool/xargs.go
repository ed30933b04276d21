package tool

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

func init() { tools["xargs"] = xargs }

// maxCommand is how long a command that xargs puts together may be, in bytes, as busybox has it
// (32 KiB less the room for the environment).
const maxCommand = 32<<10 - 2048

func xargs(t *T) int {
	x := &xargsRun{t: t}
	var maxArgs, maxLines, maxChars int
	var replace, delim string
	var zero, noEmpty bool
	command, code, ok := t.flags("[-rt0] [-n N] [-L N] [-s N] [-I STR] [PROG ARGS]", func(f *pflag.FlagSet) {
		f.SetInterspersed(false)
		f.IntVarP(&maxArgs, "max-args", "n", 0, "")
		f.StringVarP(&replace, "replace", "I", "", "")
		f.BoolVarP(&zero, "null", "0", false, "")
		f.BoolVarP(&noEmpty, "no-run-if-empty", "r", false, "")
		f.BoolVarP(&x.trace, "verbose", "t", false, "")
		f.StringVarP(&delim, "delimiter", "d", "", "")
		f.IntP("max-procs", "P", 1, "")
		f.IntVarP(&maxLines, "max-lines", "L", 0, "")
		f.IntVarP(&maxChars, "max-chars", "s", maxCommand, "")
	})
	if !ok {
		return code
	}
	if len(command) == 0 {
		command = []string{"echo"}
	}
	items := &xargsItems{lines: t.lineReader(t.in), end: '\n', words: true}
	switch {
	case zero:
		items.end, items.words = 0, false
	case delim != "":
		items.end, items.words = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\0`, "\x00").Replace(delim)[0], false
	case replace != "":
		items.words = false
	}
	if replace != "" {
		return x.replacing(items, command, replace)
	}
	size := 0
	for _, arg := range command {
		size += len(arg) + 1
	}
	limit := batch{args: maxArgs, lines: maxLines, bytes: max(min(maxChars, maxCommand)-size, 0)}
	for first := true; ; first = false {
		args, err := items.batch(limit)
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			t.fail("%v", err)
			return max(x.status, 1)
		case len(args) == 0 && (!first || noEmpty):
			return x.status
		}
		if !x.run(append(command[:len(command):len(command)], args...)) || err != nil {
			return x.status
		}
	}
}

// xargsRun runs the commands and keeps what they come to.
type xargsRun struct {
	t      *T
	trace  bool
	status int
}

// replacing runs the command once for each line, with the line in place of mark.
func (x *xargsRun) replacing(items *xargsItems, command []string, mark string) int {
	for {
		item, _, err := items.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				x.t.fail("%v", err)
				return max(x.status, 1)
			}
			return x.status
		}
		held := x.t.Memory()
		args, err := replaceAll(held, command, mark, strings.TrimLeft(item, " \t"))
		if err != nil {
			return max(x.status, 1) // the container is being killed
		}
		goOn := x.run(args)
		held.Free()
		if !goOn {
			return x.status
		}
	}
}

// run runs one command; false if it is to be the last.
func (x *xargsRun) run(args []string) bool {
	if x.trace {
		errOut := bufio.NewWriter(x.t.stderr())
		for i, arg := range args {
			if i > 0 {
				_ = errOut.WriteByte(' ')
			}
			_, _ = errOut.WriteString(arg)
		}
		_ = errOut.WriteByte('\n')
		_ = errOut.Flush()
	}
	switch code := x.t.execWith(x.t.ctx, strings.NewReader(""), x.t.Stdout, args); {
	case code == 127 || code == 126:
		x.status = code
		return false
	case code == 255:
		x.t.fail("%s: exited with status 255; aborting", args[0])
		x.status = 124
		return false
	case code != 0:
		x.status = 123
	}
	return x.t.ctx.Err() == nil
}
