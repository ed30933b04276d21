package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// rights is how tests name what only root may do.
var rights = regexp.MustCompile(`needs? root|made by root|takes root|root is needed|no (network|mount) namespaces?|no namespace for|no control groups|may not trace`)

func main() {
	var all results
	for _, name := range os.Args[1:] {
		if err := read(&all, name); err != nil {
			fmt.Fprintln(os.Stderr, "testsummary:", err)
			os.Exit(1)
		}
	}
	if lacking := print(os.Stdout, &all); lacking > 0 && os.Geteuid() == 0 {
		fmt.Printf("FAIL: %d tests were skipped for lack of rights, as root\n", lacking)
		os.Exit(1)
	}
}

func read(all *results, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	stage := strings.TrimSuffix(filepath.Base(name), ".json")
	if err := all.read(f, stage); err != nil {
		return fmt.Errorf("events of stage %s: %w", stage, err)
	}
	return nil
}

// print writes the summary and returns how many tests lacked rights.
func print(w io.Writer, all *results) (lacking int) {
	for _, f := range all.failed {
		fmt.Fprintf(w, "failed: %s\n", f.test)
		for _, line := range f.said {
			const shown = 600
			fmt.Fprintf(w, "%.*s\n", shown, line)
		}
	}
	for _, t := range all.again {
		fmt.Fprintf(w, "second run: %s\n", t)
	}
	for _, reason := range all.reasons {
		tests := all.skipped[reason]
		if rights.MatchString(reason) {
			lacking += len(tests)
		}
		fmt.Fprintf(w, "skipped: %s: %s\n", strings.Join(tests, ", "), reason)
	}
	return lacking
}
