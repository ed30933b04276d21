package overlay

import (
	"maps"
	"os"
	"testing"
)

// TestTheRecordOfTheMachine: what the machine was is known again, and a record that a full disk left empty
// keeps nobody from starting or leaving.
func TestTheRecordOfTheMachine(t *testing.T) {
	o := &Options{Dir: t.TempDir()}
	was := map[string]string{"net/ipv4/ip_forward": "0"}
	if err := o.write(was); err != nil {
		t.Fatal(err)
	}
	if got, err := o.sysctlsBefore(); err != nil || !maps.Equal(got, was) {
		t.Errorf("got %v, %v", got, err)
	}
	if err := os.WriteFile(o.record(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := o.sysctlsBefore(); err != nil || len(got) != 0 {
		t.Errorf("an empty record: %v, %v", got, err)
	}
	if err := o.restoreSysctls(); err != nil {
		t.Errorf("leave with an empty record: %v", err)
	}
	if err := os.WriteFile(o.record(), []byte(`{"net/ipv4`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := o.sysctlsBefore(); err == nil {
		t.Error("a record that is no JSON was read")
	}
}
