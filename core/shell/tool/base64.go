package tool

import (
	"encoding/base64"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

func init() { tools["base64"] = base64Tool }

func base64Tool(t *T) int {
	var decode bool
	wrap := 76
	files, code, ok := t.flags("[-d] [-w COL] [FILE]", func(f *pflag.FlagSet) {
		f.BoolVarP(&decode, "decode", "d", false, "")
		f.IntVarP(&wrap, "wrap", "w", wrap, "")
	})
	if !ok {
		return code
	}
	t.each(files[:min(len(files), 1)], func(_ string, r io.Reader) error {
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if decode {
			out, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(data)), ""))
			_, _ = t.out.Write(out)
			if err != nil {
				t.fail("invalid input")
			}
			return nil
		}
		text := base64.StdEncoding.EncodeToString(data)
		for wrap > 0 && len(text) > wrap {
			t.print(text[:wrap] + "\n")
			text = text[wrap:]
		}
		t.print(text)
		if wrap > 0 && text != "" {
			t.print("\n")
		}
		return nil
	})
	return 0
}
