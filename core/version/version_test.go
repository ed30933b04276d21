package version

import (
	"os"
	"strings"
	"testing"

	upstream "k8s.io/component-base/version"
)

func TestVersionIsThatOfGoMod(t *testing.T) {
	raw, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), "k8s.io/kubernetes "+Kubernetes+"\n") {
		t.Errorf("go.mod does not name k8s.io/kubernetes %s: run scripts/bump-k8s", Kubernetes)
	}
	if got := upstream.Get(); got.GitVersion != Kubernetes || got.Major+"."+got.Minor != strings.Join(strings.Split(Kubernetes[1:], ".")[:2], ".") {
		t.Errorf("components are told %+v", got)
	}
}
