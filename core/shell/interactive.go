package shell

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell/interp"
	"github.com/tabernetes/tabernetes/core/shell/line"
)

// interactive is the shell at a terminal: it reads lines with a prompt and runs them, until
// `exit`, ctrl-d or the terminal is gone.
func interactive(ctx context.Context, p *program.Process, s *interp.Shell, typed *line.History) int {
	s.SetOption("interactive", true)
	in := program.NewInput(p.Stdin)
	editor := &line.Editor{Complete: func(_ context.Context, text string, cursor int) (int, []string) {
		return Complete(s, p, text, cursor)
	}}
	for ctx.Err() == nil {
		s.ReportJobs()
		text, err := readCommand(ctx, editor, in, p, s)
		switch {
		case errors.Is(err, line.ErrInterrupt):
			continue
		case err != nil:
			_, _ = io.WriteString(p.Stdout, "\n")
			return s.End(ctx)
		}
		typed.Remember(text)
		s.Run(ctx, text)
		if s.Exited() {
			break
		}
	}
	return s.Status()
}

// withHistory is p with the program history.
func withHistory(p *program.Process, typed *line.History) *program.Process {
	own, find := *p, p.Lookup
	own.Lookup = func(name string) (program.Program, bool) {
		if name == "history" {
			return program.DefaultSignals(func(_ context.Context, p *program.Process) int { return typed.Main(p) }), true
		}
		if find == nil {
			return nil, false
		}
		return find(name)
	}
	return &own
}

// readCommand reads lines until they are a whole command.
func readCommand(ctx context.Context, editor *line.Editor, in *program.Input, p *program.Process, s *interp.Shell) (string, error) {
	text, prompt := "", Prompt(s.Getenv("PS1"), s, p.Hostname)
	for {
		more, err := editor.ReadLine(ctx, in.Reader(ctx), p.Stdout, p.Terminal, prompt)
		if err != nil {
			return "", err
		}
		text += more + "\n"
		if !interp.Incomplete(text) {
			return text, nil
		}
		prompt = s.Getenv("PS2")
	}
}

// Prompt expands \w, \W, \h, \u, \$ and \e in a prompt.
func Prompt(ps string, s *interp.Shell, hostname string) string {
	dir := s.Dir()
	if home := s.Getenv("HOME"); home != "" && home != "/" {
		if rest, ok := strings.CutPrefix(dir, home); ok && (rest == "" || rest[0] == '/') {
			dir = "~" + rest
		}
	}
	return strings.NewReplacer(`\w`, dir, `\W`, path.Base(dir), `\h`, hostname, `\u`, "root",
		`\$`, "#", `\e`, "\x1b", `\033`, "\x1b", `\[`, "", `\]`, "", `\n`, "\r\n").Replace(ps)
}

// Complete gives the words that may stand at cursor, quoted where the shell would take them for
// something else: commands at the start of one, files elsewhere. Each is to replace
// text[from:cursor].
func Complete(s *interp.Shell, p *program.Process, text string, cursor int) (from int, words []string) {
	typed := Read(text[:cursor])
	if typed.Expands {
		return typed.From, nil
	}
	word := typed.Word
	if len(typed.Before) == 0 && !typed.Target && !strings.ContainsAny(word, "/=") {
		names := s.Words()
		names = append(names, "history") // interactive has it
		for name := range Tools() {
			names = append(names, name)
		}
		for _, name := range names {
			if strings.HasPrefix(name, word) && name != "" {
				words = append(words, name)
			}
		}
		slices.Sort(words)
		return typed.From, slices.Compact(words)
	}
	return FilesFor(typed, s.Dir(), s.Getenv("HOME"), p.FS)
}

// FilesFor gives the files that may stand at the cursor, quoted, after the = of a flag or an
// assignment, too. Each is to replace what has been typed from the offset from on.
func FilesFor(typed Typed, dir, home string, fsys *program.FS) (from int, words []string) {
	from, word := typed.From, typed.Word
	if name, value, ok := strings.Cut(word, "="); ok && plain(name) {
		from, word = from+len(name)+1, value
	}
	for _, name := range Files(dir, home, fsys, word) {
		if quoted, ok := Quote(name); ok {
			words = append(words, quoted)
		}
	}
	return from, words
}

// Files gives the files whose names begin with word, as it is typed: relative to dir, or ~/.
func Files(dir, home string, fsys *program.FS, word string) (words []string) {
	folder, prefix := path.Split(word)
	in := folder
	if rest, ok := strings.CutPrefix(in, "~/"); ok {
		in = path.Join(home, rest)
	}
	if !path.IsAbs(in) {
		in = path.Join(dir, in)
	}
	entries, err := fsys.ReadDir(in)
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, prefix) || strings.HasPrefix(name, ".") && prefix == "" {
			continue
		}
		if info, err := fsys.Stat(path.Join(in, name)); err == nil && info.IsDir() {
			name += "/"
		}
		words = append(words, folder+name)
	}
	return words
}
