package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/wasm/overlay"
)

// arguments are not printed by a program without their table.
var arguments = regexp.MustCompile(`\(([^()]*0x[^()]*|\.\.\.)?\)$`)

func withoutArguments(trace string) string {
	lines := strings.Split(trace, "\n")
	for i, line := range lines {
		lines[i] = arguments.ReplaceAllString(line, "()")
	}
	return strings.Join(lines, "\n")
}

// A program that was linked without its lines, and its trace with the lines put back, tell what the
// same program tells that has them.
func TestTheLinesOfATraceComeBack(t *testing.T) {
	d, err := overlay.Find()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(d.Out, "vendor", "modules.txt")); err != nil {
		t.Skip("nothing is built for js yet (scripts/build)")
	}
	program, err := link(d, "./wasm/lines/testdata/trace")
	if err != nil {
		t.Fatal(err)
	}
	full := runModule(t, d, filepath.Join(d.Out, "lines.wasm"))
	short := filepath.Join(t.TempDir(), "short.wasm")
	if out, err := overlay.Command(d, "build", overlay.FuncLines, "-o", short, "./wasm/lines/testdata/trace").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	trace := runModule(t, d, short)
	for _, want := range []string{"index out of range [2] with length 0", "main.apart(", "main.(*list[...]).do(", "main.go:25 +0x"} {
		if !strings.Contains(trace, want) {
			t.Errorf("the trace without lines lacks %q:\n%s", want, trace)
		}
	}
	var back bytes.Buffer
	if err := translate(strings.NewReader(trace), &back, program); err != nil {
		t.Fatal(err)
	}
	if got, want := withoutArguments(back.String()), withoutArguments(full); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !strings.Contains(full, "main.once(...)") {
		t.Errorf("nothing was inlined, so that nothing of it was tried:\n%s", full)
	}
}

func runModule(t *testing.T, d overlay.Dirs, file string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(d.GOROOT, "lib", "wasm", "go_js_wasm_exec"), file)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, said.String())
	}
	if !strings.Contains(said.String(), "main.go ") || !strings.HasSuffix(said.String(), " true\n") {
		t.Errorf("runtime.Caller says %q", said.String())
	}
	return string(out)
}

func TestTextThatIsNoTraceStaysAsItIs(t *testing.T) {
	d, err := overlay.Find()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(d.Out, "vendor", "modules.txt")); err != nil {
		t.Skip("nothing is built for js yet (scripts/build)")
	}
	program, err := link(d, "./wasm/lines/testdata/trace")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"", "hello\n", "main.apart(\n\tx:1 +0x3\n", "nobody.knows()\n\tx.go:1 +0x3\n", "main.apart()\n\tx.go:1 +0xfffffffff\n",
		"main.apart()\n", "\tx.go:1 +0x3\n", "main.apart()\n\tx.go:1\n",
	} {
		var out bytes.Buffer
		if err := translate(strings.NewReader(text), &out, program); err != nil || strings.TrimSuffix(out.String(), "\n") != strings.TrimSuffix(text, "\n") {
			t.Errorf("%q became %q, %v", text, out.String(), err)
		}
	}
	// A PC that no function of this size has.
	var out bytes.Buffer
	if err := translate(strings.NewReader("main.apart()\n\tx.go:1 +0xffff\n"), &out, program); err != nil || !strings.Contains(out.String(), "main.apart()\n") {
		t.Errorf("%q, %v", out.String(), err)
	}
}
