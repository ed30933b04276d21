// Command lines puts the lines back into a trace of the tab's program, in which every PC of a function
// is in the line where the function begins (ADR 25): it reads the trace and prints it with the line
// that each PC is in, and the calls that were inlined there.
//
//	go run ./wasm/lines < trace        links what the working tree holds with all lines first
//
// The sources have to be those that the tab was built from. It may import the standard library,
// wasm/gomodule and wasm/overlay.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/wasm/gomodule"
	"github.com/tabernetes/tabernetes/wasm/overlay"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "lines:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	d, err := overlay.Find()
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "lines: linking the program with all its lines; about a minute")
	program, err := link(d, "./wasm")
	if err != nil {
		return err
	}
	return translate(in, out, program)
}

// link builds a main package for the tab with every table, and reads them.
func link(d overlay.Dirs, main string) (*gomodule.Program, error) {
	if _, err := overlay.Vendor(d); err != nil {
		return nil, err
	}
	if err := overlay.Generate(d, overlay.Table()); err != nil {
		return nil, err
	}
	if _, err := overlay.BuildLinker(d); err != nil {
		return nil, err
	}
	file := filepath.Join(d.Out, "lines.wasm")
	cmd := overlay.Command(d, "build", "-o", file, main)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build %s: %w\n%s", main, err, out)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	m, err := gomodule.Read(raw)
	if err != nil {
		return nil, err
	}
	return m.Program()
}

// position is the second line of a frame as the runtime prints it: file, line, and the PC's
// distance from the function's entry.
var position = regexp.MustCompile(`^\t\S+:\d+ \+0x([0-9a-f]{1,5})$`)

// translate copies a trace, which is anybody's text. What it does not know it leaves as it is.
func translate(in io.Reader, out io.Writer, p *gomodule.Program) error {
	byName := map[string][]*gomodule.Function{}
	for i := range p.Functions {
		f := &p.Functions[i]
		byName[printed(f.Name)] = append(byName[printed(f.Name)], f)
	}
	trace, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read the trace: %w", err)
	}
	w := bufio.NewWriter(out)
	lines := strings.Split(strings.TrimSuffix(string(trace), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		fmt.Fprint(w, frame(p, byName, lines, &i))
	}
	return w.Flush()
}

// frame is what stands for lines[*i], and for the one after it where both are of one frame.
func frame(p *gomodule.Program, byName map[string][]*gomodule.Function, lines []string, i *int) string {
	plain := lines[*i] + "\n"
	if *i+1 == len(lines) {
		return plain
	}
	known := byName[nameIn(lines[*i])]
	at := position.FindStringSubmatch(lines[*i+1])
	if at == nil || len(known) == 0 {
		return plain
	}
	*i++
	offset, _ := strconv.ParseUint(at[1], 16, 32) // the expression has it at five digits
	if offset > 0 {
		offset-- // where it returns to is behind the call
	}
	var b strings.Builder
	calls := p.Frames(known[0], uint32(offset))
	for _, call := range calls[:len(calls)-1] {
		fmt.Fprintf(&b, "%s(...)\n\t%s:%d\n", printed(call.Function), call.File, call.Line)
	}
	last := calls[len(calls)-1]
	fmt.Fprintf(&b, "%s\t%s:%d +0x%s", plain, last.File, last.Line, at[1])
	if len(known) > 1 {
		fmt.Fprintf(&b, " (or another of %d functions of this name)", len(known))
	}
	return b.String() + "\n"
}

// printed is a function's name as the runtime prints it: without the types of its parameters.
func printed(name string) string {
	from, to := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']')
	if from < 0 || to < from {
		return name
	}
	return name[:from] + "[...]" + name[to+1:]
}

// nameIn is the function in a line of a trace: "name(0x1, 0x2)", "created by name in goroutine 1".
func nameIn(line string) string {
	if name, ok := strings.CutPrefix(line, "created by "); ok {
		name, _, _ = strings.Cut(name, " in goroutine ")
		return name
	}
	i := strings.LastIndexByte(line, '(')
	if i < 0 || !strings.HasSuffix(line, ")") {
		return ""
	}
	if line[:i] == "panic" { // as runtime.printFuncName calls it
		return "runtime.gopanic"
	}
	return line[:i]
}
