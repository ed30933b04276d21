package tool

import (
	"bufio"
	"errors"
	"io"

	"github.com/spf13/pflag"
)

func init() { tools["tr"] = tr }

func tr(t *T) int {
	var remove, squeeze, complement bool
	args, code, ok := t.flags("[-cds] STRING1 [STRING2]", func(f *pflag.FlagSet) {
		f.BoolVarP(&remove, "delete", "d", false, "")
		f.BoolVarP(&squeeze, "squeeze-repeats", "s", false, "")
		f.BoolVarP(&complement, "complement", "c", false, "")
		f.BoolVarP(&complement, "Complement", "C", false, "")
	})
	if !ok {
		return code
	}
	if len(args) == 0 || len(args) == 1 && !remove && !squeeze {
		return t.usage("[-cds] STRING1 [STRING2]")
	}
	from, err := t.runeSet(args[0])
	to := from[:0]
	if err == nil && len(args) > 1 {
		to, err = t.runeSet(args[1])
	}
	squeezed := to
	if squeeze && (len(to) == 0) {
		squeezed = from
	}
	places, squeezes := runeTable{t: t}, runeTable{t: t}
	for _, one := range []struct {
		table *runeTable
		set   runeSpans
	}{{&places, from}, {&squeezes, squeezed}} {
		if err == nil {
			err = one.table.fill(one.set)
		}
	}
	if t.failed("set of characters", err) {
		return 1
	}
	in := func(table *runeTable, r rune, complement bool) bool { return (table.at(r) >= 0) != complement }
	reader := bufio.NewReader(t.in)
	last := rune(-1)
	for n := 0; ; n++ {
		r, _, err := reader.ReadRune()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.failed("standard input", err)
			}
			return 0
		}
		switch {
		case remove && in(&places, r, complement):
			continue
		case !remove && len(to) > 0 && in(&places, r, complement):
			if i := places.at(r); i >= 0 && !complement {
				r = to.rune(i)
			} else {
				r = to.last()
			}
		}
		if squeeze && r == last && in(&squeezes, r, complement && len(to) == 0) {
			continue
		}
		last = r
		_, _ = t.out.WriteRune(r)
	}
}
