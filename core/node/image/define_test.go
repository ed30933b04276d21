package image

import (
	"slices"
	"strings"
	"testing"
)

func TestDefine(t *testing.T) {
	r := Builtins(testTools, nil)
	for range 2 { // the second time it is replaced
		if err := r.Define(Definition{Name: "mine", Env: []string{"A=b"}, Ports: []int{8080}, Main: nothing}, testTools); err != nil {
			t.Fatal(err)
		}
	}
	img, err := r.Resolve("mine:v7")
	if err != nil {
		t.Fatal(err)
	}
	if !r.Known(img.Ref) || !slices.Equal(img.Entrypoint, []string{MainPath}) || img.Env[1] != "A=b" || img.ExposedPorts[0] != "8080/tcp" {
		t.Errorf("%+v", img.Image)
	}
	if _, ok := r.Program(Marker{Image: img.Ref.Name, Path: MainPath}); !ok {
		t.Error("it has no program")
	}
	for _, d := range []Definition{
		{Name: ""}, {Name: "Mine"}, {Name: "mine:v1"}, {Name: "mine@sha256:" + strings.Repeat("ab", 32)},
		{Name: "nginx"}, {Name: "docker.io/library/busybox"}, {Name: "registry.k8s.io/pause"}, {Name: "a.invalid/mine"},
		{Name: "other", Ports: []int{0}}, {Name: "other", Ports: []int{65536}}, {Name: "other", Ports: make([]int, maxPorts+1)},
		{Name: "other", Env: []string{"A B=c"}}, {Name: "other", Env: []string{"A=\x00"}}, {Name: "other", Env: make([]string, maxEnv+1)},
	} {
		if err := r.Define(d, testTools); err == nil {
			t.Errorf("%.100v is defined", d)
		}
	}
	for n := range maxDefined {
		err = r.Define(Definition{Name: "many" + strings.Repeat("x", n%50+1) + strings.Repeat("y", n/50), Main: nothing}, testTools)
	}
	if err == nil {
		t.Error("there is no end to images")
	}
}
