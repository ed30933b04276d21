package line

import (
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/tabernetes/tabernetes/core/program"
)

// ErrInterrupt is ReadLine's error for ctrl-c.
var ErrInterrupt = errors.New("interrupted")

// maxHistory is how many lines an Editor remembers.
const maxHistory = 500

// Editor reads command lines from a terminal in raw mode: emacs keys, history, completion.
type Editor struct {
	// Complete gives the words that may stand at the byte offset cursor of line, each to
	// replace line[from:cursor]. It may be nil.
	Complete func(ctx context.Context, line string, cursor int) (from int, words []string)
	// History holds former lines, the oldest first.
	History []string

	out    io.Writer
	term   program.Terminal
	prompt string
	line   []rune
	at     int // the cursor, in runes
	row    int // the cursor's row below the prompt's first
	past   int // index into History of the line shown; len(History) is the new one
	draft  string
	tabbed bool // the key before was a tab that completed nothing
}

// ReadLine shows prompt and returns the line without its end; io.EOF for ctrl-d on an empty
// line, ErrInterrupt for ctrl-c, or the error of in.
func (e *Editor) ReadLine(ctx context.Context, in io.Reader, out io.Writer, term program.Terminal, prompt string) (string, error) {
	e.out, e.term, e.prompt = out, term, prompt
	e.line, e.at, e.row, e.past = nil, 0, 0, len(e.History)
	term.Raw(true)
	defer term.Raw(false)
	e.refresh()
	keys := NewKeys(in)
	for {
		key, err := keys.Next()
		if err != nil {
			return "", err
		}
		if done, err := e.key(ctx, key); done || err != nil {
			e.at = len(e.line)
			e.refresh()
			e.write("\r\n")
			text := string(e.line)
			if err == nil {
				e.remember(text)
			}
			return text, err
		}
	}
}

func (e *Editor) remember(text string) {
	if strings.TrimSpace(text) == "" || len(e.History) > 0 && e.History[len(e.History)-1] == text {
		return
	}
	e.History = append(e.History, text)
	if len(e.History) > maxHistory {
		e.History = e.History[1:]
	}
}

// key handles one key; done ends the line.
func (e *Editor) key(ctx context.Context, key string) (done bool, err error) {
	tabbed := e.tabbed
	e.tabbed = false
	switch key {
	case "\r", "\n":
		return true, nil
	case "\x03":
		e.write("^C")
		e.line, e.at = e.line[:0], 0
		e.prompt = ""
		return true, ErrInterrupt
	case "\x04":
		if len(e.line) == 0 {
			return true, io.EOF
		}
		e.cut(e.at, e.at+1)
	case "\x7f", "\b":
		e.cut(e.at-1, e.at)
	case "delete":
		e.cut(e.at, e.at+1)
	case "\x01", "home":
		e.move(0)
	case "\x05", "end":
		e.move(len(e.line))
	case "\x02", "left":
		e.move(e.at - 1)
	case "\x06", "right":
		e.move(e.at + 1)
	case "word-left":
		e.move(e.word(-1))
	case "word-right":
		e.move(e.word(+1))
	case "\x0b":
		e.cut(e.at, len(e.line))
	case "\x15":
		e.cut(0, e.at)
	case "\x17":
		e.cut(e.wordStart(), e.at)
	case "\x0c":
		e.write("\x1b[H\x1b[2J")
		e.row = 0
		e.refresh()
	case "\x10", "up":
		e.recall(e.past - 1)
	case "\x0e", "down":
		e.recall(e.past + 1)
	case "\t":
		e.complete(ctx, tabbed)
	default:
		if r, _ := utf8.DecodeRuneInString(key); r >= ' ' && len(key) == utf8.RuneLen(r) {
			e.insert(key)
		}
	}
	return false, nil
}

func (e *Editor) insert(text string) {
	runes := []rune(text)
	e.line = append(e.line[:e.at:e.at], append(runes, e.line[e.at:]...)...)
	e.at += len(runes)
	e.refresh()
}

func (e *Editor) cut(from, to int) {
	from, to = max(from, 0), min(to, len(e.line))
	if from >= to {
		return
	}
	e.line = append(e.line[:from:from], e.line[to:]...)
	e.at = from
	e.refresh()
}

func (e *Editor) move(to int) {
	e.at = min(max(to, 0), len(e.line))
	e.refresh()
}

// word gives where the word before or after the cursor ends.
func (e *Editor) word(step int) int {
	at := e.at
	look := func() rune { return e.line[min(at, at+step, len(e.line)-1)] }
	if step > 0 {
		look = func() rune { return e.line[at] }
	}
	inside := func() bool { return at+step >= 0 && at+step <= len(e.line) }
	for inside() && look() == ' ' {
		at += step
	}
	for inside() && look() != ' ' {
		at += step
	}
	return at
}

// wordStart is the start of the word before the cursor.
func (e *Editor) wordStart() int {
	if e.at == 0 {
		return 0
	}
	return e.word(-1)
}

func (e *Editor) recall(i int) {
	if i < 0 || i > len(e.History) || i == e.past {
		return
	}
	if e.past == len(e.History) {
		e.draft = string(e.line)
	}
	e.past = i
	text := e.draft
	if i < len(e.History) {
		text = e.History[i]
	}
	e.line = []rune(text)
	e.move(len(e.line))
}

// complete inserts what all candidates have in common, or lists them at the second tab.
func (e *Editor) complete(ctx context.Context, again bool) {
	if e.Complete == nil {
		return
	}
	text := string(e.line)
	cursor := len(string(e.line[:e.at]))
	from, words := e.Complete(ctx, text, cursor)
	if len(words) == 0 || from < 0 || from > cursor {
		return
	}
	common := words[0]
	for _, word := range words[1:] {
		for !strings.HasPrefix(word, common) {
			_, size := utf8.DecodeLastRuneInString(common)
			common = common[:len(common)-size]
		}
	}
	if len(words) == 1 && !strings.HasSuffix(common, "/") && !strings.HasSuffix(common, "=") {
		common += " "
	}
	if len(common) > cursor-from || len(words) == 1 {
		rest := string(e.line[e.at:])
		e.line = []rune(text[:from] + common + rest)
		e.at = len([]rune(text[:from] + common))
		e.refresh()
		return
	}
	if e.tabbed = true; again {
		at := e.at
		e.move(len(e.line))
		e.write("\r\n" + columns(words, e.width()) + "\r\n")
		e.row = 0
		e.move(at)
	}
}

// columns lays words out as ls does.
func columns(words []string, width int) string {
	longest := 0
	for _, word := range words {
		longest = max(longest, utf8.RuneCountInString(word))
	}
	perRow := max(width/(longest+2), 1)
	rows := (len(words) + perRow - 1) / perRow
	var b strings.Builder
	for row := range rows {
		if row > 0 {
			b.WriteString("\r\n")
		}
		for i := row; i < len(words); i += rows {
			b.WriteString(words[i])
			if i+rows < len(words) {
				b.WriteString(strings.Repeat(" ", longest+2-utf8.RuneCountInString(words[i])))
			}
		}
	}
	return b.String()
}

func (e *Editor) width() int {
	if cols, _ := e.term.Size(); cols > 0 {
		return cols
	}
	return 80
}

// refresh draws prompt and line and puts the cursor where it belongs, over several rows if the
// line is longer than the terminal is wide.
func (e *Editor) refresh() {
	width := e.width()
	lead := visible(e.prompt)
	var b strings.Builder
	if e.row > 0 {
		b.WriteString("\x1b[" + itoa(e.row) + "A")
	}
	b.WriteString("\r\x1b[J" + e.prompt + string(e.line))
	end := lead + len(e.line)
	if end > 0 && end%width == 0 {
		b.WriteString("\r\n") // the terminal keeps its cursor on the full row
	}
	endRow, atRow, atCol := end/width, (lead+e.at)/width, (lead+e.at)%width
	if endRow > atRow {
		b.WriteString("\x1b[" + itoa(endRow-atRow) + "A")
	}
	b.WriteString("\r")
	if atCol > 0 {
		b.WriteString("\x1b[" + itoa(atCol) + "C")
	}
	e.row = atRow
	e.write(b.String())
}

func (e *Editor) write(text string) { _, _ = io.WriteString(e.out, text) }
