package join

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/nodetest"
)

// testPlanted has somebody put a program beside nodehost, in a directory like /tmp.
func (r *rig) testPlanted(t *testing.T) {
	dir := nodetest.ShortDir(t)
	nodehost, mark := filepath.Join(dir, "nodehost"), filepath.Join(dir, "mark")
	if out, err := exec.Command("cp", r.Program(), nodehost).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	planted := filepath.Join(dir, pluginName)
	if err := errors.Join(
		os.Chmod(dir, os.ModeSticky|0o777),
		os.WriteFile(planted, []byte("#!/bin/sh\nid >>"+mark+"\n"), 0o755), os.Chown(planted, 65534, 65534),
	); err != nil {
		t.Fatal(err)
	}
	line := append([]string{"join", "--dir", dir + "/n", "--run-dir", dir + "/r"}, r.Line(t)...)
	out, err := nodetest.Run(r.Hub.Namespace, nodetest.Patience, nodehost, line...)
	if nodetest.ExitCode(err) != 1 || !strings.Contains(out, "belongs to user 65534") {
		t.Errorf("it is not refused: %v, %s", err, out)
	}
	for _, path := range []string{mark, dir + "/n"} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", path, err)
		}
	}
}

// testNoNode mistypes the directory.
func (r *rig) testNoNode(t *testing.T) {
	dir := nodetest.ShortDir(t)
	file := filepath.Join(dir, "x", "keep", "f")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("hi"), 0o600), os.Mkdir(dir+"/r", 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{nil, {"--force"}} {
		out, err := nodetest.Run(r.Hub.Namespace, nodetest.Patience, r.Program(), append([]string{"leave", "--dir", dir + "/x", "--run-dir", dir + "/r"}, more...)...)
		if nodetest.ExitCode(err) != 1 || !strings.Contains(out, "this machine is no node") {
			t.Errorf("%v, %s", err, out)
		}
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "hi" {
		t.Errorf("what was there is %q, %v", b, err)
	}
	// Nor can a machine join there.
	out, err := nodetest.Run(r.Hub.Namespace, nodetest.Patience, r.Program(), append([]string{"join", "--dir", dir + "/x", "--run-dir", dir + "/r"}, r.Line(t)...)...)
	if nodetest.ExitCode(err) != 1 || !strings.Contains(out, `files that are not a node's: "keep"`) {
		t.Errorf("%v, %s", err, out)
	}
}

// removeOwners removes what the machine's owner has put into the node's directory, which the node that has
// left must not have done, and the directories of it, in which there must be nothing else.
func (h *host) removeOwners(t *testing.T, pattern string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Errorf("what the owner has put at %s went with the node: %v", pattern, err)
		return
	}
	var errs []error
	for _, path := range files {
		errs = append(errs, os.Remove(path), os.Remove(filepath.Dir(path)))
	}
	for path := filepath.Dir(filepath.Dir(files[0])); path != filepath.Dir(h.Place.Dir); path = filepath.Dir(path) {
		errs = append(errs, os.Remove(path))
	}
	if err := errors.Join(errs...); err != nil {
		t.Errorf("the owner's files, and nothing else: %v", err)
	}
}

// testToken looks for the token that a machine has joined with.
func testToken(t *testing.T, h *host, line []string) {
	token := line[slices.Index(line, "--token")+1]
	for pid, command := range nodetest.Commands() {
		if strings.Contains(command, token) {
			t.Errorf("process %d: %s", pid, command)
		}
	}
	files, err := filepath.Glob(h.Place.Dir + "/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		if b, _ := os.ReadFile(file); strings.Contains(string(b), token) {
			t.Errorf("it is in %s", file)
		}
	}
}
