package pager

import "fmt"

// find takes a pattern that was typed; an empty one is the one before.
func (p *pager) find(pattern string, backwards bool) {
	p.backwards = backwards
	if pattern != "" {
		compiled, err := p.opts.Compile(pattern)
		if err != nil {
			p.message = fmt.Sprintf("%s: %v", pattern, err)
			return
		}
		p.pattern = compiled
	}
	p.search(backwards)
}

// search goes to the next line that has the pattern, and reads on for it.
func (p *pager) search(backwards bool) {
	if p.pattern == nil {
		p.message = "no pattern yet; /text searches"
		return
	}
	step, at := 1, p.top.line+1
	if backwards {
		step, at = -1, p.top.line-1
	} else if p.top == (place{}) && !p.searched {
		at = 0 // the first search finds what is on the first line, too
	}
	p.searched = true
	p.wait(func() bool {
		for ; at >= 0 && at < len(p.lines); at += step {
			if p.pattern.Match(p.ctx, p.plain(p.lines[at])) {
				p.top = place{at, 0}
				return true
			}
			if at%256 == 0 && p.ctx.Err() != nil {
				return true
			}
		}
		if at < 0 || p.whole != nil {
			p.message = "Pattern not found"
			return true
		}
		return false
	})
}
