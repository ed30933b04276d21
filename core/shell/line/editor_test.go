package line_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/shell/line"
)

// terminal is a screen of cols columns that shows what is written to it.
type terminal struct {
	cols     int
	rows     [][]rune
	row, col int
}

func (s *terminal) Size() (int, int)         { return s.cols, 24 }
func (s *terminal) Raw(bool)                 {}
func (s *terminal) Resized() <-chan struct{} { return nil }

func (s *terminal) Write(p []byte) (int, error) {
	text := []rune(string(p))
	for i := 0; i < len(text); i++ {
		for len(s.rows) <= s.row {
			s.rows = append(s.rows, nil)
		}
		switch r := text[i]; {
		case r == '\r':
			s.col = 0
		case r == '\n':
			s.row++
		case r == 0x1b:
			n := 0
			for i += 2; text[i] >= '0' && text[i] <= '9'; i++ {
				n = n*10 + int(text[i]-'0')
			}
			switch text[i] {
			case 'A':
				s.row -= max(n, 1)
			case 'C':
				s.col += max(n, 1)
			case 'J':
				s.rows = s.rows[:s.row+1]
				s.rows[s.row] = s.rows[s.row][:min(s.col, len(s.rows[s.row]))]
			}
		default:
			if s.col == s.cols { // wraps at the next character only, as terminals do
				s.row++
				s.col = 0
				if len(s.rows) <= s.row {
					s.rows = append(s.rows, nil)
				}
			}
			for len(s.rows[s.row]) <= s.col {
				s.rows[s.row] = append(s.rows[s.row], ' ')
			}
			s.rows[s.row][s.col] = r
			s.col++
		}
	}
	return len(p), nil
}

func (s *terminal) String() string {
	lines := make([]string, len(s.rows))
	for i, row := range s.rows {
		lines[i] = string(row)
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n ")
}

func TestEditing(t *testing.T) {
	for _, c := range []struct {
		keys, want string
		err        error
	}{
		{"plain\r", "plain", nil},
		{"ab\x7fc\r", "ac", nil},
		{"ac\x1b[Db\r", "abc", nil},
		{"bc\x01a\x05d\r", "abcd", nil},
		{"one two three\x17\x17x\r", "one x", nil},
		{"one two\x01\x0bnew\r", "new", nil},
		{"one two\x1bb\x15\r", "two", nil},
		{"abc\x1b[D\x1b[D\x1b[3~\r", "ac", nil},
		{"wörld\x7f\x7f\x7f\x7ft\r", "wt", nil},
		{"\x1b[A\r", "second", nil},
		{"\x1b[A\x1b[A\r", "first", nil},
		{"draft\x1b[A\x1b[B!\r", "draft!", nil},
		{"\x1b[A\x1b[A\x1b[A\x1b[B edited\r", "second edited", nil},
		{"\x1b[200~pasted\x1b[201~\r", "pasted", nil},
		{"gone\x03", "", line.ErrInterrupt},
		{"\x04", "", io.EOF},
		{"ab\x01\x04\r", "b", nil},
		{"get po\tx\r", "get pods x", nil},
		{"get n\ta\r", "get na", nil},
		{"cut", "", io.ErrUnexpectedEOF},
	} {
		e := &line.Editor{
			History: []string{"first", "second"},
			Complete: func(_ context.Context, text string, cursor int) (int, []string) {
				from := strings.LastIndexByte(text[:cursor], ' ') + 1
				var words []string
				for _, word := range []string{"pods", "nodes", "namespaces"} {
					if strings.HasPrefix(word, text[from:cursor]) {
						words = append(words, word)
					}
				}
				return from, words
			},
		}
		var out bytes.Buffer
		got, err := e.ReadLine(t.Context(), strings.NewReader(c.keys), &out, &terminal{cols: 80}, "$ ")
		if errors.Is(c.err, io.ErrUnexpectedEOF) {
			if err == nil {
				t.Errorf("%q: no error", c.keys)
			}
			continue
		}
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q: %q, %v, want %q, %v", c.keys, got, err, c.want, c.err)
		}
	}
}

func TestHistoryHoldsEachLineOnce(t *testing.T) {
	e := &line.Editor{}
	in := strings.NewReader("one\rone\r\r  \rtwo\r")
	for range 5 {
		if _, err := e.ReadLine(t.Context(), in, io.Discard, &terminal{cols: 80}, ""); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"one", "two"}; !slices.Equal(e.History, want) {
		t.Errorf("history %q, want %q", e.History, want)
	}
}

// TestLongLine edits a line that is longer than the terminal is wide.
func TestLongLine(t *testing.T) {
	s := &terminal{cols: 10}
	e := &line.Editor{}
	keys := "abcdefghijklmnopqrst" + "\x01X" + "\x05Y" + strings.Repeat("\x1b[D", 12) + "-"
	_, _ = e.ReadLine(t.Context(), strings.NewReader(keys), s, s, "$ ")
	want := "$ Xabcdefg\nhi-jklmnop\nqrstY"
	if s.String() != want {
		t.Errorf("the screen shows\n%s\nwant\n%s", s.String(), want)
	}
	if s.row != 1 || s.col != 3 {
		t.Errorf("the cursor is at row %d, column %d, want 1, 3", s.row, s.col)
	}
}

func TestCandidatesAreListedAtTheSecondTab(t *testing.T) {
	s := &terminal{cols: 30}
	e := &line.Editor{Complete: func(context.Context, string, int) (int, []string) {
		return 0, []string{"alpha", "beta", "gamma"}
	}}
	_, _ = e.ReadLine(t.Context(), strings.NewReader("\t\t"), s, s, "$ ")
	if want := "$\nalpha  beta   gamma\n$"; strings.ReplaceAll(s.String(), "$ ", "$") != want {
		t.Errorf("the screen shows\n%q\nwant\n%q", s.String(), want)
	}
}
