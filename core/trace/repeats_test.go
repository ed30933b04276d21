package trace

import (
	"fmt"
	"testing"
)

// TestRepeats: the first, what changes, one in sixty, with how many were not told.
func TestRepeats(t *testing.T) {
	var r Repeats
	var got []string
	for i, outcome := range []string{"ok", "ok", "ok", "failed", "ok"} {
		if tell, untold := r.Tell("probe", outcome); tell {
			got = append(got, fmt.Sprintf("%d %s after %d", i, outcome, untold))
		}
	}
	told := 0
	for range 10 * every {
		if tell, untold := r.Tell("probe", "ok"); tell {
			told++
			if untold != every-1 {
				t.Errorf("%d untold", untold)
			}
		}
	}
	if want := "[0 ok after 0 3 failed after 2 4 ok after 0]"; fmt.Sprint(got) != want || told != 10 {
		t.Errorf("%v, want %s; %d of %d", got, want, told, 10*every)
	}
	for i := range 3 * maxRepeats { // whoever invents names
		if tell, _ := r.Tell(fmt.Sprint(i), "ok"); !tell {
			t.Fatal("the first of something is not told")
		}
	}
	if len(r.known) != maxRepeats || len(r.order) != maxRepeats {
		t.Errorf("%d are known", len(r.known))
	}
}
