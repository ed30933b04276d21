package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "images:", err)
		os.Exit(1)
	}
}

// run is `images build [-o DIR] [NAME...]` or `images serve [-listen ADDRESS] [-user NAME:PASSWORD]
// [-ca FILE] [-rate BYTES] ARCHIVE...`.
func run(ctx context.Context, args []string) error {
	verb := ""
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	fs := flag.NewFlagSet("images "+verb, flag.ContinueOnError)
	switch verb {
	case "build":
		out := fs.String("o", "out/images", "directory of the archives")
		if err := fs.Parse(args); err != nil {
			return err
		}
		return buildAll(ctx, *out, fs.Args())
	case "serve":
		var s service
		fs.StringVar(&s.listen, "listen", "127.0.0.1:0", "address of the registry")
		fs.StringVar(&s.user, "user", "", "`NAME:PASSWORD` that it asks for")
		fs.IntVar(&s.rate, "rate", 0, "`BYTES` that it sends of a layer in a second (default: all it can)")
		fs.StringVar(&s.ca, "ca", "", "serve TLS, and write the certificate of its CA to this `FILE`")
		if err := fs.Parse(args); err != nil {
			return err
		}
		return s.serve(ctx, fs.Args(), os.Stdout)
	}
	return fmt.Errorf("%q is neither \"build\" nor \"serve\"", verb)
}

// buildAll writes DIR/NAME.tar for each name; if none is given for all, but those that are built by name
// only. An archive that is newer than what it is made of stays.
func buildAll(ctx context.Context, dir string, names []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the directory of archives: %w", err)
	}
	for _, name := range names {
		if !slices.ContainsFunc(recipes, func(r recipe) bool { return r.name == name }) {
			return fmt.Errorf("there is no recipe for %q", name)
		}
	}
	var errs []error
	for _, r := range recipes {
		if !slices.Contains(names, r.name) && (len(names) > 0 || r.byName) {
			continue
		}
		if err := r.build(ctx, filepath.Join(dir, r.name+".tar")); err != nil {
			errs = append(errs, fmt.Errorf("build %s: %w", r.name, err))
			continue
		}
		fmt.Printf("%s\t%s\n", r.name, strings.Join(r.tags, " "))
	}
	return errors.Join(errs...)
}
