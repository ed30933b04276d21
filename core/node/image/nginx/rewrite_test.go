package nginx

import (
	"strings"
	"testing"
)

// TestVariablesAreBounded: a few lines double a value until it would take all memory.
func TestVariablesAreBounded(t *testing.T) {
	s := newSite(t, map[string]string{"/etc/nginx/conf.d/default.conf": `server { listen 80;
		location /set { set $a xxxxxxxx; ` + strings.Repeat("set $a $a$a; ", 60) + ` return 200 $a; }
		location /many { set $a ` + strings.Repeat("x", 1000) + `; ` + strings.Repeat("set $b $a; ", 5000) + ` return 200 never; }
		location /text { set $a ` + strings.Repeat("x", 1000) + `; return 200 "` + strings.Repeat("$a", 5000) + `"; }
		location /ok { return 200 still; } }`}).start()
	for _, path := range []string{"/set", "/many"} {
		if code, _, body := s.get("GET", path); code != 500 {
			t.Errorf("%s: %d, %d bytes", path, code, len(body))
		}
	}
	s.logs(&s.err, `the variables of a request hold more than 1048576 bytes, at "set $`)
	if code, _, body := s.get("GET", "/text"); code != 200 || len(body) > maxExpanded {
		t.Errorf("a text of many variables: %d, %d bytes", code, len(body))
	}
	if _, _, body := s.get("GET", "/ok"); body != "still" {
		t.Errorf("after it: %q", body)
	}
}
