package shell_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/core/shell"
)

// lessScreen is a terminal that knows the sequences of a pager, and takes any other for an attack.
type lessScreen struct {
	mu         sync.Mutex
	cols, rows int
	cells      [][]string
	row, col   int
	wild       string // what no pager writes
	raw        bool
	resized    chan struct{}
}

func (s *lessScreen) Size() (cols, rows int)   { s.mu.Lock(); defer s.mu.Unlock(); return s.cols, s.rows }
func (s *lessScreen) Raw(on bool)              { s.mu.Lock(); defer s.mu.Unlock(); s.raw = on }
func (s *lessScreen) Resized() <-chan struct{} { return s.resized }

func (s *lessScreen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for text := string(p); text != ""; {
		switch {
		case strings.HasPrefix(text, "\x1b["):
			end := strings.IndexFunc(text[2:], func(r rune) bool { return r >= 0x40 }) + 2
			switch sequence := text[2 : end+1]; sequence {
			case "H":
				s.row, s.col = 0, 0
			case "K":
				s.at()
				s.cells[s.row] = s.cells[s.row][:min(s.col, len(s.cells[s.row]))]
			case "2J":
				s.cells = nil
			case "m", "7m", "27m", "31m", "?7l", "?7h", "?1049h", "?1049l":
			default:
				s.wild += sequence + " "
			}
			text = text[end+1:]
			continue
		case text[0] == '\r':
			s.col = 0
		case text[0] == '\n':
			s.row++
		case text[0] < ' ' || text[0] == 0x7f:
			s.wild += fmt.Sprintf("%q ", text[0])
		default:
			r := []rune(text)[0]
			s.at()
			for len(s.cells[s.row]) <= s.col {
				s.cells[s.row] = append(s.cells[s.row], " ")
			}
			s.cells[s.row][s.col] = string(r)
			s.col++
			text = text[len(string(r)):]
			continue
		}
		text = text[1:]
	}
	return len(p), nil
}

func (s *lessScreen) at() {
	for len(s.cells) <= s.row {
		s.cells = append(s.cells, nil)
	}
}

// show is the screen's rows with | between them.
func (s *lessScreen) show() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []string
	for _, row := range s.cells[:min(len(s.cells), s.rows)] {
		rows = append(rows, strings.TrimRight(strings.Join(row, ""), " "))
	}
	return strings.Join(rows, "|")
}

// TestLess types keys into less on a terminal of four rows and twelve columns, and looks at it.
func TestLess(t *testing.T) {
	type typed struct{ keys, screen string }
	for _, c := range []struct {
		script string
		steps  []typed
	}{
		{"seq 9 | less", []typed{
			{"", "1|2|3|:"}, {" ", "4|5|6|:"}, {"b", "1|2|3|:"}, {"j", "2|3|4|:"}, {"\x1b[B", "3|4|5|:"}, {"\x1b[A", "2|3|4|:"}, {"k", "1|2|3|:"},
			{"G", "7|8|9|(END)"}, {"j", "7|8|9|(END)"}, {"g", "1|2|3|:"}, {"\x1b[6~", "4|5|6|:"}, {"\x1b[5~", "1|2|3|:"},
			{"2", "1|2|3|:2"}, {"\r", "3|4|5|:"}, {"4", "3|4|5|:4"}, {"g", "4|5|6|:"}, {"=", "4|5|6|lines 4-6 of"},
			{"/", "4|5|6|/"}, {"8x\x7f", "4|5|6|/8"}, {"\r", "8|9|~|(END)"}, {"n", "8|9|~|Pattern not f"}, {"g", "1|2|3|:"},
			{"/[27]\r", "2|3|4|:"}, {"n", "7|8|9|(END)"}, {"N", "2|3|4|:"}, {"?1\r", "1|2|3|:"}, {"/(\r", "1|2|3|(: error pars"}, {"h", "space f ctrl-f| PageDown   fo|rward one scre|HELP: q goes"},
			{"q", "1|2|3|:"}, {"z", "1|2|3|h for help, q"}, {"/\x1b]0;x\r", "1|2|3|Pattern not f"},
		}},
		{"yes | less", []typed{{"", "y|y|y|:"}, {"9 ", "y|y|y|:"}, {"=", "y|y|y|lines 28-30"}, {"/no\r", "y|y|y|Pattern not f"}}},
		{"printf '0123456789abcdef\\n\\tx\\n' | less", []typed{{"", "0123456789ab|cdef|        x|(END)"}}},
		{"printf '0123456789abcdef\\n\\tx\\n' | less -S", []typed{{"", "0123456789ab|        x|~|(END)"}, {"\x1b[C", "6789abcdef|  x|~|(END)"}, {"\x1b[D", "0123456789ab|        x|~|(END)"}}},
		{"printf 'a\\nB\\n' | less -N -i", []typed{{"", "      1 a|      2 B|~|(END)"}, {"/b\r", "      2 B|~|~|(END)"}}},
		// Hostile text stays text, and colours are colours only if they are asked for.
		{`printf '\033]0;t\007\r\b\n\302\2332J\n\377\342\200\256x\n' | less`, []typed{{"", "^[]0;t^G^M^H|<U+009B>2J|<FF><U+202E>|:"}, {"j", "<U+009B>2J|<FF><U+202E>|x|(END)"}}},
		{`printf '\033[31mred\033[m\n\033[2Jx\n' | less`, []typed{{"", "^[[31mred^[[|m|^[[2Jx|(END)"}}},
		{`printf '\033[31mred\033[m\n\033[2Jx\n' | less -R`, []typed{{"", "red|^[[2Jx|~|(END)"}, {"/red\r", "red|^[[2Jx|~|(END)"}}},
		{`printf 'x\n' > "$(printf 'f\033c')"; less f*`, []typed{{"", "x|~|~|f^[c (END)"}}},
		{"seq 3 > a; seq 4 6 > b; less a b", []typed{{"", "1|2|3|a (END)"}, {":n", "4|5|6|b (END)"}, {":n", "4|5|6|b (END)"}, {":p", "1|2|3|a (END)"}}},
		{"seq 9 | less +G", []typed{{"", "7|8|9|(END)"}}},
		{"seq 9 | less +/5", []typed{{"", "5|6|7|:"}}},
		{"{ seq 9; sleep 1000; } | less +F", []typed{{"", "7|8|9|reading… (c"}, {"\x03", "7|8|9|:"}}},
		{"seq 9 | sh -c 'less; true'", []typed{{"", "1|2|3|:"}}},
	} {
		t.Run(c.script, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				screen := &lessScreen{cols: 12, rows: 4, resized: make(chan struct{}, 1)}
				if strings.Contains(c.script, "9 | less") || strings.HasPrefix(c.script, "yes") {
					screen.cols = 14
				}
				p, _, errOut := container(t, "sh", "-c", c.script)
				keys, typist := io.Pipe()
				p.Stdin, p.Stdout, p.Terminal = keys, screen, screen
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				code := make(chan int, 1)
				go func() { code <- shell.Sh(ctx, p) }()
				for _, step := range c.steps {
					io.WriteString(typist, step.keys)
					synctest.Wait()
					if got := screen.show(); got != step.screen {
						t.Errorf("after %q the screen is\n%s, want\n%s", step.keys, got, step.screen)
					}
				}
				io.WriteString(typist, "q")
				synctest.Wait()
				select {
				case got := <-code:
					if wrong := strings.HasPrefix(c.script, "yes"); (got != 0) != wrong || screen.raw {
						t.Errorf("ends with %d, raw %v", got, screen.raw)
					}
				default:
					if !strings.Contains(c.script, "sleep") {
						t.Error("q does not end it")
					}
					cancel()
					<-code
				}
				if told := errOut.String(); screen.wild != "" || told != "" && !strings.Contains(told, "out of memory (a tool keeps 32 MiB") {
					t.Errorf("writes %s, and %q", screen.wild, told)
				}
				typist.Close()
			})
		})
	}
}

// TestLessWithoutATerminal: it copies, and says what is not there.
func TestLessWithoutATerminal(t *testing.T) {
	p, out, errOut := container(t, "sh", "-c", "seq 3 | less; seq 2 > f; less f nosuch; echo $?; seq 4 | more | tail -n 1")
	if code := shell.Sh(t.Context(), p); code != 0 || out.String() != "1\n2\n3\n1\n2\n1\n4\n" || errOut.String() != "less: can't open 'nosuch': No such file or directory\n" {
		t.Errorf("%d, %q, %q", code, out.String(), errOut.String())
	}
}
