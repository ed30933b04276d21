package tunnel

import (
	"strings"
	"testing"
)

func TestParseOutside(t *testing.T) {
	for text, want := range map[string]string{
		"hooks.example.com:443":             "hooks.example.com:443",
		"Hooks.Example.COM.:0443":           "hooks.example.com:443",
		"192.0.2.7:8443":                    "192.0.2.7:8443",
		"[2001:DB8::7]:443":                 "[2001:db8::7]:443",
		"[::ffff:192.0.2.7]:443":            "192.0.2.7:443",
		"localhost:8443":                    "localhost:8443",
		"hooks.example.com":                 "",
		"https://hooks.example.com:443":     "",
		"hooks.example.com:443/path":        "",
		"hooks.example.com:0":               "",
		"hooks.example.com:65536":           "",
		"hooks.example.com:-1":              "",
		"hooks example.com:443":             "",
		"hooks..example.com:443":            "",
		":443":                              "",
		"*.example.com:443":                 "",
		"user@hooks.example.com:443":        "",
		"2130706433:80":                     "", // 127.0.0.1, as some resolvers read it
		"0x7f.1:80":                         "",
		"127.1:80":                          "",
		"[fe80::1%eth0]:443":                "",
		strings.Repeat("a.", 200) + "b:443": "",
	} {
		got, err := ParseOutside(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}
