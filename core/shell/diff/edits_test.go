package diff_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program/programtest"
	"github.com/tabernetes/tabernetes/core/shell/diff"
)

// free are limits that do not limit.
func free(t *testing.T) diff.Limits {
	return diff.Limits{Context: t.Context()}
}

// applied is what a unified difference of a comes to, and how many lines it says differ.
func applied(t *testing.T, a, patch string) (b string, differ int) {
	t.Helper()
	lines := strings.SplitAfter(a, "\n")
	var out strings.Builder
	at := 0
	take := func() string {
		line := lines[at]
		at++
		out.WriteString(line)
		return line
	}
	for _, line := range strings.SplitAfter(patch, "\n") {
		switch {
		case line == "", strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
		case strings.HasPrefix(line, "@@"):
			begin, count := 0, 1
			if n, _ := fmt.Sscanf(line, "@@ -%d,%d", &begin, &count); n < 2 {
				_, _ = fmt.Sscanf(line, "@@ -%d", &begin)
			}
			if count > 0 {
				begin--
			}
			for at < begin {
				take()
			}
		case line[0] == ' ':
			if got := take(); got != line[1:] {
				t.Fatalf("the patch has %q where %q stands", line[1:], got)
			}
		case line[0] == '-':
			if lines[at] != line[1:] {
				t.Fatalf("the patch takes %q where %q stands", line[1:], lines[at])
			}
			at++
			differ++
		case line[0] == '+':
			out.WriteString(line[1:])
			differ++
		}
	}
	for at < len(lines) {
		take()
	}
	return out.String(), differ
}

// longest is the length of a longest common subsequence.
func longest(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		corner := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = corner + 1
			} else {
				row[j+1] = max(row[j], above)
			}
			corner = above
		}
	}
	return row[len(b)]
}

func lines(r *rand.Rand, n, kinds int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%d\n", r.IntN(kinds))
	}
	return b.String()
}

// TestPatches: what is printed makes b of a, and is as short as can be.
func TestPatches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same each time
	for range 2000 {                 // some are equal: of one kind and length
		kinds := 1 + r.IntN(6)
		a, b := lines(r, r.IntN(40), kinds), lines(r, r.IntN(40), kinds)
		var out strings.Builder
		if err := diff.Unified(free(t), &out, "a", "b", []byte(a), []byte(b)); err != nil {
			t.Fatal(err)
		}
		if (a == b) != (out.Len() == 0) {
			t.Fatalf("of %q and %q is printed %q", a, b, out.String())
		}
		got, differ := applied(t, a, out.String())
		if got != b {
			t.Fatalf("of %q and %q comes %q by\n%s", a, b, got, out.String())
		}
		as, bs := strings.Fields(a), strings.Fields(b)
		if want := len(as) + len(bs) - 2*longest(as, bs); differ != want {
			t.Fatalf("%q and %q differ in %d lines, not in %d", a, b, want, differ)
		}
	}
}

// TestManyDifferences are more than are all looked at.
func TestManyDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same each time
	a, b := lines(r, 20_000, 150), lines(r, 20_000, 150)
	var out strings.Builder
	if err := diff.Unified(free(t), &out, "a", "b", []byte(a), []byte(b)); err != nil {
		t.Fatal(err)
	}
	if got, _ := applied(t, a, out.String()); got != b {
		t.Error("the patch does not make b of a")
	}
}

func TestLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same each time
	a, b := []byte(lines(r, 50_000, 150)), []byte(lines(r, 50_000, 150))
	limits := free(t)
	limits.Context = &programtest.Asked{Context: t.Context(), Left: 20}
	if err := diff.Unified(limits, &strings.Builder{}, "a", "b", a, b); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v though the context did", err)
	}
	limits = free(t)
	held := 0
	full := errors.New("full")
	limits.Hold = func(n int) error {
		if held += n; held > 1<<20 {
			return full
		}
		return nil
	}
	empty := []byte(strings.Repeat("\n", 1<<20))
	if err := diff.Unified(limits, &strings.Builder{}, "a", "b", empty, empty[1:]); !errors.Is(err, full) {
		t.Errorf("ended with %v though memory did", err)
	}
	if held -= len(empty) * 17; held > 0 { // what was refused
		t.Errorf("%d bytes are held afterwards", held)
	}
}
