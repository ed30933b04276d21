// Command gen vendors the dependencies if they changed, checks the table of wasm/overlay
// against them and against GOROOT, and writes out/wasm/overlay.json.
//
//	go run ./wasm/overlay/gen
//	go run ./wasm/overlay/gen -diff                             (what upstream changed, file by file)
//	go run ./wasm/overlay/gen -accept vendor/k8s.io/…/file.go   (prints what changed, too)
//	go run ./wasm/overlay/gen -list                             (the table, as Markdown)
//
// It may import wasm/overlay and the standard library.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/tabernetes/tabernetes/wasm/overlay"
)

func main() {
	accept := flag.String("accept", "", "replace the expected hash of this upstream file (\"all\": of all) by the one found")
	diff := flag.Bool("diff", false, "print what upstream changed in the files whose hash is another")
	list := flag.Bool("list", false, "print the table")
	flag.Parse()
	if err := run(*accept, *diff, *list); err != nil {
		fmt.Fprintln(os.Stderr, "overlay:", err)
		os.Exit(1)
	}
}

func run(accept string, diff, list bool) error {
	if list {
		fmt.Println("| file | missing or different on js | instead |\n|---|---|---|")
		for _, e := range all() {
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
	if diff {
		return eachChanged(d, func(_ overlay.Entry, changed *overlay.HashError) error {
			printDiff(d, changed)
			return nil
		})
	}
	if accept != "" {
		return acceptHash(d, accept)
	}
	return overlay.Generate(d, overlay.Table())
}

// all is both tables: that of what is compiled for js, and that of the linker.
func all() []overlay.Entry { return slices.Concat(overlay.Table(), overlay.LinkerTable()) }

// eachChanged calls do with every entry whose upstream file is not one that it was made against.
func eachChanged(d overlay.Dirs, do func(overlay.Entry, *overlay.HashError) error) error {
	for _, e := range all() {
		var changed *overlay.HashError
		if err := overlay.Generate(d, []overlay.Entry{e}); errors.As(err, &changed) {
			if err := do(e, changed); err != nil {
				return err
			}
		}
	}
	return nil
}

// printDiff prints what changed, or why that cannot be told.
func printDiff(d overlay.Dirs, changed *overlay.HashError) {
	text, err := overlay.Diff(d, changed)
	if err != nil {
		fmt.Fprintln(os.Stderr, "overlay: diff:", err)
	}
	fmt.Print(text)
}

// acceptHash rewrites the table's source: the found hash takes the place of the expected one.
func acceptHash(d overlay.Dirs, file string) error {
	n := 0
	err := eachChanged(d, func(e overlay.Entry, changed *overlay.HashError) error {
		if file != "all" && file != changed.File {
			return nil
		}
		printDiff(d, changed)
		if err := overlay.ReplaceHash(d, e.Path, changed.Found); err != nil {
			return err
		}
		fmt.Println("accepted", changed.Found, e.Path)
		n++
		return nil
	})
	if err == nil && n == 0 {
		err = fmt.Errorf("no entry is waiting for a new hash of %q", file)
	}
	return err
}
