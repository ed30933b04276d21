package podrecord

import (
	"strings"
	"testing"
)

// The table is well-formed: who compares with it compares with something.
func TestPods(t *testing.T) {
	for _, on := range []Kind{Real, InTab} {
		pods, err := Pods(on, true)
		if err != nil || len(pods) < 8 {
			t.Fatalf("%d pods, %v", len(pods), err)
		}
		for _, p := range pods {
			if last := p.Lines[len(p.Lines)-1]; strings.HasPrefix(last, maybe) || len(p.Events) == 0 {
				t.Errorf("%s: no end of its record, or no events", p.Name)
			}
			if (p.OnlyOn == "") != (p.Why == "") {
				t.Errorf("%s: shown on one kind of node only, and not said why", p.Name)
			}
		}
	}
}

func TestDifferences(t *testing.T) {
	p := Pod{Lines: []string{"maybe Pending", "Running", "maybe Waiting", "Error"}, Events: []string{"Normal Started", "maybe Normal Pulled"}}
	for _, c := range []struct {
		lines, events, want string
	}{
		{"Pending,Running,Waiting,Error", "Normal Pulled,Normal Started", ""},
		{"Running,Error", "Normal Started", ""},
		{"Pending,Error", "Normal Started", "it shows   Error\ninstead of Running\n"},
		{"Running", "Normal Started", "it never shows Error\n"},
		{"Running,Error,Running", "Normal Started", "it shows   Running\n"},
		{"Running,Error", "Warning BackOff", "no event Normal Started\nan event Warning BackOff\n"},
	} {
		r := Record{Lines: strings.Split(c.lines, ","), Events: strings.Split(c.events, ",")}
		if got := p.Differences(r); got != c.want {
			t.Errorf("%s; %s: %q, want %q", c.lines, c.events, got, c.want)
		}
	}
}
