package join

import (
	"maps"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/nodedir"
)

// Of what a node keeps, thresholds may change; whoever does not name them keeps them.
func TestThresholdsOfANodeThatIsThere(t *testing.T) {
	place := nodedir.Place{Dir: t.TempDir()}
	was := map[string]string{"nodefs.available": "10%"}
	if err := place.Save(&nodedir.State{Joined: true, Node: "alpha", Instance: strings.Repeat("i", 22), Hub: "http://192.0.2.1", Settings: nodedir.Settings{EvictionHard: was}}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ given, want map[string]string }{
		"none":   {nil, was},
		"others": {map[string]string{"memory.available": "1Gi"}, map[string]string{"memory.available": "1Gi"}},
	} {
		o := &Options{Place: place, Settings: nodedir.Settings{EvictionHard: c.given}}
		s, err := o.state()
		if err != nil || !maps.Equal(s.Settings.EvictionHard, c.want) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	o := &Options{Place: place, Settings: nodedir.Settings{EvictionHard: map[string]string{"memory.available": "much"}}}
	if _, err := o.state(); err == nil || !strings.Contains(err.Error(), "--eviction-hard") {
		t.Errorf("a quantity that is none: %v", err)
	}
}

// A node that an earlier version has made keeps its run directory from its next join on.
func TestARunDirectoryThatWasNotKept(t *testing.T) {
	place := nodedir.Place{Dir: t.TempDir(), Run: t.TempDir()}
	if err := place.Save(&nodedir.State{Joined: true, Node: "alpha", Instance: "i"}); err != nil {
		t.Fatal(err)
	}
	if s, err := (&Options{Place: place}).state(); err != nil || s.RunDir != place.Run {
		t.Errorf("%+v, %v", s, err)
	}
}
