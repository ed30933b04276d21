package console

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestWriter(t *testing.T) {
	var out strings.Builder
	w := New(&out)
	now := time.Unix(0, 0)
	w.now = func() time.Time { return now }
	say := func(format string, args ...any) string {
		t.Helper()
		out.Reset()
		entry := fmt.Sprintf(format, args...)
		if n, err := w.Write([]byte(entry)); err != nil || n != len(entry) {
			t.Fatalf("%q: %d, %v", entry, n, err)
		}
		return out.String()
	}
	const behind = "E1122 04:00:21.760000       1 replica_set.go:640] \"Unhandled Error\" err=\"%d\"\n"

	if got := say("I1122 04:00:21.760000       1 a.go:1] chatter\n"); got != "" {
		t.Errorf("information is passed on: %q", got)
	}
	for i := range 30 {
		if got, want := say(behind, i), fmt.Sprintf(behind, i); i < burst && got != want || i >= burst && got != "" {
			t.Errorf("entry %d: %q", i, got)
		}
	}
	for _, other := range []string{
		"E1122 04:00:21.760000       1 replica_set.go:641] another place\n",
		"W1122 04:00:21.760000       1 replica_set.go:640] another level\n",
		"F1122 04:00:21.760000       1 replica_set.go:640] the end\n",
		"goroutine 1 [running]:\n", "", "E", "E] ",
	} {
		if got := say("%s", other); got != other {
			t.Errorf("%q became %q", other, got)
		}
	}
	now = now.Add(every)
	if got, want := say(behind, 30), "err=\"30\" (20 like this were left out before)\n"; !strings.HasSuffix(got, want) {
		t.Errorf("later: %q", got)
	}
	now = now.Add(every)
	if got, want := say(behind, 31), fmt.Sprintf(behind, 31); got != want {
		t.Errorf("once more: %q", got)
	}
}
