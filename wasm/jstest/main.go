// Command jstest runs tests as js/wasm under Node, through the overlay: the second lane of the
// packages whose behaviour could differ in the tab.
//
//	go run ./wasm/jstest                       all packages of the lane
//	go run ./wasm/jstest -run TestX ./core/…   go test's own flags and packages
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
	"./wasm/goroot",
	"./wasm/jsx",
	"./wasm/memfs",
	"./wasm/port",
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "jstest:", err)
		os.Exit(1)
	}
}

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
	named := false
	for _, a := range args {
		named = named || strings.HasPrefix(a, "./")
	}
	if !named {
		args = append(args, lane...)
	}
	// vet has seen these packages natively already.
	flags := []string{"-vet=off", "-exec=" + filepath.Join(d.GOROOT, "lib", "wasm", "go_js_wasm_exec")}
	cmd := overlay.Command(d, "test", append(flags, args...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
