package systemd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/nodedir"
)

func TestTheUnit(t *testing.T) {
	b, err := File("/usr/local/bin/nodehost", nodedir.Default)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nExecStart=\"/usr/local/bin/nodehost\" join --dir \"/var/lib/tabernetes\" --run-dir \"/run/tabernetes\"\n",
		"\nRestart=always\n", "\nConditionPathExists=/var/lib/tabernetes/node.json\n", "\nKillMode=mixed\n",
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("it does not say %q:\n%s", want, b)
		}
	}
	if got := word(`/a b/100%/$x"`); got != `"/a b/100%%/$$x\""` {
		t.Errorf("a path with everything in it: %s", got)
	}
	if _, err := File("nodehost", nodedir.Default); err == nil {
		t.Error("a path that depends on where one is")
	}
}

// systemd itself reads the unit, where it is installed.
func TestSystemdTakesTheUnit(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is missing: it comes with Debian's systemd")
	}
	b, err := File("/bin/true", nodedir.Place{Dir: "/a dir/100%", Run: "/run/$x"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), Name)
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(analyze, "verify", "--man=no", "--recursive-errors=no", path).CombinedOutput()
	if err != nil || strings.Contains(string(out), Name) {
		t.Errorf("%v: %s", err, out)
	}
}
