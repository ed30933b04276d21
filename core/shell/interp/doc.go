// Package interp interprets shell scripts: POSIX, with what bash adds that scripts use ([[ ]],
// (( )), arrays, brace expansion, <<<).
//
// Parsing and word expansion are mvdan.cc/sh/v3's (syntax, expand, pattern). Execution is here,
// and not mvdan.cc/sh/v3/interp's, for what an in-tab container asks of it: no os.Pipe, which
// js lacks; no access(2) and stat(2) on the machine's files behind cd, test and command -v;
// standard input that is shared with the programs that it runs and not read ahead; signals
// (trap … TERM, an interruptible wait, process 1); and no panic in a goroutine of its own,
// which would end the whole tab. Its tests are that package's own table of scripts.
//
// It may import core/program, core/shell/regex and mvdan.cc/sh/v3. It must never use package os but for its
// flags and errors, nor loop without asking its context.
package interp
