package join

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestAnAbsentClusterIsSaidOnce(t *testing.T) {
	var out bytes.Buffer
	a := &absent{log: slog.New(slog.NewTextHandler(&out, nil))}
	for _, answered := range []bool{true, false, false, true, true, false} {
		a.tell(answered)
	}
	gone, back := strings.Count(out.String(), "the cluster is not"), strings.Count(out.String(), "answers at the hub again")
	if gone != 2 || back != 1 {
		t.Errorf("it was said %d times, and its end %d times:\n%s", gone, back, &out)
	}
}
