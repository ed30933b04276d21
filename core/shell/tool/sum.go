package tool

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

func init() {
	for name, make := range map[string]func() hash.Hash{
		"md5sum": md5.New, "sha1sum": sha1.New, "sha256sum": sha256.New, "sha512sum": sha512.New,
	} {
		tools[name] = func(t *T) int { return sum(t, make) }
	}
}

func sum(t *T, make func() hash.Hash) int {
	var check, quiet bool
	files, code, ok := t.flags("[-c [-s]] [FILE]...", func(f *pflag.FlagSet) {
		f.BoolVarP(&check, "check", "c", false, "")
		f.BoolVarP(&quiet, "status", "s", false, "")
	})
	if !ok {
		return code
	}
	digest := func(r io.Reader) (string, error) {
		h := make()
		_, err := io.Copy(h, onlyReader{r})
		return hex.EncodeToString(h.Sum(nil)), err
	}
	t.each(files, func(name string, r io.Reader) error {
		if !check {
			text, err := digest(r)
			if err == nil {
				t.print(text + "  " + name + "\n")
			}
			return err
		}
		return t.lines(r, func(line string) error {
			want, file, _ := strings.Cut(line, " ")
			file = strings.TrimLeft(file, " *")
			in, err := t.open(file)
			if t.failed("can't open '"+file+"'", err) {
				return nil
			}
			defer in.Close()
			got, err := digest(in)
			verdict := "OK"
			if err != nil || !strings.EqualFold(got, want) {
				verdict, t.code = "FAILED", 1
			}
			if !quiet {
				t.print(file + ": " + verdict + "\n")
			}
			return nil
		})
	})
	return 0
}
