package tool

import (
	"cmp"
	"path"

	"github.com/spf13/pflag"
)

func init() {
	tools["mkdir"] = mkdir
	tools["rmdir"] = rmdir
}

func mkdir(t *T) int {
	var parents bool
	var mode string
	dirs, code, ok := t.flags("[-m MODE] [-p] DIRECTORY...", func(f *pflag.FlagSet) {
		f.BoolVarP(&parents, "parents", "p", false, "")
		f.StringVarP(&mode, "mode", "m", "", "")
		f.BoolP("verbose", "v", false, "")
	})
	if !ok {
		return code
	}
	if len(dirs) == 0 {
		return t.usage("[-m MODE] [-p] DIRECTORY...")
	}
	perm, ok := newMode(cmp.Or(mode, "777"), 0o777)
	if !ok {
		t.fail("invalid mode '%s'", mode)
		return 1
	}
	for _, dir := range dirs {
		make := t.FS.Mkdir
		if parents {
			make = t.FS.MkdirAll
		}
		if t.failed("can't create directory '"+dir+"'", make(t.Path(dir), 0o777)) || mode == "" {
			continue
		}
		t.failed(dir, t.FS.Chmod(t.Path(dir), perm)) // what -m asks for is no matter of the umask
	}
	return 0
}

func rmdir(t *T) int {
	var parents, ignore bool
	dirs, code, ok := t.flags("[-p] DIRECTORY...", func(f *pflag.FlagSet) {
		f.BoolVarP(&parents, "parents", "p", false, "")
		f.BoolVar(&ignore, "ignore-fail-on-non-empty", false, "")
	})
	if !ok {
		return code
	}
	for _, dir := range dirs {
		for {
			info, err := t.FS.Lstat(t.Path(dir))
			if err == nil && !info.IsDir() {
				t.fail("'%s': Not a directory", dir)
				break
			}
			if err == nil {
				err = t.FS.Remove(t.Path(dir))
			}
			if err != nil && !ignore {
				t.failed("'"+dir+"'", err)
			}
			if dir = path.Dir(dir); err != nil || !parents || dir == "." || dir == "/" {
				break
			}
		}
	}
	return 0
}
