package main

import (
	"bytes"
	"testing"
)

func TestWithInitialMemory(t *testing.T) {
	module := []byte("\x00asm\x01\x00\x00\x00" +
		"\x01\x02\x01\x60" + // a section to pass over
		"\x05\x03\x01\x00\x10" + // memory: one, no maximum, 16 pages
		"\x0a\x01\x00")
	got, err := withInitialMemory(module, 300*wasmPage-1)
	if err != nil {
		t.Fatal(err)
	}
	want := bytes.Replace(module, []byte("\x05\x03\x01\x00\x10"), []byte("\x05\x04\x01\x00\xac\x02"), 1)
	if !bytes.Equal(got, want) {
		t.Errorf("got\n% x, want\n% x", got, want)
	}
	if same, err := withInitialMemory(module, 1); err != nil || !bytes.Equal(same, module) {
		t.Errorf("less than there is: % x, %v", same, err)
	}
	for name, bad := range map[string][]byte{
		"no module": []byte("hello, world"), "no memory": module[:12], "cut off": module[:len(module)-6],
		"maximum": []byte("\x00asm\x01\x00\x00\x00\x05\x04\x01\x01\x10\x20"),
	} {
		if _, err := withInitialMemory(bad, 300*wasmPage); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
