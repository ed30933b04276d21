// Command jstest runs tests as js/wasm under Node, through the overlay: the second lane of the
// packages whose behaviour could differ in the tab.
//
//	go run ./wasm/jstest                       all packages of the lane
//	go run ./wasm/jstest -run TestX ./core/…   go test's own flags and packages
//	go run ./wasm/jstest vet                   go vet, over what is compiled for the tab
//	go run ./wasm/jstest with LINTER ARGS…     a program that asks the go command for packages
//
// It may import the standard library and wasm/overlay.
package main

import (
	"fmt"
	"os"
	"path/filepath"
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
	flags, packages := split(args)
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
	flags, packages := split(args)
	if len(args) == 0 {
		packages = vetted
	}
	cmd := overlay.Command(d, "vet", append(flags, packages...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// split tells go test's flags from the packages, which begin with "./".
func split(args []string) (flags, packages []string) {
	for _, a := range args {
		if strings.HasPrefix(a, "./") {
			packages = append(packages, a)
		} else {
			flags = append(flags, a)
		}
	}
	if len(packages) == 0 {
		packages = lane
	}
	return flags, packages
}
