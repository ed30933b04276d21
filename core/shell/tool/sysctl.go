package tool

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

func init() { tools["sysctl"] = sysctl }

const sysctlRoot = "/proc/sys"

// sysctl shows the parameters of the kernel, which are files below /proc/sys; who sets one is told what
// the file system says.
func sysctl(t *T) int {
	var all, valueOnly, ignore, quiet, write bool
	args, code, ok := t.flags("[-neqaw] [KEY[=VALUE]]...", func(f *pflag.FlagSet) {
		f.BoolVarP(&all, "all", "a", false, "")
		f.BoolVarP(&valueOnly, "values", "n", false, "")
		f.BoolVarP(&ignore, "ignore", "e", false, "")
		f.BoolVarP(&quiet, "quiet", "q", false, "")
		f.BoolVarP(&write, "write", "w", false, "")
	})
	if !ok {
		return code
	}
	show := func(key string) {
		data, err := t.FS.ReadFile(sysctlFile(key))
		if err != nil {
			if !ignore {
				t.fail("error: %q is an unknown key: %s", key, program.Reason(err))
			}
			return
		}
		value := strings.TrimSpace(string(data))
		if !valueOnly {
			value = key + " = " + value
		}
		t.print(value + "\n")
	}
	if all {
		for _, key := range t.sysctls(sysctlRoot) {
			show(key)
		}
		return 0
	}
	for _, arg := range args {
		if t.ctx.Err() != nil {
			return 1
		}
		key, value, set := strings.Cut(arg, "=")
		key = strings.ReplaceAll(strings.TrimSpace(key), "/", ".")
		if !set {
			show(key)
			continue
		}
		if t.failed("error setting key '"+key+"'", t.FS.WriteFile(sysctlFile(key), []byte(value+"\n"), 0o644)) {
			continue
		}
		if !quiet {
			t.print(key + " = " + value + "\n")
		}
	}
	return 0
}

// sysctlFile is the file of a key, which never leads out of the directory of all.
func sysctlFile(key string) string {
	return path.Join(sysctlRoot, path.Clean("/"+strings.ReplaceAll(key, ".", "/")))
}

// sysctls are the keys below a directory, sorted.
func (t *T) sysctls(dir string) (keys []string) {
	entries, _ := t.FS.ReadDir(dir) // none is nothing to list
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.Type()&fs.ModeDir != 0 {
			keys = append(keys, t.sysctls(name)...)
		} else {
			keys = append(keys, strings.ReplaceAll(strings.TrimPrefix(name, sysctlRoot+"/"), "/", "."))
		}
	}
	slices.Sort(keys)
	return keys
}
