package command

import (
	"strings"
	"testing"
)

// TestPatchShape: of a patch its fields are told and no value, nor a key that is people's own.
func TestPatchShape(t *testing.T) {
	for given, want := range map[string]string{
		`{"spec":{"replicas":5}}`: "{spec:{replicas:…}}",
		"spec:\n  replicas: 5":    "{spec:{replicas:…}}",
		`{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"CANARY","env":[{"name":"A","value":"CANARY"}]}]}}}}`: "{spec:{template:{spec:{containers:[{env:[{name:…,value:…}],image:…,name:…}]}}}}",
		`{"metadata":{"annotations":{"CANARY":"CANARY"},"labels":{"canary":"CANARY"}}}`:                                       "{metadata:{annotations:…,labels:…}}",
		`{"stringData":{"canary":"CANARY"},"data":{"canary":null}}`:                                                           "{data:…,stringData:…}",
		`{"metadata":{"finalizers":["CANARY"]}}`:                                                                              "{metadata:{finalizers:[…]}}",
		`{"spec":{"CANARY-x":1,"CANARY_y":2}}`:                                                                                "{spec:{…}}",
		`[{"op":"replace","path":"/spec/replicas","value":"CANARY"}]`:                                                         "[replace /spec/replicas]",
		`[{"op":"add","path":"/spec/template/spec/containers/0/env/-","value":{"value":"CANARY"}}]`:                           "[add /spec/template/spec/containers/0/env/-]",
		`[{"op":"remove","path":"/data/canary"},{"op":"CANARY","path":"/x/CANARY/y"},{"op":"test"}]`:                          "[remove /data/…,… /x/…/y,test /]",
		`{}`:         "{}",
		"CANARY":     patchNotKept,
		"{CANARY":    patchNotKept,
		"":           patchNotKept,
		`["CANARY"]`: "[… /]",
		`{"a":` + strings.Repeat(" ", maxPatch) + "1}":                     patchNotKept,
		strings.Repeat(`{"a":`, 40) + `"CANARY"` + strings.Repeat("}", 40): strings.Repeat("{a:", 12) + "…" + strings.Repeat("}", 12),
	} {
		got := patchShape(given)
		if strings.Contains(strings.ToLower(got), "canary") {
			t.Errorf("%s: %s", given, got)
		}
		if want != patchNotKept {
			want += valuesNotKept
		}
		if got != want {
			t.Errorf("%.80s\n got %s\nwant %s", given, got, want)
		}
	}
	wide := "{" + strings.Repeat("x", 10) + ":1"
	for c := 'a'; c <= 'z'; c++ {
		wide += ",a" + string(c) + "bcdefghijkl: 1"
	}
	if got := patchShape(wide + "}"); got != patchNotKept {
		t.Errorf("a shape of %d bytes is told", len(got))
	}
}
