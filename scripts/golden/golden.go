// Package golden compares what a test has made with a file of its package's testdata, prints the
// difference line by line, and says how the file is written anew:
//
//	go test ./core/apiserver -run TestGolden -update
//
// What is compared is what an upgrade or a change of ours would alter without a word: whole command
// lines and configurations. For tests only. It may import go-difflib and the standard library.
package golden

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pmezard/go-difflib/difflib"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

// Check fails t if got is not what the file testdata/name of files has. files is the package's
// testdata, embedded: tests on js have no other way to it.
func Check(t *testing.T, files fs.FS, name, got string) {
	t.Helper()
	if *update {
		path := filepath.Join("testdata", name)
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatalf("write the golden file: %v", err)
		}
		return
	}
	if difference := compare(files, name, got); difference != "" {
		t.Error(difference)
	}
}

// compare is "" if the file has got.
func compare(files fs.FS, name, got string) string {
	const again = "\nIf that is wanted: go test -run TestGolden -update, in this package, and commit the file."
	want, err := fs.ReadFile(files, "testdata/"+name)
	if err != nil {
		return "read the golden file: " + err.Error() + again
	}
	if got == string(want) {
		return ""
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(string(want)), FromFile: "testdata/" + name,
		B: difflib.SplitLines(got), ToFile: "made now", Context: 2,
	})
	if err != nil {
		text = err.Error()
	}
	return "it is not what testdata/" + name + " has:\n" + strings.TrimSuffix(text, "\n") + again
}

// Lines is a command line as a file: an argument a line.
func Lines(args []string) string { return strings.Join(args, "\n") + "\n" }
