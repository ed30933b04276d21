// Command jstest runs tests as js/wasm under Node, through the overlay: the second lane of the
// packages whose behaviour could differ in the tab.
//
//	go run ./wasm/jstest                       all packages of the lane
//	go run ./wasm/jstest -run TestX ./core/…   go test's own flags and packages
//	go run ./wasm/jstest vet                   go vet, over what is compiled for the tab, by scripts/vet
//	go run ./wasm/jstest vet -all              the same by Go's own tool, which reads all dependencies, too
//	go run ./wasm/jstest with LINTER ARGS…     a program that asks the go command for packages
//
// It may import the standard library and wasm/overlay.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/wasm/overlay"
)

// lane is what runs when no package is named.
var lane = []string{
	"./core/egress",
	"./core/node/hostpath",
	"./core/node/image",
	"./core/node/mounttable",
	"./core/node/osfs",
	"./core/node/podnet",
	"./core/program",
	"./core/store", // upstream's storage suite
	"./core/store/mvcc",
	"./core/store/persist",
	"./core/tunnel", // nothing takes the processor from who goes round in circles when a session ends
	"./wasm/goroot",
	"./wasm/jsx",
	"./wasm/memfs",
	"./wasm/port",
	"./wasm/wsdial",
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "jstest:", err)
		os.Exit(1)
	}
}

// vetted is what go vet reads as js: our packages that the tab's program is made of. Natively it
// never sees a file that ends in _js.go.
var vetted = []string{"./core/...", "./wasm/..."}

func run(args []string) error {
	d, err := overlay.Find()
	if err != nil {
		return err
	}
	if _, err := overlay.Vendor(d); err != nil {
		return err
	}
	if err := overlay.Generate(d, overlay.Table()); err != nil {
		return err
	}
	if _, err := overlay.BuildLinker(d); err != nil {
		return err
	}
	if len(args) > 0 && args[0] == "vet" {
		return vet(d, args[1:])
	}
	if len(args) > 1 && args[0] == "with" {
		cmd := overlay.With(d, args[1], args[2:]...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		return cmd.Run()
	}
	flags, packages := split(args, lane)
	withFiles, err := addFiles(d, packages)
	if err != nil {
		return err
	}
	// vet is a run of its own, see above.
	// js has one processor, and go test would run parallel tests one by one: upstream's suite has
	// some of which one waits for longer than another's object lives.
	flags = append([]string{"-vet=off", "-parallel=16", "-overlay=" + withFiles,
		"-exec=" + filepath.Join(d.GOROOT, "lib", "wasm", "go_js_wasm_exec")}, flags...)
	cmd := overlay.Command(d, "test", append(flags, packages...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

func vet(d overlay.Dirs, args []string) error {
	flags, packages := split(args, vetted)
	if !slices.Contains(flags, "-all") {
		tool, err := filepath.Abs(filepath.Join("out", "tools", "vet"))
		if err != nil {
			return err
		}
		// For this machine, as go vet runs it here.
		build := exec.Command("go", "build", "-o", tool, "./scripts/vet")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build the tool for go vet: %w", err)
		}
		flags = append(flags, "-vettool="+tool)
	}
	flags = slices.DeleteFunc(flags, func(f string) bool { return f == "-all" })
	cmd := overlay.Command(d, "vet", append(flags, packages...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// split tells flags from the packages, which begin with "./"; otherwise are those if none is named.
func split(args, otherwise []string) (flags, packages []string) {
	for _, a := range args {
		if strings.HasPrefix(a, "./") {
			packages = append(packages, a)
		} else {
			flags = append(flags, a)
		}
	}
	if len(packages) == 0 {
		packages = otherwise
	}
	return flags, packages
}
