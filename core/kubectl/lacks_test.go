package kubectl

import (
	"encoding/json"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write what a test compares with")

// The page knows the programs that are not here, too: it refuses a scenario that wants one before a cluster is
// downloaded (web/lesson/killercoda).
func TestThePageKnowsWhatIsLacking(t *testing.T) {
	all := map[string]string{}
	for name := range notHere {
		if why := Lacks(name); why != "" {
			all[name] = why
		}
	}
	want, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	const file = "../../web/lesson/killercoda/lacks.json"
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != string(want) {
		t.Errorf("%s says something else (%v): go test ./core/kubectl -run ThePageKnows -update", file, err)
	}
}
