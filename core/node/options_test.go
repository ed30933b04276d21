package node

import (
	"strings"
	"testing"
)

func TestWrongOptionsAreAllNamed(t *testing.T) {
	_, err := New(Options{Name: "Node_1", Capacity: Capacity{MilliCPU: 1500}})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"name", "IP", "root directory", "runtime", "client configuration", "serving certificate", "client CA", "whole cores"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not named in: %v", want, err)
		}
	}
}

func TestCapacityDefaultsFieldByField(t *testing.T) {
	got := Capacity{Pods: 5}.WithDefaults()
	want := DefaultCapacity
	want.Pods = 5
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSizesThatNoNodeHas(t *testing.T) {
	for want, c := range map[string]Capacity{
		"cores -1: a node has 1 at least and 256 at most": {MilliCPU: -1000},
		"cores 257: ": {MilliCPU: 257_000},
		"memory 1 MiB: a node has 128 MiB at least and 16 TiB at most": {MemoryBytes: 1 << 20},
		"memory -8796093022208 MiB":                                    {MemoryBytes: -1 << 63},
		"disk 63 MiB: a node has 64 MiB at least and 16 TiB at most":   {EphemeralStorageBytes: 64<<20 - 1},
		"disk 8796093022207 MiB":                                       {EphemeralStorageBytes: 1<<63 - 1},
		"pods -1: a node has 1 at least":                               {Pods: -1},
	} {
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, and not %s", c, err, want)
		}
	}
	if err := (Capacity{}).Check(); err != nil {
		t.Error(err)
	}
}
