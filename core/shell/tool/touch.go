package tool

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/pflag"
)

func init() { tools["touch"] = touch }

func touch(t *T) int {
	var noCreate bool
	var date, stamp, reference string
	files, code, ok := t.flags("[-cham] [-d DATE] [-r FILE] FILE...", func(f *pflag.FlagSet) {
		f.BoolVarP(&noCreate, "no-create", "c", false, "")
		f.StringVarP(&date, "date", "d", "", "")
		f.StringVarP(&stamp, "time", "t", "", "")
		f.StringVarP(&reference, "reference", "r", "", "")
		f.BoolP("access", "a", false, "")
		f.BoolP("modification", "m", false, "")
		f.BoolP("no-dereference", "h", false, "")
	})
	if !ok {
		return code
	}
	if stamp != "" {
		date = stamp
	}
	if len(files) == 0 {
		return t.usage("[-c] [-d DATE] [-r FILE] FILE...")
	}
	at := time.Now()
	if reference != "" {
		info, err := t.FS.Stat(t.Path(reference))
		if t.failed(reference, err) {
			return 1
		}
		at = info.ModTime()
	}
	if date != "" {
		var ok bool
		if at, ok = parseDate(date); !ok {
			t.fail("invalid date '%s'", date)
			return 1
		}
	}
	for _, file := range files {
		err := t.FS.Chtimes(t.Path(file), at, at)
		if errors.Is(err, fs.ErrNotExist) && !noCreate {
			var f interface{ Close() error }
			if f, err = t.OpenFile(file, os.O_WRONLY|os.O_CREATE, 0o644); err == nil {
				err = f.Close()
				if date != "" || reference != "" {
					err = t.FS.Chtimes(t.Path(file), at, at)
				}
			}
		}
		if !noCreate || !errors.Is(err, fs.ErrNotExist) {
			t.failed(file, err)
		}
	}
	return 0
}
