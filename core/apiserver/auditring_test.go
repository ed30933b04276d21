package apiserver

import (
	"fmt"
	"testing"
)

// TestAuditRing: what is over its bound goes, oldest first, and who comes late is told how much that was.
func TestAuditRing(t *testing.T) {
	r := NewAuditRing(30)
	_, next, _, more := r.Since(0)
	for i := range 5 {
		fmt.Fprintf(r, "event %03d\n", i) // of nine bytes
	}
	select {
	case <-more:
	default:
		t.Error("nobody was told")
	}
	lines, next, missed, _ := r.Since(next)
	if len(lines) != 3 || string(lines[0]) != "event 002" || next != 5 || missed != 2 {
		t.Errorf("%q, next %d, missed %d", lines, next, missed)
	}
	if lines, next, missed, _ := r.Since(4); len(lines) != 1 || next != 5 || missed != 0 {
		t.Errorf("%q, next %d, missed %d", lines, next, missed)
	}
	fmt.Fprint(r, string(make([]byte, 100))) // more than all of it: it alone is held
	if lines, _, _, _ := r.Since(-7); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
	if lines, next, _, _ := r.Since(99); len(lines) != 0 || next != 6 {
		t.Errorf("%q, next %d", lines, next)
	}
}
