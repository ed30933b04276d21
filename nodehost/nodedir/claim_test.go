package nodedir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhoseADirectoryIs(t *testing.T) {
	state := `{"node":"a","instance":"i"}`
	for name, c := range map[string]struct {
		dir, run map[string]string // files, by name
		foreign  string            // what is named, if it is refused
	}{
		"nothing":                        {},
		"a new disk":                     {dir: map[string]string{"lost+found/x": ""}},
		"disks for some of it":           {dir: map[string]string{"containerd/lost+found/x": ""}},
		"what README has one put there":  {dir: map[string]string{"registries/_default/hosts.toml": "", "kubelet/seccomp/profile.json": ""}},
		"another kubelet":                {dir: map[string]string{"kubelet/seccomp/profile.json": "", "kubelet/pods/x": ""}, foreign: `"kubelet"`},
		"somebody's files":               {dir: map[string]string{"f": "", "g": ""}, foreign: `"f", "g"`},
		"somebody's cluster":             {dir: map[string]string{"x/cluster/pki/ca.key": ""}, foreign: `"x"`},
		"many files":                     {dir: map[string]string{"1": "", "2": "", "3": "", "4": "", "5": "", "6": ""}, foreign: "2 more"},
		"a name with a line in it":       {dir: map[string]string{"a\nnodehost: all is well": ""}, foreign: `"a\nnodehost: all is well"`},
		"a node's names, and no node":    {dir: map[string]string{"bin/x": "", "log/y": ""}, foreign: `"bin", "log"`},
		"somebody else's node.json":      {dir: map[string]string{"node.json": `{"name":"x"}`}, foreign: "node.json"},
		"a node of an earlier version":   {dir: map[string]string{"node.json": state, "kubelet/x": ""}, run: map[string]string{"lock": "", "containerd/x": ""}},
		"a marked one, and other files":  {dir: map[string]string{markerName: marker, "f": ""}, run: map[string]string{markerName: marker, "f": ""}},
		"the machine's /run":             {run: map[string]string{"systemd/x": "", "lock/x": ""}, foreign: `"lock", "systemd"`},
		"a /run with a lock of its own":  {run: map[string]string{"systemd/x": "", "lock": ""}, foreign: `"systemd"`},
		"a node beside what is not its ": {dir: map[string]string{"node.json": state}, run: map[string]string{"x": ""}, foreign: `"x"`},
	} {
		t.Run(name, func(t *testing.T) {
			p := place(t)
			for dir, files := range map[string]map[string]string{p.Dir: c.dir, p.Run: c.run} {
				for file, text := range files {
					path := filepath.Join(dir, file)
					if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
						t.Fatal(err)
					}
				}
			}
			err := p.Check()
			if c.foreign == "" {
				if err != nil {
					t.Fatal(err)
				}
				if err := p.Claim(&State{Node: "a", Instance: "i"}); err != nil || !p.IsMarked() {
					t.Errorf("it is not marked: %v", err)
				}
				return
			}
			if !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), c.foreign) {
				t.Errorf("%v, want one that names %s", err, c.foreign)
			}
			if err := p.Claim(&State{Node: "a", Instance: "i"}); !errors.Is(err, ErrForeign) || isMarked(p.Dir) || isMarked(p.Run) {
				t.Errorf("claimed all the same: %v", err)
			}
		})
	}
}

// A node keeps its run directory, by any of its names; another one is refused, whatever is in it.
func TestARunDirectoryIsKept(t *testing.T) {
	p := place(t)
	if err := p.Claim(&State{Node: "a", Instance: "i"}); err != nil {
		t.Fatal(err)
	}
	if s, err := p.Load(); err != nil || s.RunDir != p.Run {
		t.Errorf("the state is %+v, %v", s, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Dir(p.Run), link); err != nil {
		t.Fatal(err)
	}
	for run, want := range map[string]error{
		p.Run: nil,
		filepath.Join(link, filepath.Base(p.Run)): nil,
		p.Run + "2":         ErrElsewhere,
		filepath.Dir(p.Run): ErrElsewhere,
	} {
		if err := (Place{Dir: p.Dir, Run: run}).Check(); !errors.Is(err, want) {
			t.Errorf("with %s: %v, want %v", run, err, want)
		}
	}
}
