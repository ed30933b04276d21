package cri

import (
	"fmt"
	"testing"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// TestCapabilities: the sets are those that machines show; the first two are kubernetes.io's (Set capabilities for a
// Container).
func TestCapabilities(t *testing.T) {
	for name, c := range map[string]struct {
		add, drop       []string
		privileged      bool
		user            int64
		effective, most string
	}{
		"none is asked for":      {effective: "00000000a80425fb", most: "00000000a80425fb"},
		"two more":               {add: []string{"NET_ADMIN", "SYS_TIME"}, effective: "00000000aa0435fb", most: "00000000aa0435fb"},
		"one less":               {drop: []string{"net_raw"}, effective: "00000000a80405fb", most: "00000000a80405fb"},
		"none":                   {drop: []string{"ALL"}, effective: "0000000000000000", most: "0000000000000000"},
		"none but one":           {add: []string{"NET_BIND_SERVICE"}, drop: []string{"all"}, effective: "0000000000000400", most: "0000000000000400"},
		"all":                    {add: []string{"ALL"}, effective: "000001ffffffffff", most: "000001ffffffffff"},
		"privileged":             {privileged: true, drop: []string{"KILL"}, effective: "000001ffffffffff", most: "000001ffffffffff"},
		"a user":                 {user: 1000, effective: "0000000000000000", most: "00000000a80425fb"},
		"names that nobody has":  {add: []string{"CAP_NET_ADMIN", "", "NET\x1b[2J"}, drop: []string{"cap_chown", "EVERYTHING"}, effective: "00000000a80425fb", most: "00000000a80425fb"},
		"added and dropped both": {add: []string{"SYS_ADMIN"}, drop: []string{"SYS_ADMIN"}, effective: "00000000a80425fb", most: "00000000a80425fb"},
	} {
		sp := &spec{user: &runtimeapi.LinuxContainerUser{Uid: c.user}, capabilities: capabilities(&runtimeapi.LinuxContainerSecurityContext{
			Privileged: c.privileged, Capabilities: &runtimeapi.Capability{AddCapabilities: c.add, DropCapabilities: c.drop},
		})}
		got := sp.credentials()
		if effective, most := fmt.Sprintf("%016x", got.Effective()), fmt.Sprintf("%016x", got.Bounding); effective != c.effective || most != c.most {
			t.Errorf("%s: in effect %s of %s, not %s of %s", name, effective, most, c.effective, c.most)
		}
	}
}
