package diff_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tabernetes/tabernetes/core/shell/diff"
)

func tree(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// The expectation is the output of GNU diff 3.8, `diff -ruN a b`, without the time stamps.
func TestTrees(t *testing.T) {
	a := tree(map[string]string{
		"a/same": "x\n", "a/changed": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "a/gone": "old\n", "a/deep/end": "no newline",
	})
	b := tree(map[string]string{
		"b/same": "x\n", "b/changed": "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "b/new": "new\n", "b/deep/end": "no newline\n",
	})
	var out strings.Builder
	differ, err := diff.Trees(free(t), &out, diff.Side{Name: "a", FS: a, Path: "a"}, diff.Side{Name: "b", FS: b, Path: "b"})
	if err != nil || !differ {
		t.Fatalf("differ %v, error %v", differ, err)
	}
	want := `diff -u -N a/changed b/changed
--- a/changed
+++ b/changed
@@ -2,7 +2,7 @@
 2
 3
 4
-5
+five
 6
 7
 8
diff -u -N a/deep/end b/deep/end
--- a/deep/end
+++ b/deep/end
@@ -1 +1 @@
-no newline
\ No newline at end of file
+no newline
diff -u -N a/gone b/gone
--- a/gone
+++ b/gone
@@ -1 +0,0 @@
-old
diff -u -N a/new b/new
--- a/new
+++ b/new
@@ -0,0 +1 @@
+new
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestEqualTreesPrintNothing(t *testing.T) {
	a := tree(map[string]string{"a/x": "1\n", "b/x": "1\n"})
	var out strings.Builder
	differ, err := diff.Trees(free(t), &out, diff.Side{Name: "a", FS: a, Path: "a"}, diff.Side{Name: "b", FS: a, Path: "b"})
	if differ || err != nil || out.Len() > 0 {
		t.Errorf("differ %v, error %v, %q", differ, err, out.String())
	}
}
