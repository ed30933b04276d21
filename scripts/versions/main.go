package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

const kubernetes = "k8s.io/kubernetes"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "versions:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "verify":
		return verify()
	case len(args) == 2 && args[0] == "bump":
		return bump(args[1])
	}
	return fmt.Errorf("usage: versions verify | versions bump VERSION")
}

// goMod is the part of go mod edit -json that is needed.
type goMod struct {
	Require []module
	Replace []struct{ Old, New module }
}

type module struct {
	Path, Version string
}

func readGoMod(file string) (goMod, error) {
	var m goMod
	return m, goJSON(&m, "mod", "edit", "-json", file)
}

// goJSON runs a go command and decodes its output.
func goJSON(into any, args ...string) error {
	out, err := goOutput(args...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

func goOutput(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// upstream is the go.mod of k8s.io/kubernetes at the version.
func upstream(version string) (goMod, error) {
	var d struct{ GoMod string }
	if err := goJSON(&d, "mod", "download", "-json", kubernetes+"@"+version); err != nil {
		return goMod{}, err
	}
	return readGoMod(d.GoMod)
}

// staging are the modules that live in kubernetes' own repository: v0.X.Y beside v1.X.Y.
func (m goMod) staging() []string {
	var paths []string
	for _, r := range m.Replace {
		if strings.HasPrefix(r.New.Path, "./staging/") {
			paths = append(paths, r.Old.Path)
		}
	}
	return paths
}

// stagingVersion is v0.36.3 for v1.36.3.
func stagingVersion(version string) string { return "v0" + strings.TrimPrefix(version, "v1") }
