package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const module = "github.com/tabernetes/tabernetes"

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "vet:", err)
		code = 1
	}
	os.Exit(code)
}

// run vets packages, or speaks go vet's protocol (golang.org/x/tools/go/analysis/unitchecker): then the last argument is
// the file that describes one package, or what is asked of the tool itself.
func run(args []string) (code int, err error) {
	if len(args) == 0 {
		return 0, errors.New("name packages: go run ./scripts/vet ./...")
	}
	last := args[len(args)-1]
	cmd := goVet(args...)
	switch {
	case last == "-V=full":
		return 0, version()
	case strings.HasPrefix(last, "./"):
		tool, err := os.Executable()
		if err != nil {
			return 0, fmt.Errorf("find the tool for go vet: %w", err)
		}
		cmd = exec.Command("go", append([]string{"vet", "-vettool=" + tool}, args...)...)
	case strings.HasSuffix(last, ".cfg"):
		passed, err := passOver(last)
		if passed || err != nil {
			return 0, err
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return ended.ExitCode(), nil // it has said why
	}
	return 0, err
}

// version is not that of Go's tool: go vet keeps what a tool has found by it, and this one leaves out what that one has.
func version() error {
	out, err := goVet("-V=full").Output()
	if err != nil {
		return fmt.Errorf("ask Go's vet for its version: %w", err)
	}
	fields := strings.Fields(string(out)) // "vet version go1.26.8"
	if len(fields) < 3 || fields[1] != "version" {
		return fmt.Errorf("read the version of Go's vet: it says %.100q", out)
	}
	_, err = fmt.Printf("%s version ours-only-%s\n", filepath.Base(os.Args[0]), strings.Join(fields[2:], "-"))
	return err
}

// passOver says of a package of others that nothing is known of it, and reports whether it is one.
func passOver(config string) (bool, error) {
	data, err := os.ReadFile(config)
	var unit struct {
		ImportPath string
		VetxOnly   bool
		VetxOutput string
	}
	if err == nil {
		err = json.Unmarshal(data, &unit)
	}
	if err != nil {
		return false, fmt.Errorf("read what package is vetted: %w", err)
	}
	if !unit.VetxOnly || unit.ImportPath == module || strings.HasPrefix(unit.ImportPath, module+"/") {
		return false, nil
	}
	if err := os.WriteFile(unit.VetxOutput, nil, 0o666); err != nil {
		return false, fmt.Errorf("pass over %s: %w", unit.ImportPath, err)
	}
	return true, nil
}

// goVet is Go's own tool, of the go command that has started this one. GOOS and GOARCH are what is vetted, not where
// the tool runs: the tool is the host's.
func goVet(args ...string) *exec.Cmd {
	return exec.Command("go", append([]string{"tool", "vet"}, args...)...)
}
