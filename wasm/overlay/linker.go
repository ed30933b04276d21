package overlay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// LinkerTable is every file in which our linker differs from the toolchain's.
func LinkerTable() []Entry { return linked }

// linkerDirs is where the linker is built: an overlay of its own, below d.Out.
func linkerDirs(d Dirs) Dirs {
	d.Out = filepath.Join(d.Out, "linker")
	return d
}

func (d Dirs) linker() string   { return filepath.Join(linkerDirs(d).Out, "link") }
func (d Dirs) toolexec() string { return filepath.Join(linkerDirs(d).Out, "toolexec") }

// toolexecFlag has the go command run our linker where it would run its own.
func (d Dirs) toolexecFlag() string {
	quoted := func(path string) string {
		if strings.ContainsAny(path, " \t") {
			return "'" + path + "'"
		}
		return path
	}
	return "-toolexec=" + quoted(d.toolexec()) + " " + quoted(d.linker())
}

// BuildLinker makes the linker that Command has the go command use, from the Go of the toolchain
// with the edits of LinkerTable, and reports whether it had to. See ADR 25.
func BuildLinker(d Dirs) (did bool, err error) {
	at := linkerDirs(d)
	if err := Generate(at, linked); err != nil {
		return false, err
	}
	stamp, err := linkerStamp(d)
	if err != nil {
		return false, err
	}
	stampFile := filepath.Join(at.Out, "stamp")
	if old, err := os.ReadFile(stampFile); err == nil && string(old) == stamp && exists(d.linker()) && exists(d.toolexec()) {
		return false, nil
	}
	if err := buildNative(d, d.linker(), "-overlay="+at.JSON(), "cmd/link"); err != nil {
		return false, err
	}
	if err := buildNative(d, d.toolexec(), "./wasm/overlay/toolexec"); err != nil {
		return false, err
	}
	return true, os.WriteFile(stampFile, []byte(stamp), 0o644)
}

// linkerStamp is the hash of what both programs are made from: the Go of the toolchain is known
// by its version, as it is to the build cache.
func linkerStamp(d Dirs) (string, error) {
	at := linkerDirs(d)
	files := []string{
		filepath.Join(d.GOROOT, "VERSION"), at.JSON(),
		filepath.Join(d.Root, "wasm", "overlay", "toolexec", "main.go"),
	}
	var made struct{ Replace map[string]string }
	if text, err := os.ReadFile(at.JSON()); err != nil {
		return "", fmt.Errorf("linker: %w", err)
	} else if err := json.Unmarshal(text, &made); err != nil {
		return "", fmt.Errorf("linker: %w", err)
	}
	for _, path := range slices.Sorted(maps.Keys(made.Replace)) {
		files = append(files, made.Replace[path])
	}
	var all bytes.Buffer
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("linker: %w", err)
		}
		all.WriteString(Hash(content) + "\n")
	}
	return Hash(all.Bytes()), nil
}

// buildNative builds a program of this machine. It is put in place in one step, because a build
// beside this one may be running it.
func buildNative(d Dirs, target string, args ...string) error {
	fresh, err := os.MkdirTemp(filepath.Dir(target), "new")
	if err != nil {
		return fmt.Errorf("linker: %w", err)
	}
	defer os.RemoveAll(fresh)
	made := filepath.Join(fresh, filepath.Base(target))
	cmd := exec.Command("go", append([]string{"build", "-trimpath", "-buildvcs=false", "-o", made}, args...)...)
	cmd.Dir = d.Root
	cmd.Env = append(withoutGo(os.Environ()), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("linker: go build %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	if err := os.Rename(made, target); err != nil {
		return fmt.Errorf("linker: %w", err)
	}
	return nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
