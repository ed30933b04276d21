package lesson_test

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/nodehost/lesson"
)

type parseCase struct {
	Name     string         `json:"name"`
	Markdown string         `json:"markdown"`
	Lesson   *lesson.Lesson `json:"lesson"`
	Refused  []int          `json:"refused"`
}

func cases(t testing.TB) []parseCase {
	t.Helper()
	raw, err := os.ReadFile("../../web/lesson/testdata/cases.yaml") // the page's parser reads it, too
	if err != nil {
		t.Fatal(err)
	}
	var all []parseCase
	if err := yaml.UnmarshalStrict(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestParse(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.Name, func(t *testing.T) {
			got, problems := lesson.Parse([]byte(c.Markdown))
			var refused []int
			for _, p := range problems {
				refused = append(refused, p.Line)
			}
			if !slices.Equal(refused, c.Refused) {
				t.Errorf("lines %v were refused, want %v:\n%v", refused, c.Refused, problems)
			}
			if c.Lesson == nil {
				return
			}
			if g, w := asJSON(t, got), asJSON(t, c.Lesson); !reflect.DeepEqual(g, w) {
				t.Errorf("got  %v\nwant %v", g, w)
			}
		})
	}
}

func asJSON(t *testing.T, l *lesson.Lesson) any {
	t.Helper()
	raw, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

const head = "---\ntitle: T\n---\n## A\n"

// What a stranger may write to keep a reader busy is refused or read, soon.
func TestParseIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string // of a problem
	}{
		"a file that is too long":        {head + strings.Repeat("a", lesson.MaxFile), "at most 262144"},
		"not text":                       {head + "\xff", "UTF-8"},
		"a NUL":                          {head + "\x00", "UTF-8"},
		"quotes within one another":      {head + strings.Repeat(">", 50_000) + "a", "within one another"},
		"lists within one another":       {head + strings.Repeat("- ", 50_000) + "a", "within one another"},
		"a block that is too long":       {head + "```shell\n" + strings.Repeat("a", lesson.MaxText+1) + "\n```\n", "too long"},
		"very many steps":                {"---\ntitle: T\n---\n" + strings.Repeat("## A\n", lesson.MaxSteps+1), "at most 50 steps"},
		"very many blocks":               {head + strings.Repeat("```shell\ntrue\n```\n", lesson.MaxParts+1), "at most 500 blocks"},
		"a title without end":            {"---\ntitle: " + strings.Repeat("a", 300) + "\n---\n## A\n", "title"},
		"aliases that grow":              {"---\ntitle: T\ndescription: &a [" + strings.Repeat("*a,", 1000) + "]\n---\n## A\n", "---"},
		"front matter without end":       {"---\ntitle: T\ndescription: " + strings.Repeat("a", 5000) + "\n---\n## A\n", "longer than"},
		"links":                          {head + strings.Repeat("[a](", 50_000), "at most 1000"},
		"brackets":                       {head + strings.Repeat("[", 100_000), "within one another"},
		"an attribute that is a program": {head + "```shell until=\"pod/$(reboot) Ready\"\ntrue\n```\n", "not understood"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := lesson.Parse([]byte(c.text))
			if len(problems) == 0 || !strings.Contains(problems[0].Error(), c.want) {
				t.Errorf("%.300v: want %q", problems, c.want)
			}
			for _, p := range problems {
				if len(p.Error()) > 500 {
					t.Errorf("a message of %d bytes", len(p.Error()))
				}
			}
		})
	}
	// None of these may keep it: with the square of what is written it would be minutes.
	for name, text := range map[string]string{
		"emphasis":   strings.Repeat("*a **a ", 30_000),
		"brackets":   strings.Repeat("a[", 100_000),
		"links":      strings.Repeat("[a](", 1000),
		"references": strings.Repeat("[a][", 50_000),
		"backquotes": strings.Repeat("`a``", 50_000),
		"tables":     strings.Repeat("|a", 50_000) + "\n" + strings.Repeat("|-", 50_000) + "\n",
		"angles":     strings.Repeat("<a ", 60_000),
	} {
		t.Run(name, func(t *testing.T) {
			lesson.Parse([]byte(head + text))
		})
	}
}

func TestExpect(t *testing.T) {
	for _, c := range []struct {
		want, got string
		ok        bool
	}{
		{"a", "a\n", true},
		{"a  b", "a b  \n\n", true},
		{"NAME   READY\nweb-…   1/1", "NAME        READY\nweb-7d-x   1/1\n", true},
		{"web-… 1/1 …s", "web-7d 1/1 12s", true},
		{"…", "", true},
		{"…", "a\nb", true},
		{"a\n…\nz", "a\nb\nc\nz", true},
		{"a\n…\nz", "a\nz\nz", true},
		{"…\nb\n…", "a\nb\nc", true},
		{"", "", true},
		{"", "a", false},
		{"a", "", false},
		{"a", "a\nb", false},
		{"a\nb", "a", false},
		{"web-… 1/1", "web-7d 0/1", false},
		{"a…a", "a", false},
		{"a\n…\nz", "a\nb", false},
	} {
		if err := lesson.Expect(c.want, c.got); (err == nil) != c.ok {
			t.Errorf("%q against %q: %v", c.want, c.got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range cases(f) {
		f.Add([]byte(c.Markdown))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		l, problems := lesson.Parse(raw)
		if len(l.Steps) > lesson.MaxSteps || len(problems) == 0 && (len(l.Steps) == 0 || l.Title == "") {
			t.Fatalf("%d steps, title %q, and no problem", len(l.Steps), l.Title)
		}
		for _, step := range l.Steps {
			for _, p := range step.Parts {
				if p.Line < 1 || len(p.Text) > lesson.MaxText || p.Kind == lesson.Run && p.Text == "" && len(problems) == 0 {
					t.Fatalf("part %+v", p)
				}
			}
		}
	})
}
