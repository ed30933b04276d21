package retired

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apiserver/pkg/admission"
	api "k8s.io/kubernetes/pkg/apis/core"
)

// seen says how many samples there are for each question: image, namespace, whether exactly, days.
type seen map[string]int

func (s seen) UsagePercentile(of corev1.ResourceName, percent int, image, namespace string, exact bool, since time.Time) (int64, int) {
	n := s[fmt.Sprintf("%s %s %v %d", image, namespace, exact, int((time.Since(since)+time.Hour).Hours()/24))]
	if percent != percentile || n == 0 {
		return 0, 0
	}
	if of == corev1.ResourceMemory {
		return int64(n) << 20, n
	}
	return int64(n), n
}

// TestInitialResources: who is asked, and who says something already.
func TestInitialResources(t *testing.T) {
	app := api.Container{Name: "c", Image: "app:1"}
	with := func(change func(*api.Container)) api.PodSpec {
		c := app
		change(&c)
		return api.PodSpec{Containers: []api.Container{c}}
	}
	of := func(name api.ResourceName) api.ResourceList {
		return api.ResourceList{name: resource.MustParse("5")}
	}
	enough := seen{"app:1 ns true 7": 30}
	set := "cpu, memory request for container c"
	for what, c := range map[string]struct {
		seen        seen
		spec        api.PodSpec
		cpu, memory string
		set         string
	}{
		"the namespace of a week":   {enough, with(func(*api.Container) {}), "30m", "30Mi", set},
		"the namespace of a month":  {seen{"app:1 ns true 7": 29, "app:1 ns true 30": 30, "app:1  true 7": 99}, with(func(*api.Container) {}), "30m", "30Mi", set},
		"everywhere":                {seen{"app:1 ns true 30": 29, "app:1  true 7": 40}, with(func(*api.Container) {}), "40m", "40Mi", set},
		"other tags, as few as any": {seen{"app:1  false 30": 2}, with(func(*api.Container) {}), "2m", "2Mi", set},
		"nothing":                   {seen{}, with(func(*api.Container) {}), "0", "0", ""},
		"a request":                 {enough, with(func(c *api.Container) { c.Resources.Requests = of("cpu") }), "5", "30Mi", "memory request for container c"},
		"a limit":                   {enough, with(func(c *api.Container) { c.Resources.Limits = of("memory") }), "30m", "0", "cpu request for container c"},
		"the pod's own":             {enough, api.PodSpec{Containers: []api.Container{app}, Resources: &api.ResourceRequirements{Limits: of("cpu")}}, "0", "30Mi", "memory request for container c"},
		"an init container": {enough, api.PodSpec{InitContainers: []api.Container{{Name: "i", Image: "app:1"}}, Containers: []api.Container{app}}, "30m", "30Mi",
			"cpu, memory request for init container i; " + set},
	} {
		pod := &api.Pod{Spec: c.spec}
		a := admission.NewAttributesRecord(pod, nil, api.Kind("Pod").WithVersion("v1"), "ns", "p", api.Resource("pods").WithVersion("v1"), "", admission.Create, nil, false, nil)
		if err := newInitialResources(c.seen).(admission.MutationInterface).Admit(t.Context(), a, nil); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		r := pod.Spec.Containers[0].Resources.Requests
		if r.CPU().Cmp(resource.MustParse(c.cpu)) != 0 || r.Memory().Cmp(resource.MustParse(c.memory)) != 0 {
			t.Errorf("%s: cpu %s, memory %s", what, r.CPU(), r.Memory())
		}
		if got := strings.TrimPrefix(pod.Annotations[estimatedAnnotation], "Initial Resources plugin set: "); got != c.set {
			t.Errorf("%s: %q", what, got)
		}
	}
}

// TestManyContainers: a pod of thousands has some of them looked up.
func TestManyContainers(t *testing.T) {
	pod := &api.Pod{}
	for range 10 * maxEstimated {
		pod.Spec.Containers = append(pod.Spec.Containers, api.Container{Image: "app:1"})
	}
	a := admission.NewAttributesRecord(pod, nil, api.Kind("Pod").WithVersion("v1"), "ns", "p", api.Resource("pods").WithVersion("v1"), "", admission.Create, nil, false, nil)
	if err := newInitialResources(seen{"app:1 ns true 7": 30}).(admission.MutationInterface).Admit(t.Context(), a, nil); err != nil {
		t.Fatal(err)
	}
	if c := pod.Spec.Containers; c[maxEstimated-1].Resources.Requests == nil || c[maxEstimated].Resources.Requests != nil {
		t.Error("not as many as said")
	}
}
