package nginx

import (
	"context"
	"net/http"
	"strings"

	"github.com/tabernetes/tabernetes/core/shell/regex"
)

// script is what ngx_http_rewrite_module does in a block: set, rewrite, return, break and if, in the order in
// which they stand.
type script []step

// step is one of them.
type step interface{ run(q *request) verdict }

// verdict says how a script goes on.
type verdict int

const (
	next     verdict = iota
	ended            // by last or break: no further step
	answered         // nothing is left to do for the request
)

func (s script) run(q *request) verdict {
	for _, one := range s {
		if v := one.run(q); v != next {
			return v
		}
	}
	return next
}

// setVariable is "set".
type setVariable struct{ name, value string }

func (s setVariable) run(q *request) verdict {
	if !q.set(s.name, q.expand(s.value)) {
		q.m.errorf("error", "the variables of a request hold more than %d bytes, at \"set $%s\"", maxVariables, s.name)
		q.fail(http.StatusInternalServerError)
		return answered
	}
	return next
}

// breaks is "break": the URI stays in the location that it has.
type breaks struct{}

func (breaks) run(q *request) verdict {
	q.changed = false
	return ended
}

func (r *returnRule) run(q *request) verdict {
	q.doReturn(r)
	return answered
}

// rewrite is "rewrite".
type rewrite struct {
	re   *regex.Regexp
	path string
	// args are those of the replacement; hasArgs if it has a question mark.
	args    string
	hasArgs bool
	// keepArgs adds those of the request: unless the replacement ends with a question mark.
	keepArgs bool
	code     int // of a redirection, else 0
	flag     string
}

func (w *rewrite) run(q *request) verdict {
	groups := matched(q.ctx, w.re, q.uri)
	if groups == nil {
		return next
	}
	q.capture(w.re, groups)
	path, args := q.expandQuoted(w.path, w.code != 0), q.args
	if w.hasArgs {
		args = q.expandQuoted(w.args, true)
		if w.keepArgs && q.args != "" {
			args += "&" + q.args
		}
	}
	if w.code != 0 {
		if args != "" && (w.hasArgs || w.keepArgs) {
			path += "?" + args
		}
		q.w.Header().Set("Location", q.absolute(path))
		q.page(w.code)
		return answered
	}
	if path == "" {
		q.m.errorf("error", "the rewritten URI has a zero length")
		q.fail(http.StatusInternalServerError)
		return answered
	}
	q.uri, q.args, q.internal = path, args, true
	q.changed = w.flag != "break"
	if w.flag != "" {
		return ended
	}
	return next
}

// branch is "if": what stands in it holds for the request from there on, and is inherited otherwise.
type branch struct {
	holds    func(q *request) bool
	settings settings
}

func (b *branch) run(q *request) verdict {
	if !b.holds(q) {
		return next
	}
	if q.location != nil {
		q.settings = &b.settings
	}
	return b.settings.script.run(q)
}

// maxVariables bounds what a request's variables are given, in bytes, over all of them and all its scripts: a few
// lines of "set $a $a$a" would take all memory. nginx has no such bound.
const maxVariables = 1 << 20

// set gives a variable its value for the rest of the request; false if that is too much.
func (q *request) set(name, value string) bool {
	if q.held += len(value); q.held > maxVariables {
		return false
	}
	if q.vars == nil {
		q.vars = map[string]string{}
	}
	q.vars[name] = value
	return true
}

// matched gives what a regular expression and its groups match in a text; nil if it does not match.
func matched(ctx context.Context, re *regex.Regexp, text string) []string {
	match := re.FindGroups(ctx, text)
	if match == nil {
		return nil
	}
	groups := make([]string, len(match)/2)
	for i := range groups {
		if match[2*i] >= 0 {
			groups[i] = text[match[2*i]:match[2*i+1]]
		}
	}
	return groups
}

// capture notes what the groups of a regular expression have matched.
func (q *request) capture(re *regex.Regexp, groups []string) {
	q.groups = groups
	for i, name := range re.GroupNames() {
		if name != "" {
			q.set(name, groups[i])
		}
	}
}

// expandQuoted is expand, with what was matched escaped if the request had it escaped: so nginx does it in
// arguments and redirections (ngx_http_script_copy_capture_code).
func (q *request) expandQuoted(text string, quote bool) string {
	if !quote || !strings.ContainsAny(q.r.RequestURI, "%+") {
		return q.expand(text)
	}
	return q.expandAs(text, func(name string) string {
		if strings.Trim(name, "0123456789") != "" {
			return q.value(name)
		}
		return escapeArgs(q.value(name))
	})
}

// escapeArgs escapes as nginx does what stands in arguments (NGX_ESCAPE_ARGS).
func escapeArgs(text string) string {
	var b strings.Builder
	const hex = "0123456789ABCDEF"
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("#%+;?", c) >= 0 {
			b.WriteString("%" + string(hex[c>>4]) + string(hex[c&15]))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
