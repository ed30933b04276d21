package dnsclient

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestConfig(t *testing.T) {
	c := ParseConfig("# x\nnameserver 10.96.0.10\nnameserver 1.1.1.1\nnameserver 2.2.2.2\nnameserver 3.3.3.3\nsearch a.b. c\noptions ndots:5 timeout:100 attempts:0 edns0 ndots:x\n")
	if strings.Join(c.Servers, " ") != "10.96.0.10 1.1.1.1 2.2.2.2" || c.Ndots != 5 || c.Timeout != 30*time.Second || c.Attempts != 1 || !slices.Equal(c.Search, []string{"a.b", "c"}) {
		t.Errorf("%+v", c)
	}
	if c := ParseConfig(""); c.Servers[0] != "127.0.0.1" || c.Ndots != 1 || c.Attempts != 2 {
		t.Errorf("%+v", c)
	}
	if c := ParseConfig("search" + strings.Repeat(" x", 5000)); len(c.Search) != maxSearches {
		t.Errorf("%d domains", len(c.Search))
	}
	if c := ParseConfig("search" + strings.Repeat(" "+strings.Repeat("x", 1000), 9)); len(c.Search) != 2 {
		t.Errorf("%d long domains", len(c.Search))
	}
}

func TestCandidates(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "web. a.b.",
		"search x\noptions ndots:1":   "web.x. web. a.b. a.b.x.",
		"search x y\noptions ndots:5": "web.x. web.y. web. a.b.x. a.b.y. a.b.",
		"domain x\noptions ndots:0\n": "web. web.x. a.b. a.b.x.",
	} {
		c := ParseConfig(text)
		if got := strings.Join(append(c.Candidates("web"), c.Candidates("a.b")...), " "); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got := ParseConfig("search x").Candidates("a.b."); !slices.Equal(got, []string{"a.b."}) {
		t.Error(got)
	}
}
