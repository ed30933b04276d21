package regex_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program/programtest"
	"github.com/tabernetes/tabernetes/core/shell/regex"
)

var exprs = []string{
	"x", "x*", "x*y|x", "^x", "(?m)^x*", "x$", "(?m)x*$", `\bx`, `\bx+\b`, `\B`, `\B.`, "", "(x)(y)?", "(a|b)*(c)?", `(?i)[xé]+`, ".", `(^|,)([^,]*)`, "(?s).+", "é*",
	`(\b)x*`, "^", "$", `\Ax`, "(x|^)(y|$)", `(?P<n>x)|y`, "日?",
}

// texts are of what the expressions are about.
func texts() []string {
	short := []string{"", "x", "xy", "yx", "xx xx\nxy", "a,b,,c", "éxé", "\xffx\xff\xe6", "日本x"}
	all := slices.Clone(short)
	for _, text := range short {
		all = append(all, strings.Repeat(text, 40), strings.Repeat(text+" ", 40))
	}
	return all
}

// TestAsPackageRegexp compares every way to ask with package regexp's answer, also where the text is read piece by
// piece.
func TestAsPackageRegexp(t *testing.T) {
	ctx := t.Context()
	for _, expr := range exprs {
		want := regexp.MustCompile(expr)
		for _, limit := range []int{1 << 20, 100, 0} {
			defer regex.SetDirect(limit)()
			re, err := regex.Compile(expr)
			if err != nil {
				t.Fatal(expr, err)
			}
			for _, text := range texts() {
				name := fmt.Sprintf("%s of %.10q, %d bytes, limit %d", expr, text, len(text), limit)
				if got := re.Match(ctx, text); got != want.MatchString(text) {
					t.Errorf("%s: Match %v", name, got)
				}
				same(t, name+" Find", re.Find(ctx, text), want.FindStringIndex(text))
				same(t, name+" FindGroups", re.FindGroups(ctx, text), want.FindStringSubmatchIndex(text))
				same(t, name+" FindReader", re.FindReader(ctx, strings.NewReader(text)), want.FindReaderIndex(strings.NewReader(text)))
				same(t, name+" All", slices.Collect(re.All(ctx, text, -1)), want.FindAllStringIndex(text, -1))
				same(t, name+" AllGroups", slices.Collect(re.AllGroups(ctx, text, -1)), want.FindAllStringSubmatchIndex(text, -1))
				same(t, name+" one of All", slices.Collect(re.All(ctx, text, 1)), want.FindAllStringIndex(text, 1))
				for _, n := range []int{1, 2, 10000} {
					if text != "" {
						same(t, name+" Split", re.Split(ctx, text, n), want.Split(text, n))
					}
				}
			}
		}
	}
}

func same[T any](t *testing.T, what string, got, want []T) {
	t.Helper()
	if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %.80s, want %.80s", what, fmt.Sprint(got), fmt.Sprint(want))
	}
}

// TestAnEndEndsIt: each of these takes minutes otherwise.
func TestAnEndEndsIt(t *testing.T) {
	long := strings.Repeat("x", 3_000_000)
	large, err := regex.Compile("(x?){1000}$")
	if err != nil {
		t.Fatal(err)
	}
	square, err := regex.Compile("x*y|x")
	if err != nil {
		t.Fatal(err)
	}
	for name, match := range map[string]func(context.Context){
		"Match":      func(ctx context.Context) { large.Match(ctx, long) },
		"Find":       func(ctx context.Context) { large.Find(ctx, long) },
		"FindGroups": func(ctx context.Context) { large.FindGroups(ctx, long) },
		"FindReader": func(ctx context.Context) { large.FindReader(ctx, strings.NewReader(long)) },
		"All": func(ctx context.Context) {
			for range square.All(ctx, long, -1) {
			}
		},
		"Split": func(ctx context.Context) { square.Split(ctx, long, 1<<20) },
	} {
		ctx := &programtest.Asked{Context: t.Context(), Left: 50}
		match(ctx)
		if ctx.Left > -1 {
			t.Errorf("%s: the context was asked %d times only", name, 50-ctx.Left)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, expr := range []string{
		strings.Repeat("x?", 1<<16), strings.Repeat("(x?){900}", 80), strings.Repeat("[ab]", 1<<16), strings.Repeat("(", 999) + "^" + strings.Repeat(")", 999),
	} {
		if _, err := regex.Compile(expr); !errors.Is(err, regex.ErrSize) {
			t.Errorf("%.20s: %v", expr, err)
		}
	}
	if _, err := regex.Compile("("); err == nil {
		t.Error("no error for a missing )")
	}
	few, _ := regex.Compile("x")
	many, _ := regex.Compile(strings.Repeat("(x?)", 2000))
	if few.Memory(true) > 4<<10 || many.Memory(false) > 8<<20 || many.Memory(true) < 100<<20 {
		t.Error(few.Memory(true), many.Memory(false), many.Memory(true))
	}
}
