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
