package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
)

func TestRewriteOfLocalPaths(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "home/conf"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := pathsOf(&program.Process{FS: program.NewFS(root), Dir: "/home"})
	for _, c := range []struct{ typed, want string }{
		{"apply -f web.yaml", "apply -f ROOT/home/web.yaml"},
		{"apply -f /tmp/web.yaml", "apply -f ROOT/tmp/web.yaml"},
		{"apply -f ../../../etc/x", "apply -f ROOT/etc/x"},
		{"apply -fweb.yaml,db.yaml", "apply -f=ROOT/home/web.yaml,ROOT/home/db.yaml"},
		{"apply -Rf conf", "apply -Rf ROOT/home/conf"},
		{"apply -Rfconf", "apply -Rf=ROOT/home/conf"},
		{"apply -R -f=conf", "apply -R -f=ROOT/home/conf"},
		{"get -wRf conf", "get -wRf ROOT/home/conf"},
		{"apply -n logs -f web.yaml", "apply -n logs -f ROOT/home/web.yaml"},
		{"-n proxy get -w pods", "-n proxy get -w pods"},
		{"proxy -w conf", "proxy -w ROOT/home/conf"},
		{"get pods -nf x", "get pods -nf x"},
		{"apply -kconf", "apply -k=ROOT/home/conf"},
		{"apply --filename=web.yaml", "apply --filename=ROOT/home/web.yaml"},
		{"apply -f -", "apply -f -"},
		{"apply -f https://example.com/a.yaml", "apply -f https://example.com/a.yaml"},
		{"logs -f web", "logs -f web"},
		{"create configmap c --from-file=a.txt", "create configmap c --from-file=a.txt=ROOT/home/a.txt"},
		{"create configmap c --from-file=k=a.txt", "create configmap c --from-file=k=ROOT/home/a.txt"},
		{"create configmap c --from-file=conf", "create configmap c --from-file=ROOT/home/conf"},
		{"get pods -o go-template-file=t.tmpl", "get pods -o go-template-file=ROOT/home/t.tmpl"},
		{"get pods -ogo-template-file=t.tmpl", "get pods -o=go-template-file=ROOT/home/t.tmpl"},
		{"get pods -Ao jsonpath-file=t", "get pods -Ao jsonpath-file=ROOT/home/t"},
		{"get pods -Aojsonpath-file=t", "get pods -Ao=jsonpath-file=ROOT/home/t"},
		{"get pods -o yaml", "get pods -o yaml"},
		{"get pods -oyaml", "get pods -o=yaml"},
		{"logs -pf web", "logs -pf web"},
		{"exec web -- cat -f x", "exec web -- cat -f x"},
	} {
		got := strings.Join(f.rewrite(strings.Fields(c.typed)), " ")
		if want := strings.ReplaceAll(c.want, "ROOT", root); got != want {
			t.Errorf("%s\n got %s\nwant %s", c.typed, got, want)
		}
	}
}

func TestVerbosityIsTakenOut(t *testing.T) {
	for _, c := range []struct {
		typed, rest string
		level       int
	}{
		{"get pods -v=8", "get pods", 8},
		{"get pods -v 6", "get pods", 6},
		{"-v9 get pods", "get pods", 9},
		{"get --v=7 pods", "get pods", 7},
		{"get pods", "get pods", 0},
		{"get pods -v=high", "get pods -v=high", 0},
		{"exec web -- grep -v 3 f", "exec web -- grep -v 3 f", 0},
	} {
		rest, level := verbosity(strings.Fields(c.typed))
		if strings.Join(rest, " ") != c.rest || level != c.level {
			t.Errorf("%s: got %q and %d, want %q and %d", c.typed, rest, level, c.rest, c.level)
		}
	}
}
