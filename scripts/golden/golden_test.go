package golden

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestADifferenceIsSaid(t *testing.T) {
	files := fstest.MapFS{"testdata/args": {Data: []byte("--a=1\n--b=2\n")}}
	if said := compare(files, "args", Lines([]string{"--a=1", "--b=2"})); said != "" {
		t.Error(said)
	}
	said := compare(files, "args", Lines([]string{"--a=1", "--b=3"}))
	for _, want := range []string{"testdata/args", "\n---b=2", "\n+--b=3", "-update"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if said := compare(files, "other", ""); !strings.Contains(said, "other") || !strings.Contains(said, "-update") {
		t.Errorf("a file that is missing: %q", said)
	}
}
