package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/tabernetes/tabernetes/wasm/overlay"
)

func main() {
	out := flag.String("out", "", "directory for the files; default out/site/assets")
	brotli := flag.Int("brotli", 0, "also compress the module, with this quality (1–11; 5 takes seconds, 11 minutes)")
	names := flag.Bool("names", false, "keep the names of Go's functions, for profiles")
	flag.Parse()
	if err := run(*out, *brotli, *names); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func run(out string, brotli int, names bool) error {
	begin := time.Now()
	d, err := overlay.Find()
	if err != nil {
		return err
	}
	b := newBuild(d, out)
	b.names = names
	inputs, err := b.inputs()
	if err != nil {
		return err
	}
	if m, ok := b.upToDate(inputs, brotli); ok {
		say("nothing changed: %s, %s", m.Wasm.URL, megabytes(m.Wasm.Size))
		return nil
	}
	if err := step("dependencies", func() (string, error) {
		did, err := overlay.Vendor(d)
		if did {
			return "copied to out/wasm/vendor", err
		}
		return "unchanged", err
	}); err != nil {
		return err
	}
	if err := step("overlay", func() (string, error) {
		table := overlay.Table()
		return fmt.Sprintf("%d files checked", len(table)), overlay.Generate(d, table)
	}); err != nil {
		return err
	}
	if err := step("linker", func() (string, error) {
		did, err := overlay.BuildLinker(d)
		if did {
			return "built", err
		}
		return "unchanged", err
	}); err != nil {
		return err
	}
	if err := b.compile(); err != nil {
		return err
	}
	m, err := b.publish(brotli)
	if err != nil {
		return err
	}
	if err := b.stamp(inputs); err != nil {
		return err
	}
	say("done in %s: %s, %s", time.Since(begin).Round(time.Second), m.Wasm.URL, megabytes(m.Wasm.Size))
	return nil
}

func say(format string, args ...any) { fmt.Printf("wasm: "+format+"\n", args...) }

// step runs f and prints what came of it and how long it took.
func step(name string, f func() (string, error)) error {
	begin := time.Now()
	what, err := f()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	say("%s: %s (%.1f s)", name, what, time.Since(begin).Seconds())
	return nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
