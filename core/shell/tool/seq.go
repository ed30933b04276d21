package tool

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

func init() { tools["seq"] = seq }

func seq(t *T) int {
	const usage = "[-w] [-s SEP] [FIRST [INC]] LAST"
	args := t.Args
	for i, arg := range args { // a negative number is no option
		if _, err := strconv.ParseFloat(arg, 64); i > 0 && err == nil && strings.HasPrefix(arg, "-") {
			t.Args = append(append(append([]string{}, args[:i]...), "--"), args[i:]...)
			break
		}
	}
	var width bool
	var separator string
	args, code, ok := t.flags(usage, func(f *pflag.FlagSet) {
		f.BoolVarP(&width, "equal-width", "w", false, "")
		f.StringVarP(&separator, "separator", "s", "\n", "")
	})
	if !ok {
		return code
	}
	if len(args) < 1 || len(args) > 3 {
		return t.usage(usage)
	}
	numbers, decimals := []float64{}, 0
	for _, arg := range args {
		n, err := strconv.ParseFloat(arg, 64)
		if err != nil {
			t.fail("invalid number '%s'", arg)
			return 1
		}
		if _, after, ok := strings.Cut(arg, "."); ok {
			decimals = max(decimals, len(after))
		}
		numbers = append(numbers, n)
	}
	first, step, last := 1.0, 1.0, numbers[len(numbers)-1]
	if len(numbers) > 1 {
		first = numbers[0]
	}
	if len(numbers) > 2 {
		step = numbers[1]
	}
	format := func(n float64) string { return strconv.FormatFloat(n, 'f', decimals, 64) }
	digits := max(len(format(first)), len(format(last)))
	for i := 0; ; i++ {
		n := first + float64(i)*step
		if step > 0 && n > last+step*1e-9 || step < 0 && n < last+step*1e-9 || step == 0 && t.ctx.Err() != nil {
			if i > 0 {
				t.print("\n")
			}
			return 0
		}
		if i > 0 {
			t.print(separator)
		}
		text := format(n)
		if width {
			sign := ""
			if strings.HasPrefix(text, "-") {
				sign, text = "-", text[1:]
			}
			text = sign + strings.Repeat("0", max(digits-len(sign)-len(text), 0)) + text
		}
		if _, err := t.out.WriteString(text); err != nil {
			return 1
		}
	}
}
