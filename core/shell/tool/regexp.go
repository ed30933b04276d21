package tool

import "github.com/tabernetes/tabernetes/core/shell/regex"

// compile translates a POSIX regular expression, basic or extended, into Go's (RE2), which
// has no back-references but also no input that takes it exponential time. What it takes is held.
func (t *T) compile(expr string, extended, fold, groups bool) (*regex.Regexp, error) {
	if !extended {
		expr = regex.FromBasic(expr)
	}
	return t.compilePerl(regex.FromExtended(expr), fold, groups)
}

// compilePerl compiles what is Perl's syntax already, as far as RE2 has it: neither lookaround, nor
// back-references, nor \K. What it lacks is in the error.
func (t *T) compilePerl(expr string, fold, groups bool) (*regex.Regexp, error) {
	if fold {
		expr = "(?i)" + expr
	}
	if len(expr) > regex.MaxExpr {
		return nil, regex.ErrSize
	}
	parsing := t.Memory()
	defer parsing.Free()
	if err := parsing.Grow(len(expr) * regex.ParseMemory); err != nil {
		return nil, err
	}
	re, err := regex.Compile(expr)
	if err != nil {
		return nil, err
	}
	return re, t.hold(re.Memory(groups))
}
