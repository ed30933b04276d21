// Command toolexec stands between the go command and its tools (go build -toolexec): where the go
// command runs the toolchain's linker, it runs another; every other tool runs as it is.
//
//	toolexec LINKER TOOL ARGUMENTS…
//
// Asked for the linker's version it adds the hash of the one that will run: what was linked by
// another is linked again. It may import the standard library only.
package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "toolexec:", err)
		code = 1
	}
	os.Exit(code)
}

// run returns the tool's exit code.
func run(args []string) (int, error) {
	if len(args) < 2 {
		return 0, errors.New("usage: toolexec LINKER TOOL ARGUMENTS…; go build runs it, see wasm/overlay")
	}
	linker, tool, rest := args[0], args[1], args[2:]
	cmd := exec.Command(tool, rest...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if strings.TrimSuffix(filepath.Base(tool), ".exe") != "link" {
		return exitCode(cmd.Run())
	}
	cmd.Path, cmd.Args[0] = linker, linker
	if !slices.Equal(rest, []string{"-V=full"}) {
		return exitCode(cmd.Run())
	}
	cmd.Stdout = nil
	version, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("the linker's version: %w", err)
	}
	content, err := os.ReadFile(linker)
	if err != nil {
		return 0, fmt.Errorf("the linker's version: %w", err)
	}
	fmt.Printf("%s tabernetes:%x\n", strings.TrimSpace(string(version)), sha256.Sum256(content))
	return 0, nil
}

func exitCode(err error) (int, error) {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	return 0, err
}
