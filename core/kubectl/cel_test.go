package kubectl_test

import (
	"strings"
	"testing"
)

func TestCEL(t *testing.T) {
	term, _ := newTerminal(t)
	s := term.Session("cel")
	object := `echo '{"metadata": {"name": "web"}, "spec": {"replicas": 3, "x": 1.5}, "list": [1, 2]}' | cel `
	for _, c := range []struct {
		line, stdout, stderr string
		code                 int
	}{
		{object + `'object.spec.replicas == 3'`, "true\n", "", 0},
		{object + `'object.spec.replicas > 3'`, "false\n", "", 1},
		{object + `'object.spec.x'`, "1.5\n", "", 0},
		{object + `'object.metadata.name + "-a"'`, "\"web-a\"\n", "", 0},
		{object + `'object.list.map(i, i * 2)'`, "[2,4]\n", "", 0},
		{object + `'quantity("1Gi").isGreaterThan(quantity("1M")) && has(object.spec)'`, "true\n", "", 0},
		{object + `'type(object)'`, "map\n", "", 0},
		{object + `'object.status.ready == 1'`, "", "no such key: status", 2},
		{object + `'object.spec.'`, "", "read the expression", 2},
		{object + `'params.x'`, "", "undeclared reference", 2},
		{`echo nothing | cel true`, "", "JSON on standard input", 2},
		{`cel`, "", "one expression is wanted", 2},
		{`kubectl get namespace default -o json | cel 'object.status.phase == "Active"'`, "true\n", "", 0},
	} {
		stdout, stderr, code := typed(t, s, c.line)
		if stdout != c.stdout || !strings.Contains(stderr, c.stderr) || code != c.code {
			t.Errorf("%s: %d, %q, %q", c.line, code, stdout, stderr)
		}
	}
}

// An expression that would be computed for hours is not.
func TestCELIsBounded(t *testing.T) {
	list := `[` + strings.TrimSuffix(strings.Repeat("1,", 200), ",") + `]`
	loops := "true"
	for _, v := range []string{"a", "b", "c", "d", "e"} {
		loops = list + `.all(` + v + `, ` + loops + `)`
	}
	term, _ := newTerminal(t)
	_, stderr, code := typed(t, term.Session("cel"), `echo '{}' | cel '`+loops+`'`)
	if code != 2 || !strings.Contains(stderr, "cost limit exceeded") {
		t.Errorf("%d, %.300q", code, stderr)
	}
}
