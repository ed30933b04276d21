package gomodule

import (
	"bytes"
	"slices"
	"testing"
)

const (
	header = "\x00asm\x01\x00\x00\x00"
	code   = "\x0a\x06\x02\x02\x00\x0b\x01\x0b"
	// Two segments, the second of which lies before the first.
	data = "\x0b\x11\x02\x00\x41\xc0\x00\x0b\x03abc" + "\x00\x41\x0a\x0b\x02xy"
)

func TestRead(t *testing.T) {
	m, err := Read([]byte(header + "\x00\x03abc" + code + data))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Bodies) != 2 || string(m.Bodies[0]) != "\x00\x0b" || string(m.Bodies[1]) != "\x0b" {
		t.Errorf("bodies %q", m.Bodies)
	}
	want := make([]byte, 67)
	copy(want[10:], "xy")
	copy(want[64:], "abc")
	if !bytes.Equal(m.Memory, want) {
		t.Errorf("memory %q", m.Memory)
	}
	if _, err := m.Program(); err == nil {
		t.Error("a program of Go was found where there is none")
	}
}

func TestWhatIsNotAsExpectedIsAnError(t *testing.T) {
	whole := []byte(header + code + data)
	for i := range whole {
		if _, err := Read(whole[:i]); err == nil && i != 8 && i != 8+len(code) {
			t.Errorf("cut off at byte %d: no error", i)
		}
		for _, flip := range []byte{1, 0x40, 0x80, 0xff} {
			bad := slices.Clone(whole)
			bad[i] ^= flip
			if m, err := Read(bad); err == nil { // it must only not fail worse
				_, _ = m.Program()
			}
		}
	}
	for name, section := range map[string]string{
		"passive segment":  "\x0b\x04\x01\x01\x01a",
		"negative address": "\x0b\x07\x01\x00\x41\x7f\x0b\x01a",
		"other address":    "\x0b\x07\x01\x00\x41\x01\x45\x01a",
		"beyond memory":    "\x0b\x0b\x01\x00\x41\xff\xff\xff\xff\x07\x0b\x01a",
	} {
		if _, err := Read([]byte(header + code + section)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// Tables that lead out of memory.
	m := &Module{Memory: make([]byte, 1000)}
	copy(m.Memory[64:], []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8})
	m.Memory[200] = 64
	for _, filled := range []byte{0, 0x7f, 0xff} {
		for i := 208; i < 600; i++ {
			m.Memory[i] = filled
		}
		clear(m.Memory[208:216])
		m.Memory[208] = 64
		if _, err := m.Program(); err == nil {
			t.Errorf("tables full of %#x: no error", filled)
		}
	}
}

func TestPackageOf(t *testing.T) {
	for name, want := range map[string]string{
		"main.main":                         "main",
		"k8s.io/api/core/v1.(*Pod).Marshal": "k8s.io/api/core/v1",
		"k8s.io/client-go/gentype.(*Client[go.shape.*uint8,a/b.C]).Get": "k8s.io/client-go/gentype",
		"gopkg.in/yaml%2ev3.Marshal":                                    "gopkg.in/yaml.v3",
		"type:.eq.k8s.io/api/core/v1.Pod":                               "(made by compiler and linker)",
		"memeqbody":                                                     "(assembly)",
	} {
		if got := PackageOf(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
