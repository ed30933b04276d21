package pager

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell/line"
	"github.com/tabernetes/tabernetes/core/shell/regex"
)

// Options is how a text is shown.
type Options struct {
	Name   string // said until the first key, if it is not empty
	Chop   bool   // lines are cut at the edge, not folded
	Number bool   // lines have numbers
	Colors bool   // the text's colours are shown
	Short  bool   // a text that fits on the screen is printed, and that is all
	Stay   bool   // what was shown stays when the pager ends
	// Start is a command that is typed first: G, or /text. It may be empty.
	Start string
	// Compile makes a regular expression of what was typed.
	Compile func(pattern string) (*regex.Regexp, error)
	// Hold draws bytes of memory for what is kept, and refuses when there is too much. It is called
	// from another goroutine than Show's, and not after Show has returned.
	Hold func(bytes int) error
}

// End is how a person left a text.
type End int

// The ways to leave.
const (
	Quit End = iota
	Next     // to the next file
	Previous
)

// Show shows r on the console, whose output goes to w, until a person leaves it or ctx, which yields,
// ends. The error is that of reading r, if there was one; what was read has been shown nevertheless.
// A read of r that is still going on is waited for: it has to end with stop.
func Show(ctx context.Context, console *program.Console, w io.Writer, open func(stop context.Context) io.Reader, opts Options) (End, error) {
	inner, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	src := newSource(open(inner), opts.Hold)
	p := &pager{
		ctx: ctx, console: console, w: w, opts: opts, batches: src.out, fresh: true,
		keys: make(chan string), asks: make(chan struct{}, 1),
	}
	group.Go(func() { src.run(inner) })
	group.Go(func() { p.readKeys(inner) })
	console.Raw(true)
	defer console.Raw(false)
	if opts.Short && p.short() {
		return Quit, p.failure()
	}
	begin, end := "\x1b[?1049h", "\x1b[?1049l"
	if opts.Stay {
		begin, end = "\x1b[2J", "\r\n"
	}
	p.write(begin + "\x1b[?7l") // a row that is too long for a reason unknown does not push others down
	defer p.write("\x1b[m\x1b[?7h" + end)
	return p.run(), p.failure()
}

// pager is one text on a console.
type pager struct {
	ctx     context.Context
	console *program.Console
	w       io.Writer
	opts    Options
	batches <-chan batch
	keys    chan string
	asks    chan struct{} // one token for each key that is wanted

	lines     []string
	whole     error // why there are no more lines; nil while there may be
	top       place
	shift     int         // columns to the left of a chopped text
	fresh     bool        // no key yet
	count     string      // the number before a key
	asking    string      // / ? or : when something is typed after it
	typed     string      //
	message   string      // until the next key
	pending   func() bool // what waits for more lines; true when it is done
	pattern   *regex.Regexp
	backwards bool
	searched  bool
	follow    bool // the end is shown while it is waited for
}

// readKeys reads a key when it is asked for one, so that what is typed after the last one is for whoever
// comes next.
func (p *pager) readKeys(ctx context.Context) {
	defer close(p.keys)
	keys := line.NewKeys(program.NewInput(p.console.Keys).Reader(ctx))
	for {
		select {
		case <-p.asks:
		case <-ctx.Done():
			return
		}
		key, err := keys.Next()
		if err != nil {
			return
		}
		select {
		case p.keys <- key:
		case <-ctx.Done():
			return
		}
	}
}

// wanted says that more lines are to be read: for the screens ahead, or for what is waited for.
func (p *pager) wanted() <-chan batch {
	_, rows := p.size()
	if p.whole == nil && (p.pending != nil || len(p.lines) < p.top.line+3*rows) {
		return p.batches
	}
	return nil
}

func (p *pager) take(b batch) {
	p.lines = append(p.lines, b.lines...)
	p.whole = b.err
	if p.whole != nil && !errors.Is(p.whole, io.EOF) {
		p.message = p.whole.Error()
	}
}

// wait does f, now or when there are enough lines for it.
func (p *pager) wait(f func() bool) {
	if !f() && p.whole == nil {
		p.pending = f
	}
}

// failure is why the text is not whole.
func (p *pager) failure() error {
	if errors.Is(p.whole, io.EOF) {
		return nil
	}
	return p.whole
}

// run shows the text until it is left.
func (p *pager) run() End {
	for _, r := range p.opts.Start {
		p.key(string(r))
	}
	if p.asking != "" {
		p.key("\r")
	}
	p.draw()
	p.next()
	for p.ctx.Err() == nil {
		select {
		case b := <-p.wanted():
			waited := p.pending != nil
			p.take(b)
			if waited && p.pending() {
				p.pending = nil
			}
			if p.pending != nil && p.whole == nil && !p.follow {
				continue // nothing to be seen yet
			}
			if p.whole != nil {
				p.pending = nil
			}
		case key, ok := <-p.keys:
			if !ok {
				return Quit
			}
			if end, done := p.key(key); done {
				return end
			}
			p.next()
		case <-p.console.Resized():
			p.top.row = 0 // lines are folded elsewhere now
		case <-p.ctx.Done():
			return Quit
		}
		p.draw()
	}
	return Quit
}

// next asks for a key.
func (p *pager) next() {
	select {
	case p.asks <- struct{}{}:
	default:
	}
}

// short prints a text that fits on the screen; false if it does not.
func (p *pager) short() bool {
	_, rows := p.size()
	for p.whole == nil && len(p.lines) <= rows {
		select {
		case b := <-p.batches:
			p.take(b)
		case <-p.ctx.Done():
			return true
		}
	}
	if p.whole == nil || p.last() != (place{}) {
		return false
	}
	var b strings.Builder
	for i := range p.lines {
		colors := ""
		for _, row := range p.rows(i) {
			paint(&b, colors, row)
			b.WriteString("\r\n")
			colors = carry(colors, row)
		}
	}
	p.write(b.String())
	return true
}

// help shows the keys, with this pager's own.
func (p *pager) help() {
	list := &pager{
		ctx: p.ctx, console: p.console, w: p.w, opts: Options{Name: "HELP: q goes back", Compile: p.opts.Compile},
		keys: p.keys, asks: p.asks, fresh: true, lines: strings.Split(strings.TrimSuffix(help, "\n"), "\n"), whole: io.EOF,
	}
	list.run()
}

// where is the answer to =.
func (p *pager) where() string {
	_, rows := p.size()
	text := fmt.Sprintf("lines %d-%d", min(p.top.line+1, len(p.lines)), min(p.top.line+rows, len(p.lines)))
	if p.whole != nil {
		text += fmt.Sprintf(" of %d", len(p.lines))
	}
	if p.opts.Name != "" {
		text = p.opts.Name + ": " + text
	}
	return text
}

func (p *pager) write(text string) { _, _ = io.WriteString(p.w, text) }
