package shell_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell"
	"github.com/tabernetes/tabernetes/core/shell/interp"
)

// hostile are names that the API or a file system lets somebody choose.
var hostile = []string{
	"x;kubectl create ns pwned", "$(reboot)", "`reboot`", "a b", "it's", `"`, `a\`, "a\nreboot", "&", "|reboot",
	"#x", "~root", "*", "{a,b}", "-rf", "!!", "\x1b]0;x\a", "\u202egpj.exe", "\x01'\x01", "é", "𝒳", "=ls", "a=b",
}

func TestQuoteIsReadAsOneWord(t *testing.T) {
	for _, name := range append(hostile, "~/x y", "x;y/", "~/", "/", "web-1") {
		quoted, ok := shell.Quote(name)
		if !ok {
			t.Errorf("%q cannot be quoted", name)
			continue
		}
		if typed := shell.Read("kubectl get x " + quoted); typed.Word != name || typed.From != len("kubectl get x ") {
			t.Errorf("%q is read as %q", name, typed.Word)
		}
		// The whole line, as the shell sees it: ~/ it expands, everything else stays.
		var out bytes.Buffer
		s := interp.New(t.Context(), &program.Process{Env: []string{"HOME=~"}, FS: program.NewFS(t.TempDir()), Dir: "/", Stdout: &out, Stderr: &out})
		if code := s.Run(context.WithoutCancel(t.Context()), "printf '%s|' "+quoted); code != 0 || out.String() != name+"|" {
			t.Errorf("%q as %s: the shell sees %q (code %d)", name, quoted, out.String(), code)
		}
	}
	if _, ok := shell.Quote("a\x00b"); ok {
		t.Error("a NUL was quoted")
	}
}

func TestReadOfALineThatIsBeingTyped(t *testing.T) {
	for _, test := range []struct {
		head   string
		before []string
		word   string
		from   int
	}{
		{"", nil, "", 0},
		{"kub", nil, "kub", 0},
		{"kubectl get ", []string{"kubectl", "get"}, "", 12},
		{"a; kubectl get po", []string{"kubectl", "get"}, "po", 15},
		{"echo 'a;b' c", []string{"echo", "a;b"}, "c", 11},
		{"cat 'my fi", []string{"cat"}, "my fi", 4},
		{`cat "my $x fi`, []string{"cat"}, "my $x fi", 4},
		{`cat my\ fi`, []string{"cat"}, "my fi", 4},
		{`cat $'\x1b\u20`, []string{"cat"}, "\x1b", 4},
		{"cat < a > b c", []string{"cat", "c"}[:1], "c", 12},
		{"echo $(kubectl get n", []string{"kubectl", "get"}, "n", 19},
	} {
		got := shell.Read(test.head)
		if !slices.Equal(got.Before, test.before) || got.Word != test.word || got.From != test.from {
			t.Errorf("%q: %q, then %q from %d; want %q, then %q from %d",
				test.head, got.Before, got.Word, got.From, test.before, test.word, test.from)
		}
	}
}

// What completes a line is quoted: a file's name is its maker's choice.
func TestCompletionQuotes(t *testing.T) {
	fsys := program.NewFS(t.TempDir())
	for _, name := range []string{"/x;reboot", "/y z", "/plain"} {
		if err := fsys.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := &program.Process{FS: fsys, Dir: "/"}
	s := interp.New(t.Context(), p)
	for line, want := range map[string]string{
		"cat x": "'x;reboot'", "cat 'x;": "'x;reboot'", "cat y": "'y z'", "cat pl": "plain", "cat </y": "'/y z'", "X=/y": "'/y z'",
	} {
		from, words := shell.Complete(s, p, line, len(line))
		if !slices.Equal(words, []string{want}) {
			t.Errorf("%q: %q from %d, want %q", line, words, from, want)
		}
	}
}
