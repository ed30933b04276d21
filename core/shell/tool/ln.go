package tool

import "github.com/spf13/pflag"

func init() { tools["ln"] = ln }

func ln(t *T) int {
	var symbolic, force, noDeref bool
	args, code, ok := t.flags("[-sfn] TARGET... LINK|DIR", func(f *pflag.FlagSet) {
		f.BoolVarP(&symbolic, "symbolic", "s", false, "")
		f.BoolVarP(&force, "force", "f", false, "")
		f.BoolVarP(&noDeref, "no-dereference", "n", false, "")
		f.BoolP("verbose", "v", false, "")
		f.BoolVarP(&noDeref, "no-target-directory", "T", false, "")
	})
	if !ok {
		return code
	}
	if len(args) == 0 {
		return t.usage("[-sfn] TARGET... LINK|DIR")
	}
	if len(args) == 1 {
		args = append(args, ".")
	}
	targets, dest := args[:len(args)-1], args[len(args)-1]
	stat := t.FS.Stat
	if noDeref {
		stat = t.FS.Lstat
	}
	info, err := stat(t.Path(dest))
	isDir := err == nil && info.IsDir()
	if len(targets) > 1 && !isDir {
		t.fail("'%s' is not a directory", dest)
		return 1
	}
	for _, target := range targets {
		name := dest
		if isDir {
			name = into(dest, target)
		}
		if force {
			_ = t.FS.Remove(t.Path(name))
		}
		var err error
		if symbolic {
			err = t.FS.Symlink(target, t.Path(name))
		} else {
			err = t.FS.Link(t.Path(target), t.Path(name))
		}
		t.failed(name, err)
	}
	return 0
}
