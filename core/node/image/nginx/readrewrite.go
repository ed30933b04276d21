package nginx

import (
	"io/fs"
	"net/http"
	"slices"
	"strings"
)

// scripted are the directives of ngx_http_rewrite_module that make a script.
var scripted = []string{"set", "rewrite", "return", "break", "if"}

// step reads a directive of a script. What stands in an if is read when its block is whole (branches).
func (l *loader) step(d directive, s *settings) error {
	wrong := func() error { return d.errorf("invalid number of arguments in %q directive", d.name) }
	switch d.name {
	case "set":
		if len(d.args) != 2 {
			return wrong()
		}
		name, ok := strings.CutPrefix(d.args[0], "$")
		if !ok {
			return d.errorf("invalid variable name %q", d.args[0])
		}
		s.script = append(s.script, setVariable{name, d.args[1]})
	case "break":
		if len(d.args) != 0 {
			return wrong()
		}
		s.script = append(s.script, breaks{})
	case "return":
		if len(d.args) < 1 || len(d.args) > 2 {
			return wrong()
		}
		rule, err := newReturn(d)
		if err != nil {
			return err
		}
		s.script = append(s.script, rule)
	case "rewrite":
		if len(d.args) < 2 || len(d.args) > 3 {
			return wrong()
		}
		one, err := l.newRewrite(d)
		if err != nil {
			return err
		}
		s.script = append(s.script, one)
	case "if":
		holds, err := l.condition(d)
		if err != nil {
			return err
		}
		b := &branch{holds: holds}
		s.script = append(s.script, b)
		s.branches = append(s.branches, unread{d, b})
	}
	return nil
}

// unread is an if whose block is yet to be read.
type unread struct {
	d directive
	b *branch
}

// readBranches reads what stands in ifs, which inherit from all of the block around them.
func (l *loader) readBranches(s *settings) error {
	for _, one := range s.branches {
		inside := s.child()
		inside.proxyPass, inside.denied, inside.status, inside.internal, inside.except = s.proxyPass, s.denied, s.status, s.internal, s.except
		for _, d := range one.d.block {
			if slices.Contains([]string{"if", "location", "try_files", "limit_except"}, d.name) {
				return d.errorf("%q directive is not allowed here", d.name)
			}
			if err := l.setting(d, &inside); err != nil {
				return err
			}
		}
		one.b.settings = inside
	}
	s.branches = nil
	return nil
}

func (l *loader) newRewrite(d directive) (*rewrite, error) {
	re, err := l.compile(d.args[0])
	if err != nil {
		return nil, d.errorf("regular expression %q: %v", d.args[0], err)
	}
	text, flag := d.args[1], arg(d, 2)
	w := &rewrite{re: re, flag: flag}
	switch flag {
	case "", "last", "break":
		if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "$scheme") {
			w.code = http.StatusFound
		}
	case "redirect":
		w.code = http.StatusFound
	case "permanent":
		w.code = http.StatusMovedPermanently
	default:
		return nil, d.errorf("invalid parameter %q", flag)
	}
	text, ends := strings.CutSuffix(text, "?")
	w.keepArgs = !ends
	w.path, w.args, w.hasArgs = strings.Cut(text, "?")
	w.hasArgs = w.hasArgs || ends
	return w, nil
}

// condition reads what stands in the brackets of an if.
func (l *loader) condition(d directive) (func(*request) bool, error) {
	words := slices.Clone(d.args)
	invalid := func(word string) error { return d.errorf("invalid condition %q", word) }
	if len(words) == 0 {
		return nil, d.errorf(`invalid number of arguments in "if" directive`)
	}
	if !strings.HasPrefix(words[0], "(") {
		return nil, invalid(words[0])
	}
	if words[0] = words[0][1:]; words[0] == "" {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil, invalid(d.args[0])
	}
	if !strings.HasSuffix(words[len(words)-1], ")") {
		return nil, invalid(words[len(words)-1])
	}
	last := len(words) - 1
	if words[last] = strings.TrimSuffix(words[last], ")"); words[last] == "" {
		words = words[:last]
	}
	if len(words) == 0 {
		return nil, invalid(d.args[len(d.args)-1])
	}
	if strings.HasPrefix(words[0], "-") || strings.HasPrefix(words[0], "!-") {
		return fileCondition(words, invalid)
	}
	if len(words[0]) < 2 || words[0][0] != '$' {
		return nil, invalid(words[0])
	}
	switch variable := words[0]; {
	case len(words) == 1:
		return func(q *request) bool {
			value := q.expand(variable)
			return value != "" && value != "0"
		}, nil
	case len(words) != 3:
		return nil, invalid(words[0])
	default:
		return l.comparison(d, variable, words[1], words[2])
	}
}

func (l *loader) comparison(d directive, variable, operator, with string) (func(*request) bool, error) {
	plain, negative := strings.CutPrefix(operator, "!")
	switch plain {
	case "=":
		return func(q *request) bool { return (q.expand(variable) == q.expand(with)) != negative }, nil
	case "~", "~*":
		text := with
		if plain == "~*" {
			text = "(?i)" + text
		}
		re, err := l.compile(text)
		if err != nil {
			return nil, d.errorf("regular expression %q: %v", with, err)
		}
		return func(q *request) bool {
			groups := matched(q.ctx, re, q.expand(variable))
			if groups != nil {
				q.capture(re, groups)
			}
			return (groups != nil) != negative
		}, nil
	}
	return nil, d.errorf("unexpected %q in condition", operator)
}

func fileCondition(words []string, invalid func(string) error) (func(*request) bool, error) {
	operator, negative := strings.CutPrefix(words[0], "!")
	if len(words) != 2 {
		return nil, invalid(words[0])
	}
	var is func(fs.FileInfo) bool
	switch operator {
	case "-f":
		is = func(i fs.FileInfo) bool { return i.Mode().IsRegular() }
	case "-d":
		is = fs.FileInfo.IsDir
	case "-e":
		is = func(fs.FileInfo) bool { return true }
	case "-x":
		is = func(i fs.FileInfo) bool { return i.Mode()&0o111 != 0 }
	default:
		return nil, invalid(words[0])
	}
	return func(q *request) bool {
		info, err := q.m.p.FS.Stat(q.expand(words[1]))
		return (err == nil && is(info)) != negative
	}, nil
}

// methods are those that limit_except knows.
var methods = []string{"GET", "HEAD", "POST", "PUT", "DELETE", "MKCOL", "COPY", "MOVE", "OPTIONS", "PROPFIND", "PROPPATCH", "LOCK", "UNLOCK", "PATCH"}

// exception is "limit_except": what holds for all methods but these, for which the location's script does not.
type exception struct {
	methods []string
	denied  bool
}

func (l *loader) limitExcept(d directive, s *settings) error {
	if len(d.args) == 0 {
		return d.errorf(`invalid number of arguments in "limit_except" directive`)
	}
	e := &exception{}
	for _, name := range d.args {
		name = strings.ToUpper(name)
		if !slices.Contains(methods, name) {
			return d.errorf("invalid method %q", name)
		}
		e.methods = append(e.methods, name)
		if name == http.MethodGet {
			e.methods = append(e.methods, http.MethodHead)
		}
	}
	inside := s.child()
	for _, in := range d.block {
		if err := l.setting(in, &inside); err != nil {
			return err
		}
	}
	e.denied = inside.denied
	s.except = e
	return nil
}

// of tells whether it is about a method.
func (e *exception) of(method string) bool {
	return e != nil && !slices.Contains(e.methods, method)
}
