package main

import (
	"bytes"
	"testing"
)

// A module with Go's kind of globals: two that change and, between them, one that does not.
const withGlobals = "\x00asm\x01\x00\x00\x00" +
	"\x05\x03\x01\x00\x10" +
	"\x06\x11\x03" + "\x7f\x01\x41\x00\x0b" + "\x7f\x00\x41\x2a\x0b" + "\x7e\x01\x42\xe4\x00\x0b" +
	"\x07\x07\x01\x03mem\x02\x00" +
	"\x0a\x01\x00"

func TestWithGlobalsExported(t *testing.T) {
	got, err := withGlobalsExported([]byte(withGlobals))
	if err != nil {
		t.Fatal(err)
	}
	added := "\x13tabernetes.global.0\x03\x00" + "\x13tabernetes.global.2\x03\x02"
	want := bytes.Replace([]byte(withGlobals), []byte("\x07\x07\x01\x03mem\x02\x00"), []byte("\x07"+string(rune(7+len(added)))+"\x03\x03mem\x02\x00"+added), 1)
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	for name, bad := range map[string]string{
		"no module": "hello, world", "no globals": withGlobals[:13], "no exports": withGlobals[:32],
		"another form": string(bytes.Replace([]byte(withGlobals), []byte("\x41\x2a"), []byte("\x23\x2a"), 1)),
		"no end":       string(bytes.Replace([]byte(withGlobals), []byte("\x41\x2a\x0b"), []byte("\x41\x2a\x01"), 1)),
	} {
		if _, err := withGlobalsExported([]byte(bad)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
