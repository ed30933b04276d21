package serve

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/pairing"
)

// What is printed where others may read it has no secret in it, and says where it is.
func TestTheSecretIsForThePersonAtTheTerminal(t *testing.T) {
	o := Options{State: pairing.State{Dir: "/state"}}
	if got := o.pageLines("http://localhost:8080", "hush"); strings.Contains(got, "hush") || !strings.Contains(got, "/state/pairing-secret") {
		t.Errorf("%q", got)
	}
	o.ShowSecret = true
	if got := o.pageLines("http://localhost:8080", "hush"); got != "page    http://localhost:8080/#hub=hush\n" {
		t.Errorf("%q", got)
	}
}
