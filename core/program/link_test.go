package program

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestALinkLeadsNobodyOut: the operating system follows no link of a program to what is not below it, wherever
// it comes to lie, and programs read what they wrote.
func TestALinkLeadsNobodyOut(t *testing.T) {
	bothTrees(t, func(t *testing.T) {
		root, vol, machine := volume(t)
		f := NewFS(root, Mount{Path: "/data", HostPath: vol})
		up := strings.Repeat("../", 30)
		must(t, f.Mkdir("/data/a", 0o755))
		must(t, f.Mkdir("/data/a/b", 0o755))
		for i, target := range []string{
			machine + "/f", up + machine[1:] + "/f", "d/../../etc/f", "..", "../", "/", "//etc", "./../etc/f", "a/..", sealed + machine,
			sealed, "/dev/null/" + up + machine, "d//..//..//etc/f", strings.Repeat("x/", 500) + "..",
		} {
			for _, dir := range []string{"/data/", "/data/a/b/"} {
				name := dir + string(rune('k'+i))
				must(t, f.Symlink(target, name))
				if got, err := f.Readlink(name); err != nil || got != target {
					t.Errorf("%s reads as %q, %v", target, got, err)
				}
				info, err := f.Lstat(name)
				if err != nil || info.Size() != int64(len(target)) || info.Mode()&fs.ModeSymlink == 0 {
					t.Errorf("%s is %v, %v", target, info, err)
				}
				ways := []string{name}
				if dir != "/data/" {
					must(t, f.Link(name, "/data/moved"))
					ways = append(ways, "/data/moved")
				}
				for _, at := range ways {
					at = filepath.Join(vol, strings.TrimPrefix(at, "/data"))
					if got, err := os.Stat(at); err == nil {
						t.Errorf("%s: %s leads to %s", target, at, got.Name())
					}
					if err := os.WriteFile(at, nil, 0o600); err == nil {
						t.Errorf("%s: something is written through %s", target, at)
					}
				}
				if err := f.Remove("/data/moved"); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Error(err)
				}
			}
		}
		entries, err := f.ReadDir("/data")
		must(t, err)
		for _, e := range entries {
			info, err := e.Info()
			target, readErr := f.Readlink("/data/" + e.Name())
			if err != nil || readErr == nil && info.Size() != int64(len(target)) {
				t.Errorf("%s: %v, %v", e.Name(), info, err)
			}
		}
		if entries, _ := os.ReadDir(machine); len(entries) != 1 {
			t.Errorf("made outside: %v", entries)
		}
	})
}

// TestALinkDownwardsIsTheSystems: what volumes' links (..data) and the kubelet's own are made of.
func TestALinkDownwardsIsTheSystems(t *testing.T) {
	bothTrees(t, func(t *testing.T) {
		root, vol, _ := volume(t)
		f := NewFS(root, Mount{Path: "/data", HostPath: vol})
		for _, target := range []string{"d/f", "./d/f", "d/./f", "d//f", "..d", "d/..f", "...", "f.."} {
			must(t, f.Symlink(target, "/data/l"))
			if got, err := os.Readlink(filepath.Join(vol, "l")); err != nil || got != target {
				t.Errorf("%s is %q on the disk, %v", target, got, err)
			}
			must(t, f.Remove("/data/l"))
		}
		// A program follows its own, and those that others made.
		must(t, f.Symlink("../d/f", "/data/d/mine"))
		must(t, f.Symlink("/data/d/f", "/data/absolute"))
		must(t, os.Symlink("../d/f", filepath.Join(vol, "d/others")))
		for _, name := range []string{"/data/d/mine", "/data/absolute", "/data/d/others"} {
			if got, err := f.ReadFile(name); err != nil || string(got) != "mine" {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
		plain := NewFS(root, Mount{Path: "/data", HostPath: vol}).Plain()
		must(t, plain.Symlink("../d/f", "/data/d/terminals"))
		if got, err := os.ReadFile(filepath.Join(vol, "d/terminals")); err != nil || string(got) != "mine" {
			t.Errorf("the terminal's: %q, %v", got, err)
		}
	})
}
