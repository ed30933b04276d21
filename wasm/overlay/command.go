package overlay

import (
	"os"
	"os/exec"
	"strings"
)

// Flags are those of every build and test for js: one set, so that both share the build cache.
var Flags = []string{
	"-mod=vendor",
	"-trimpath",
	"-buildvcs=false",
	// What the linker leaves out, below, is not made, which costs a part of the processor's time for compiling.
	"-gcflags=all=-dwarf=false",
	// -s -w: no symbol table and no DWARF; stack traces keep their names.
	// -checklinkname=0: wasm/goroot seeds the runtime's random numbers anew (random_js.go).
	"-ldflags=-s -w -checklinkname=0",
}

// FuncLines is a flag for what is built for the tab, after those of Flags: no lines but those where
// functions begin. What reads lines is told their function's (ADR 25); wasm/lines puts them back.
const FuncLines = "-ldflags=-s -w -checklinkname=0 -funclines"

// Command is a go command that compiles for js with the overlay, with d.Root as its directory. It
// links with the linker that BuildLinker made.
func Command(d Dirs, verb string, args ...string) *exec.Cmd {
	all := append([]string{verb}, Flags...)
	all = append(all, "-overlay="+d.JSON(), d.toolexecFlag())
	cmd := exec.Command("go", append(all, args...)...)
	cmd.Dir = d.Root
	cmd.Env = environment(d)
	return cmd
}

// With is a program that runs the go command itself, as linters do: Command's flags are in its GOFLAGS,
// so that it sees the packages as Command compiles them. Its directory is d.Root.
func With(d Dirs, name string, args ...string) *exec.Cmd {
	flags := append(append([]string(nil), Flags...), "-overlay="+d.JSON(), d.toolexecFlag())
	for i, f := range flags {
		if strings.ContainsAny(f, " \t'") {
			flags[i] = `"` + f + `"` // the go command splits at spaces outside of quotes, and knows no escapes
		}
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = d.Root
	cmd.Env = append(environment(d), "GOFLAGS="+strings.Join(flags, " "))
	return cmd
}

func environment(d Dirs) []string {
	return append(withoutGo(os.Environ()), "GOOS=js", "GOARCH=wasm", "GOWORK="+d.WorkFile())
}

// withoutGo drops what would change the result: the build must not depend on the caller's
// GOFLAGS or GOWASM.
func withoutGo(env []string) []string {
	var kept []string
	for _, e := range env {
		switch name, _, _ := strings.Cut(e, "="); name {
		case "GOFLAGS", "GOWASM", "GOOS", "GOARCH", "GOWORK", "GOEXPERIMENT":
		default:
			kept = append(kept, e)
		}
	}
	return kept
}
