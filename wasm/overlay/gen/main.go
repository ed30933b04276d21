// Command gen vendors the dependencies if they changed, checks the table of wasm/overlay
// against them and against GOROOT, and writes out/wasm/overlay.json.
//
//	go run ./wasm/overlay/gen
//	go run ./wasm/overlay/gen -accept vendor/k8s.io/…/file.go   (after reading what changed)
//	go run ./wasm/overlay/gen -list                             (the table, as Markdown)
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/tabernetes/tabernetes/wasm/overlay"
)

func main() {
	accept := flag.String("accept", "", "replace the expected hash of this upstream file (\"all\": of all) by the one found")
	list := flag.Bool("list", false, "print the table")
	flag.Parse()
	if err := run(*accept, *list); err != nil {
		fmt.Fprintln(os.Stderr, "overlay:", err)
		os.Exit(1)
	}
}

func run(accept string, list bool) error {
	if list {
		fmt.Println("| file | missing or different on js | instead |\n|---|---|---|")
		for _, e := range overlay.Table() {
			fmt.Printf("| %s | %s | %s |\n", e.Path, e.Missing, e.Instead)
		}
		return nil
	}
	d, err := overlay.Find()
	if err != nil {
		return err
	}
	if _, err := overlay.Vendor(d); err != nil {
		return err
	}
	if accept != "" {
		return acceptHash(d, accept)
	}
	return overlay.Generate(d, overlay.Table())
}

// acceptHash rewrites the table's source: the found hash takes the place of the expected one.
func acceptHash(d overlay.Dirs, file string) error {
	n := 0
	for _, e := range overlay.Table() {
		var changed *overlay.HashError
		if err := overlay.Generate(d, []overlay.Entry{e}); !errors.As(err, &changed) {
			continue
		}
		if file != "all" && file != changed.File {
			continue
		}
		if err := overlay.ReplaceHash(d, e.Path, changed.Found); err != nil {
			return err
		}
		fmt.Println("accepted", changed.Found, e.Path)
		n++
	}
	if n == 0 {
		return fmt.Errorf("no entry is waiting for a new hash of %q", file)
	}
	return nil
}
