package kubectl_test

import (
	"strings"
	"testing"
	"unicode"
)

// TestBodiesAreText: what -v=8 shows can be read, of clients that would speak protobuf, too.
func TestBodiesAreText(t *testing.T) {
	term, _ := newTerminal(t)
	s := term.Session("a")
	t.Cleanup(func() { typed(t, s, "kubectl delete deployment shown --wait=false") })
	for _, line := range []string{
		"kubectl create deployment shown --image=nginx -v=8",
		"kubectl get deployment shown -v=8",
		"kubectl describe deployment shown -v=8",
		"kubectl rollout status deployment shown -v=8",
		"kubectl create deployment shown --image=nginx -v=8", // a Status that says no
	} {
		_, errOut, _ := typed(t, s, line)
		if strings.Contains(errOut, "protobuf") || strings.Contains(errOut, "00000000  ") {
			t.Errorf("%s: asks for protobuf:\n%.2000s", line, errOut)
		}
		if !strings.Contains(errOut, "Response Body") || strings.ContainsFunc(errOut, func(r rune) bool {
			return r == unicode.ReplacementChar || unicode.IsControl(r) && r != '\n' && r != '\t'
		}) {
			t.Errorf("%s: shows what is no text:\n%.2000q", line, errOut)
		}
	}
}
