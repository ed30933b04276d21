package jq

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/itchyny/gojq"
)

// start compiles a program whose memory is counted in held.
func start(ctx context.Context, t *testing.T, source string, held, most *int) *Program {
	t.Helper()
	p, err := Compile(source, Config{
		Context: ctx,
		Hold:    func(bytes int) error { *held = bytes; *most = max(*most, bytes); return nil },
		Input:   func() (any, int, error) { return strings.Repeat("x", 1<<20), 1 << 20, nil },
		Debug:   func(any) {}, Stderr: func(any) {}, Filename: func() any { return nil },
	})
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return p
}

// TestHostile: what grows, or never ends, ends with an error before it holds more than it may.
func TestHostile(t *testing.T) {
	for _, source := range []string{
		`reduce range(60) as $i ("x"; . + .)`, `reduce range(60) as $i ([1]; . + .)`, `reduce range(60) as $i ([1]; [.,.] | add)`,
		`reduce range(60) as $i ({}; . + {"\($i)": .}) | tojson`, `reduce range(60) as $i (1; [., .]) | tojson`, `reduce range(60) as $i (1; [., .]) | flatten`,
		`reduce range(60) as $i (1; [., .]) | . as $x | $x == ($x | map(.))`, `reduce range(60) as $i (10; . * .)`, `reduce range(60) as $i ("x"; "\(.)\(.)")`,
		`"x" * 1e9`, `"xx" * 4000000 | [., .] | join("y")`, `[range(300000)] | [.[] as $a | .[] as $b | 1] `, `def f: 1 + f; f`,
		`[repeat("x")]`, `[inputs]`, `.[100000000] = 1`, `setpath([1e9]; 1)`, `setpath([range(200000) | "a"]; 1)`, `[limit(1000; repeat(setpath([200000]; 1)))]`,
		`reduce range(20000) as $i (null; [.]) | tojson`, `"x" * 1000000 | explode`, `"x" * 8000000 | [splits("")]`, `"x" * 100000 | [match(""; "g")]`,
		`"x" * 1000000 | gsub("x"; "y")`, `"a" | test("((a{100}){100}){10}")`, `[range(20000)] | . - map(. + 1)`, `[range(20000)] | indices([range(10000)])`,
		`[range(100000) | []] + [[range(100000)]] | transpose`, `("1" * 100000) | tonumber`, `("[" * 1000000) | fromjson`, `"[" + ("0," * 1000000) + "0]" | fromjson`,
		`[range(200000)] as $a | def f: $a | .[] | [., f]; f`, `[range(100000)] as $a | [$a[] | $a]  | tojson`, `("x" * 8000000) as $x | [range(10) | $x + "y"]`,
		`0 | strftime("x" * 1000000)`, `reduce range(100000) as $i ({}; .["\($i)"] = ("x" * 100000))`, `last(range(10) | [range(100000)] | .[99999] |= [range(100000)] | [., .] | [., .] | tojson)`,
	} {
		t.Run(source, func(t *testing.T) {
			held, most := 0, 0
			err := start(t.Context(), t, source, &held, &most).Run(nil, 0, func(any) bool { return true })
			if err == nil || !strings.Contains(err.Error(), "out of memory") && !strings.Contains(err.Error(), "too large") && !strings.Contains(err.Error(), "exceeded max depth") && !strings.Contains(err.Error(), "invalid repeat count") && !strings.Contains(err.Error(), "repetition") {
				t.Errorf("error %.200v", err)
			}
			if held != 0 || most > MaxHeld {
				t.Errorf("holds %d after it, %d at most", held, most)
			}
		})
	}
}

// TestEnds: a program ends with its context, which it asks often.
func TestEnds(t *testing.T) {
	for _, source := range []string{"repeat(1) | empty", "def f: f; f", "last(range(infinite))", "[limit(1; repeat(empty))]"} {
		ctx, cancel := context.WithCancel(t.Context())
		held, most, asked := 0, 0, 0
		p := start(asking{ctx, func() {
			if asked++; asked == 1000 {
				cancel()
			}
		}}, t, source, &held, &most)
		if err := p.Run(nil, 0, func(any) bool { return true }); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", source, err)
		}
		cancel()
	}
}

// asking calls a function at each Err.
type asking struct {
	context.Context
	asked func()
}

func (a asking) Err() error { a.asked(); return a.Context.Err() }

// TestWork: what is large and no attack is done; nothing of a run stays for the next.
func TestWork(t *testing.T) {
	var items []any
	for i := range 2000 {
		items = append(items, map[string]any{"metadata": map[string]any{"name": fmt.Sprint("pod-", i), "labels": map[string]any{"app": fmt.Sprint(i % 7)}}, "n": i})
	}
	for source, want := range map[string]string{
		`[.[] | select(.metadata.labels.app == "3")] | length`: "286",
		`group_by(.metadata.labels.app) | map(length) | add`:   "2000",
		`map(.n) | add`: "1999000",
		`reduce .[] as $x ({}; .[$x.metadata.labels.app] += $x.n) | length`: "7",
		`[.. | numbers] | length`:                                     "2000",
		`map(.metadata.name | sub("pod-"; "p")) | join(",") | length`: "10889",
		`tojson | fromjson | length`:                                  "2000",
		`last(range(100000))`:                                         "99999",
		`reduce range(4000) as $i ([]; . + [$i]) | length`:            "4000",
		`reduce range(20000) as $i (0; . + $i)`:                       "199990000",
		`[range(20000)] | map(. + 1) | sort | length`:                 "20000",
	} {
		held, most := 0, 0
		p := start(t.Context(), t, source, &held, &most)
		for range 2 {
			var got bytes.Buffer
			err := p.Run(items, 1<<20, func(v any) bool { text, _ := gojq.Marshal(v); got.Write(text); return true })
			if err != nil || got.String() != want || held != 0 {
				t.Errorf("%s: %.100s, %v; %d held", source, got.String(), err, held)
			}
		}
	}
	if _, err := Compile(strings.Repeat(".|", maxSource)+".", Config{}); err == nil {
		t.Error("a program of any length")
	}
}

// TestReach: gojq's types are what bind and hook take them for.
func TestReach(t *testing.T) {
	held, most := 0, 0
	p := start(t.Context(), t, `[1, 2] | .[] + 1, tojson`, &held, &most)
	iter, err := p.run.begin(p.code, nil, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	env := reflect.ValueOf(iter).Elem()
	same := func(name string, theirs, ours reflect.Type) {
		t.Helper()
		if theirs.Size() != ours.Size() || theirs.NumField() != ours.NumField() {
			t.Fatalf("%s: %v and %v", name, theirs, ours)
		}
		for i := range ours.NumField() {
			if a, b := theirs.Field(i), ours.Field(i); a.Offset != b.Offset || a.Type.Kind() != b.Type.Kind() {
				t.Errorf("%s: field %s, here %s", name, a.Name, b.Name)
			}
		}
	}
	forks := env.FieldByName("forks").Type().Elem()
	same("fork", forks, reflect.TypeFor[fork]())
	if forks.Field(1).Name != "stackindex" {
		t.Errorf("fork's second field is %s", forks.Field(1).Name)
	}
	theirs := env.FieldByName("stack").Type().Elem()
	same("stack", theirs, reflect.TypeFor[stack]())
	same("block", theirs.Field(0).Type.Elem(), reflect.TypeFor[block]())
	codes := reflect.ValueOf(p.code).Elem().FieldByName("codes")
	same("code", codes.Type().Elem().Elem(), reflect.TypeFor[instruction]())
	calls := map[string]bool{}
	for _, c := range *(*[]*instruction)(unsafe.Pointer(codes.UnsafeAddr())) {
		if call, ok := c.v.([3]any); ok {
			calls[call[2].(string)] = true
		}
	}
	if !calls["_add"] || !calls["tojson"] {
		t.Errorf("bound are %v", calls)
	}
	for _, name := range []string{"paths", "scopes", "values"} {
		if !env.FieldByName(name).IsValid() {
			t.Errorf("no %s", name)
		}
	}
}
