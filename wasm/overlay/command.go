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
	// -s -w: no symbol table and no DWARF; stack traces keep their names.
	"-ldflags=-s -w",
}

// FuncLines is a flag for what is built for the tab, after those of Flags: no lines but those where
// functions begin. What reads lines is told their function's (ADR 25); wasm/lines puts them back.
const FuncLines = "-ldflags=-s -w -funclines"

// Command is a go command that compiles for js with the overlay, with d.Root as its directory. It
// links with the linker that BuildLinker made.
func Command(d Dirs, verb string, args ...string) *exec.Cmd {
	all := append([]string{verb}, Flags...)
	all = append(all, "-overlay="+d.JSON(), d.toolexecFlag())
	cmd := exec.Command("go", append(all, args...)...)
	cmd.Dir = d.Root
	cmd.Env = append(withoutGo(os.Environ()), "GOOS=js", "GOARCH=wasm", "GOWORK="+d.WorkFile())
	return cmd
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
