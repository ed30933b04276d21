package tool

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell/regex"
)

func init() {
	tools["grep"] = grep
	tools["egrep"] = func(t *T) int { t.Args = append([]string{"grep", "-E"}, t.Args[1:]...); return grep(t) }
	tools["fgrep"] = func(t *T) int { t.Args = append([]string{"grep", "-F"}, t.Args[1:]...); return grep(t) }
}

type grepFlags struct {
	fold, invert, number, recursive, extended, perl, fixed, count, quiet, silent bool
	withName, noName, filesWith, filesWithout, onlyMatching, wholeWord, whole    bool
	after, before, context, limit                                                int
	exprs                                                                        []string
	file                                                                         string
}

func grep(t *T) int {
	var o grepFlags
	args, code, ok := t.flags("[-HhnlLoqvsriwFEcx] [-m N] [-ABC N] {PATTERN | -e PATTERN... | -f FILE} [FILE]...", func(f *pflag.FlagSet) {
		f.BoolVarP(&o.fold, "ignore-case", "i", false, "")
		f.BoolVarP(&o.invert, "invert-match", "v", false, "")
		f.BoolVarP(&o.number, "line-number", "n", false, "")
		f.BoolVarP(&o.recursive, "recursive", "r", false, "")
		f.BoolVarP(&o.recursive, "dereference-recursive", "R", false, "")
		f.BoolVarP(&o.extended, "extended-regexp", "E", false, "")
		f.BoolVarP(&o.perl, "perl-regexp", "P", false, "")
		f.BoolVarP(&o.fixed, "fixed-strings", "F", false, "")
		f.BoolVarP(&o.count, "count", "c", false, "")
		f.BoolVarP(&o.quiet, "quiet", "q", false, "")
		f.BoolVarP(&o.silent, "no-messages", "s", false, "")
		f.BoolVarP(&o.withName, "with-filename", "H", false, "")
		f.BoolVarP(&o.noName, "no-filename", "h", false, "")
		f.BoolVarP(&o.filesWith, "files-with-matches", "l", false, "")
		f.BoolVarP(&o.filesWithout, "files-without-match", "L", false, "")
		f.BoolVarP(&o.onlyMatching, "only-matching", "o", false, "")
		f.BoolVarP(&o.wholeWord, "word-regexp", "w", false, "")
		f.BoolVarP(&o.whole, "line-regexp", "x", false, "")
		f.IntVarP(&o.after, "after-context", "A", 0, "")
		f.IntVarP(&o.before, "before-context", "B", 0, "")
		f.IntVarP(&o.context, "context", "C", 0, "")
		f.IntVarP(&o.limit, "max-count", "m", 0, "")
		f.StringArrayVarP(&o.exprs, "regexp", "e", nil, "")
		f.StringVarP(&o.file, "file", "f", "", "")
		f.String("color", "", "")
		f.Lookup("color").NoOptDefVal = "auto"
		f.Bool("line-buffered", false, "")
	})
	if !ok {
		return 2 * code
	}
	o.after, o.before = max(o.after, o.context), max(o.before, o.context)
	if o.file != "" {
		data, err := t.readFile(o.file)
		if t.failed(o.file, err) {
			return 2
		}
		o.exprs = append(o.exprs, strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")...)
	} else if len(o.exprs) == 0 {
		if len(args) == 0 {
			return 1 + t.usage("[OPTION]... PATTERN [FILE]...")
		}
		o.exprs, args = []string{args[0]}, args[1:]
	}
	re, err := o.compile(t)
	if err != nil {
		t.fail("bad regular expression '%.200s'%s", strings.Join(o.exprs, "|"), o.lacking(err))
		return 2
	}
	if o.recursive {
		if len(args) == 0 {
			args = []string{"."}
		}
		args = t.regularFiles(args)
		o.withName = true
		if len(args) == 0 {
			return 1
		}
	}
	o.withName = (o.withName || len(args) > 1) && !o.noName
	found := false
	t.grepEach(args, o, func(name string, r io.Reader) error {
		matched, err := t.grepOne(o, re, name, r)
		found = found || matched
		if found && o.quiet {
			return errStop
		}
		return err
	})
	switch {
	case found && (o.quiet || t.code == 0):
		t.code = 0
		return 0
	case t.code > 0:
		return 2
	}
	return 1
}

// grepEach is each, silent about files that cannot be read if that is asked.
func (t *T) grepEach(names []string, o grepFlags, f func(string, io.Reader) error) {
	if o.silent {
		var readable []string
		for _, name := range names {
			r, err := t.open(name)
			if err == nil {
				_ = r.Close()
				readable = append(readable, name)
			} else {
				t.code = 1
			}
		}
		if len(names) > 0 && len(readable) == 0 {
			return
		}
		names = readable
	}
	t.each(names, f)
}

func (o grepFlags) compile(t *T) (*regex.Regexp, error) {
	var parts []string
	for _, expr := range o.exprs {
		for one := range strings.SplitSeq(expr, "\n") {
			if o.fixed {
				one = regexp.QuoteMeta(one)
			} else if !o.extended && !o.perl {
				one = regex.FromBasic(one)
			}
			parts = append(parts, "(?:"+one+")")
		}
	}
	expr := strings.Join(parts, "|")
	if o.wholeWord {
		expr = `\b(?:` + expr + `)\b`
	}
	if o.whole {
		expr = `^(?:` + expr + `)$`
	}
	if o.perl && !o.fixed {
		return t.compilePerl(expr, o.fold, false)
	}
	return t.compile(expr, true, o.fold, false)
}

// lacking says what of Perl's there is none of here: people bring lines from a machine whose grep has PCRE.
func (o grepFlags) lacking(err error) string {
	if errors.Is(err, regex.ErrSize) || errors.Is(err, errHeld) {
		return ": " + err.Error()
	}
	var e *syntax.Error
	if !o.perl || !errors.As(err, &e) {
		return ""
	}
	return fmt.Sprintf(": %s (grep -P is RE2 here, without lookaround, \\K and back-references)", e.Code)
}

func (t *T) grepOne(o grepFlags, re *regex.Regexp, name string, r io.Reader) (bool, error) {
	if name == "-" {
		name = "(standard input)"
	}
	prefix := func(n int, mark string) string {
		out := ""
		if o.withName {
			out = name + mark
		}
		if o.number {
			out += itoa(n) + mark
		}
		return out
	}
	matches, n, lastShown, trailing := 0, 0, 0, 0
	earlier := window{t: t, keep: o.before}
	err := t.lines(r, func(line string) error {
		n++
		if re.Match(t.ctx, line) == o.invert {
			if trailing > 0 {
				trailing--
				lastShown = n
				t.print(prefix(n, "-") + line + "\n")
			} else if o.before > 0 {
				if _, _, err := earlier.add(line); err != nil {
					return err
				}
			}
			return nil
		}
		matches++
		switch {
		case o.quiet || o.filesWith || o.filesWithout:
			return errStop
		case o.count:
		case o.onlyMatching && !o.invert:
			for match := range re.All(t.ctx, line, -1) {
				if match[0] < match[1] {
					t.print(prefix(n, ":") + line[match[0]:match[1]] + "\n")
				}
			}
		default:
			if (o.before > 0 || o.after > 0) && lastShown > 0 && n-len(earlier.lines) > lastShown+1 {
				t.print("--\n")
			}
			before := earlier.take()
			for i, line := range before {
				t.print(prefix(n-len(before)+i, "-") + line + "\n")
			}
			trailing, lastShown = o.after, n
			t.print(prefix(n, ":") + line + "\n")
		}
		if o.limit > 0 && matches >= o.limit && trailing == 0 {
			return errStop
		}
		return nil
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	switch {
	case o.quiet:
	case o.count:
		if o.withName {
			t.print(name + ":")
		}
		t.print(itoa(matches) + "\n")
	case o.filesWith && matches > 0, o.filesWithout && matches == 0:
		t.print(name + "\n")
	}
	return matches > 0, err
}

// regularFiles lists the files below names.
func (t *T) regularFiles(names []string) []string {
	var files []string
	full := false // there are more than can be kept
	for _, name := range names {
		t.walk(name, func(file string, e walked) bool {
			if full || !e.info.Mode().IsRegular() {
				return !full
			}
			files = append(files, file)
			full = t.failed(file, t.hold(len(file)+program.StringMemory))
			return !full
		})
	}
	return files
}
