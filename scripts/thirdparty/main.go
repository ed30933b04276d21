package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// program is what is compiled for the tab.
const program = "./wasm"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./scripts/thirdparty FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "thirdparty:", err)
		os.Exit(1)
	}
}

func run(file string) error {
	modules, err := compiled()
	if err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("where Go is: %w", err)
	}
	modules = append(modules, module{Path: "Go " + runtime.Version(), Dir: strings.TrimSpace(string(root))})
	text, err := licences(modules)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// module is a part of somebody else's.
type module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *module
}

// compiled lists the modules whose packages the tab's program has, by path.
func compiled() ([]module, error) {
	cmd := exec.Command("go", "list", "-deps", "-e", "-json=Module", program)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list what %s is compiled from: %w\n%s", program, err, bytes.TrimSpace(stderr.Bytes()))
	}
	var all []module
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ Module *module }
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("list what %s is compiled from: %w", program, err)
		}
		if p.Module == nil || p.Module.Main {
			continue // the standard library, and ours
		}
		m := *p.Module
		if m.Replace != nil {
			m.Dir = m.Replace.Dir
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(all, func(a, b module) bool { return a.Path == b.Path }), nil
}

// texts are the files in which authors say on which terms theirs may be used.
var texts = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents)([.-].*)?$`)

// permission matches those of them that give leave; the others go with one.
var permission = regexp.MustCompile(`(?i)^(licen[cs]e|copying)`)

// licences are the texts of modules, each once, below the names of the modules that it is of.
func licences(modules []module) (string, error) {
	var order []string
	of := map[string][]string{}
	for _, m := range modules {
		entries, err := os.ReadDir(m.Dir)
		if err != nil {
			return "", fmt.Errorf("the licence of %s: %w: run go mod download", m.Path, err)
		}
		permitted := false
		for _, e := range entries {
			if e.IsDir() || !texts.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			content, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
			if err != nil {
				return "", fmt.Errorf("the licence of %s: %w", m.Path, err)
			}
			permitted = permitted || permission.MatchString(e.Name())
			text := strings.TrimRight(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n ")
			if of[text] == nil {
				order = append(order, text)
			}
			of[text] = append(of[text], strings.TrimSpace(m.Path+" "+m.Version))
		}
		if !permitted {
			return "", fmt.Errorf("%s %s has no licence in %s: find out on which terms it may be used, or do without it", m.Path, m.Version, m.Dir)
		}
	}
	var b strings.Builder
	b.WriteString("The cluster's module is compiled from these Go modules, on the terms below their names.\n")
	for _, text := range order {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(of[text], "\n"), text)
	}
	return b.String(), nil
}
