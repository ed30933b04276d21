package methods

import (
	"strings"
	"testing"
)

func TestModuleAddresses(t *testing.T) {
	for _, good := range []string{"https://a/b.js", "http://localhost:8080/b.js?v=1"} {
		if err := checkModule(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{
		"", "b.js", "/b.js", "//a/b.js", "data:text/javascript,1", "blob:https://a/1", "javascript:1", "file:///etc/passwd",
		"https://", "https://user:word@a/b.js", "https://a/\x00", "https://a/" + strings.Repeat("x", maxModule),
	} {
		if checkModule(bad) == nil {
			t.Errorf("%.100q is taken for the address of a module", bad)
		}
	}
}
