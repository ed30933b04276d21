package osfs

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMachinePathsStayInTheNode(t *testing.T) {
	root := t.TempDir()
	node := New(root, "node-1")
	logs := filepath.Join(root, "var/log/pods/web")
	for _, dir := range []string{"/var/log/containers", logs} {
		if err := node.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "var/log/containers")); err != nil {
		t.Fatal(err)
	}
	f, err := node.Create(filepath.Join(logs, "0.log"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()

	if err := node.Symlink(filepath.Join(logs, "0.log"), "/var/log/containers/web.log"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.Readlink(filepath.Join(root, "var/log/containers/web.log")); got != "../pods/web/0.log" {
		t.Errorf("link = %q", got)
	}
	links, err := node.Glob("/var/log/containers/*.log")
	if err != nil || len(links) != 1 {
		t.Fatalf("Glob = %v, %v", links, err)
	}
	if _, err := node.Stat(links[0]); err != nil {
		t.Errorf("a real path was mapped twice: %v", err)
	}
	if name, _ := node.Hostname(); name != "node-1" {
		t.Errorf("Hostname = %s", name)
	}
}
