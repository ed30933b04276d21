package kubectl

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell"
)

// completePatience is how long a completion that asks the apiserver may take.
const completePatience = 3 * time.Second

// Word is one word that may stand at the cursor, with what upstream says about it, if anything.
type Word struct{ Text, Help string }

// Complete gives the words that may stand at the byte offset cursor of line, each to replace
// line[from:cursor]: upstream kubectl's own completion behind `kubectl` and `k`, commands and
// files elsewhere. While a line runs there is none.
func (s *Session) Complete(ctx context.Context, line string, cursor int) (from int, words []Word) {
	cursor = min(max(cursor, 0), len(line))
	if s.refused || !s.running.TryLock() {
		return cursor, nil
	}
	defer s.running.Unlock()
	sh := s.open()
	typed := shell.Read(line[:cursor])
	if isKubectl := len(typed.Before) > 0 && (typed.Before[0] == "kubectl" || typed.Before[0] == "k"); isKubectl && !typed.Target {
		if typed.Expands {
			return typed.From, nil
		}
		words, files := s.kubectlWords(ctx, typed.Before[1:], typed.Word)
		if !files {
			return typed.From, quoted(words)
		}
		from, names := shell.FilesFor(typed, sh.Dir(), s.terminal.opts.Home, s.terminal.opts.FS)
		return from, plain(names)
	}
	p := &program.Process{FS: s.terminal.opts.FS}
	from, names := shell.Complete(sh, p, line, cursor)
	if len(typed.Before) == 0 && !typed.Target {
		for _, name := range []string{"kubectl", "vi", "nano", "history"} {
			if strings.HasPrefix(name, typed.Word) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
	}
	return from, plain(names)
}

// quoted gives words as they must be typed: names in a cluster are their makers' choice, and the
// shell must take each for one word. What is said of a word is only shown.
func quoted(words []Word) (safe []Word) {
	for _, w := range words {
		if text, ok := shell.Quote(w.Text); ok {
			safe = append(safe, Word{text, strings.Map(visible, w.Help)})
		}
	}
	return safe
}

// visible leaves out what a terminal would obey rather than show.
func visible(c rune) rune {
	if c != ' ' && !unicode.IsGraphic(c) {
		return -1
	}
	return c
}

func plain(texts []string) (words []Word) {
	for _, text := range texts {
		words = append(words, Word{Text: text})
	}
	return words
}

// kubectlWords asks upstream's hidden command __complete (github.com/spf13/cobra,
// completions.go), as its completion scripts do. files says that file names belong here.
func (s *Session) kubectlWords(ctx context.Context, before []string, word string) (words []Word, files bool) {
	ctx, cancel := context.WithTimeout(ctx, completePatience)
	defer cancel()
	var out bytes.Buffer
	o := s.terminal.opts
	args := append([]string{"kubectl", cobra.ShellCompRequestCmd}, before...)
	code := s.terminal.programs["kubectl"](ctx, &program.Process{
		Args: append(args, word), Dir: s.open().Dir(), Env: []string{"HOME=" + o.Home},
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: new(bytes.Buffer), FS: o.FS,
	})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	last := lines[len(lines)-1]
	if code != 0 || !strings.HasPrefix(last, ":") {
		return nil, false
	}
	directive := 0
	for _, digit := range last[1:] {
		directive = directive*10 + int(digit-'0')
	}
	for _, line := range lines[:len(lines)-1] {
		if strings.HasPrefix(line, word) && line != "" {
			text, help, _ := strings.Cut(line, "\t")
			words = append(words, Word{text, help})
		}
	}
	slices.SortFunc(words, func(a, b Word) int { return strings.Compare(a.Text, b.Text) })
	words = slices.CompactFunc(words, func(a, b Word) bool { return a.Text == b.Text })
	noFiles := cobra.ShellCompDirective(directive)&(cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveError) != 0
	return words, len(words) == 0 && !noFiles
}
