package cgroup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestPathsOfANode(t *testing.T) {
	for path, ok := range map[string]bool{"/a": true, "/a/b": true, "/": false, "": false, "a": false, "/a/": false, "/a/../b": false, "/..": false} {
		if _, err := New(path); (err == nil) != ok {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// A group is removed with all that runs in it and below it, and nothing else.
func TestRemove(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("control groups are made by root")
	}
	root := fmt.Sprintf("/tabtest-%d-remove", os.Getpid())
	g, err := New(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Remove() })
	below, err := New(root + "/pods/one")
	if err != nil {
		t.Fatal(err)
	}
	var sleepers []*exec.Cmd
	for _, in := range []*Group{g, below, nil} {
		cmd := exec.Command("sleep", "300")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		if in != nil {
			if err := in.Add(cmd.Process.Pid); err != nil {
				t.Skipf("no control groups here: %v", err)
			}
			go func() { _ = cmd.Wait() }()
		}
		sleepers = append(sleepers, cmd)
	}
	if err := g.Remove(); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob("/sys/fs/cgroup/*" + root)
	if more, _ := filepath.Glob("/sys/fs/cgroup" + root); len(left)+len(more) > 0 {
		t.Errorf("groups are left: %v", left)
	}
	for i, alive := range []bool{false, false, true} {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d/exe", sleepers[i].Process.Pid)); (err == nil) != alive {
			t.Errorf("process %d: alive %v, want %v", i, err == nil, alive)
		}
	}
	if err := g.Remove(); err != nil {
		t.Errorf("once more: %v", err)
	}
}
