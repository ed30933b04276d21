package lesson

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Parse reads lesson.md. All that is wrong with it is returned at once, by line.
func Parse(raw []byte) (*Lesson, Problems) {
	l, problems := &Lesson{}, Problems(nil)
	if len(raw) > MaxFile {
		problems.add(0, "it has %d bytes; a lesson has at most %d", len(raw), MaxFile)
		return l, problems
	}
	if !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0 {
		problems.add(0, "it is not text in UTF-8")
		return l, problems
	}
	whole := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(raw))
	body, skipped := l.readFront(whole, &problems)
	if n := strings.Count(body, "]("); n > maxLinks {
		problems.add(0, "it has %d links and images; a lesson has at most %d", n, maxLinks)
		return l, problems
	}
	if line := tooDeep(body); line > 0 {
		problems.add(skipped+line, "more than %d lists and quotes stand within one another", maxNesting)
		return l, problems
	}
	r := &reader{lesson: l, source: []byte(body), skipped: skipped, problems: &problems}
	document := goldmark.DefaultParser().Parse(text.NewReader(r.source))
	for node := document.FirstChild(); node != nil; node = node.NextSibling() {
		r.block(node)
	}
	r.close()
	return l, problems.sorted()
}

// A parser's work grows with the square of how deep things lie in one another.
var containers = regexp.MustCompile(fmt.Sprintf(`^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){%d}`, maxNesting+1))

func tooDeep(body string) int {
	n := 0
	for line := range strings.SplitSeq(body, "\n") {
		if n++; containers.MatchString(line) || strings.HasPrefix(strings.TrimLeft(line, " \t>"), strings.Repeat("[", 200)) {
			return n
		}
	}
	return 0
}

type reader struct {
	lesson   *Lesson
	source   []byte
	skipped  int // lines before source
	problems *Problems
	step     *Step // nil before the first
	last     *Part // an output may follow it
	parts    int
}

// lineOf is where a node begins. Blocks without text have the line of what is in them.
func (r *reader) lineOf(node ast.Node) int {
	at := -1
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if code, ok := n.(*ast.FencedCodeBlock); ok && code.Info != nil {
			at = code.Info.Segment.Start
			return ast.WalkStop, nil
		}
		if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
			at = n.Lines().At(0).Start
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	if at < 0 {
		return 0
	}
	return r.skipped + 1 + bytes.Count(r.source[:at], []byte("\n"))
}

func (r *reader) block(node ast.Node) {
	line := r.lineOf(node)
	r.look(node)
	last := r.last
	r.last = nil
	switch n := node.(type) {
	case *ast.Heading:
		switch n.Level {
		case 1:
			r.problems.add(line, "a lesson's title stands between the lines of ---; a step begins with ##")
		case 2:
			r.begin(line, plain(n, r.source))
		}
	case *ast.Blockquote:
		if isHint(n, r.source) {
			r.add(Part{Kind: Hint, Line: line})
		}
	case *ast.FencedCodeBlock:
		r.fenced(n, line, last)
	}
}

func (r *reader) fenced(n *ast.FencedCodeBlock, line int, last *Part) {
	var said string
	if n.Info != nil {
		said = string(n.Info.Segment.Value(r.source))
	}
	in, err := parseInfo(said)
	if _, acts := may[in.language]; err != nil && !acts && aliases[in.language] == "" {
		return // a language of somebody's with attributes of its own
	}
	var p *Part
	if err == nil {
		p, err = in.part(string(n.Lines().Value(r.source)))
	}
	switch {
	case err != nil:
		r.problems.add(line, "%v", err)
	case p == nil:
	case p.Kind == output:
		if last == nil || last.Kind != Run || last.Output != "" {
			r.problems.add(line, "a block of output follows the block of shell that prints it")
			return
		}
		last.Output = p.Text
	default:
		p.Line = line
		r.add(*p)
	}
}

func (r *reader) add(p Part) {
	if r.parts++; r.parts > MaxParts {
		if r.parts == MaxParts+1 {
			r.problems.add(p.Line, "a lesson has at most %d blocks", MaxParts)
		}
		return
	}
	if r.step != nil {
		r.step.Parts = append(r.step.Parts, p)
		r.last = &r.step.Parts[len(r.step.Parts)-1]
		return
	}
	if !p.Prepare {
		r.problems.add(p.Line, "before the first step, ##, only blocks with prepare can stand")
		return
	}
	r.lesson.Prepare = append(r.lesson.Prepare, p)
	r.last = &r.lesson.Prepare[len(r.lesson.Prepare)-1]
}

func (r *reader) begin(line int, title string) {
	if title == "" || len(title) > MaxTitle {
		r.problems.add(line, "a step's title has from 1 to %d bytes", MaxTitle)
	}
	if len(r.lesson.Steps) == MaxSteps {
		r.problems.add(line, "a lesson has at most %d steps", MaxSteps)
		return
	}
	r.lesson.Steps = append(r.lesson.Steps, Step{Title: title, Line: line})
	r.step = &r.lesson.Steps[len(r.lesson.Steps)-1]
}

func (r *reader) close() {
	if len(r.lesson.Steps) == 0 && len(*r.problems) == 0 {
		r.problems.add(0, "it has no step: a heading \"## …\"")
	}
}

// look finds what a page would not show as it is meant: markup, links and images, blocks that lie too deep.
func (r *reader) look(block ast.Node) {
	line := r.lineOf(block)
	hint := false
	if quote, ok := block.(*ast.Blockquote); ok {
		hint = isHint(quote, r.source)
	}
	_ = ast.Walk(block, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := node.(type) {
		case *ast.HTMLBlock:
			r.html(line, string(n.Lines().Value(r.source)))
		case *ast.RawHTML:
			var markup strings.Builder
			for i := range n.Segments.Len() {
				piece := n.Segments.At(i)
				markup.Write(piece.Value(r.source))
			}
			r.html(line, markup.String())
		case *ast.Link:
			r.link(line, string(n.Destination))
		case *ast.AutoLink:
			r.link(line, string(n.URL(r.source)))
		case *ast.Image:
			r.image(line, string(n.Destination))
		case *ast.FencedCodeBlock:
			if n == block || hint || n.Info == nil {
				break
			}
			in, _ := parseInfo(string(n.Info.Segment.Value(r.source)))
			if _, acts := may[in.language]; (acts || aliases[in.language] != "") && in.language != "yaml" && in.language != "yml" && !in.has("norun") {
				r.problems.add(r.lineOf(n), "a block of %s stands in a list or a quote, where nothing runs: put it at the beginning of the line, or give it norun", in.language)
			}
		}
		return ast.WalkContinue, nil
	})
}

var comment = regexp.MustCompile(`(?s)^\s*<!--.*-->\s*$`)

func (r *reader) html(line int, markup string) {
	if !comment.MatchString(markup) {
		r.problems.add(line, "HTML is not shown: %q", cut(strings.TrimSpace(markup)))
	}
}

var (
	outward = regexp.MustCompile(`^https?://[^\s]+$`)
	inward  = regexp.MustCompile(`^(?:guide:([a-z-]{1,40})|trace:last)$`)
)

func (r *reader) link(line int, to string) {
	within := inward.FindStringSubmatch(to)
	switch {
	case within == nil && !outward.MatchString(to):
		r.problems.add(line, "the link %q is none of http://, https://, guide:CHAPTER and trace:last", cut(to))
		return
	case within != nil && within[1] != "" && !slices.Contains(chapters, within[1]):
		r.problems.add(line, "the guide has no chapter %q: it has %s", within[1], strings.Join(chapters, ", "))
		return
	}
	r.lesson.Links = append(r.lesson.Links, to)
}

func (r *reader) image(line int, to string) {
	if !inFolder(to, ".png", ".jpg", ".jpeg", ".webp", ".gif", ".svg") {
		r.problems.add(line, "the image %q is no picture of the lesson's folder", cut(to))
		return
	}
	r.lesson.Images = append(r.lesson.Images, to)
}

// isHint says whether a quote begins with [!TIP], which GitHub draws as a tip.
func isHint(quote *ast.Blockquote, source []byte) bool {
	first, ok := quote.FirstChild().(*ast.Paragraph)
	if !ok || first.Lines().Len() == 0 {
		return false
	}
	line := first.Lines().At(0)
	return strings.TrimSpace(string(line.Value(source))) == "[!TIP]"
}

// plain is what a heading says.
func plain(node ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}
