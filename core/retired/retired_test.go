package retired

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/admission"
	api "k8s.io/kubernetes/pkg/apis/core"
)

// TestSecurityContextDeny: each field that chooses who a container runs as, wherever a container stands.
func TestSecurityContextDeny(t *testing.T) {
	one := int64(1)
	as := &api.SecurityContext{RunAsUser: &one}
	for want, c := range map[string]struct {
		subresource string
		spec        api.PodSpec
	}{
		"": {"", api.PodSpec{SecurityContext: &api.PodSecurityContext{}, Containers: []api.Container{{SecurityContext: &api.SecurityContext{}}}}},
		"SecurityContext.SupplementalGroups is forbidden": {"", api.PodSpec{SecurityContext: &api.PodSecurityContext{SupplementalGroups: []int64{1}}}},
		"SecurityContext.FSGroup is forbidden":            {"", api.PodSpec{SecurityContext: &api.PodSecurityContext{FSGroup: &one}}},
		"pod.Spec.SecurityContext.RunAsUser is forbidden": {"", api.PodSpec{SecurityContext: &api.PodSecurityContext{RunAsUser: &one}}},
		"SELinuxOptions is forbidden":                     {"", api.PodSpec{Containers: []api.Container{{}, {SecurityContext: &api.SecurityContext{SELinuxOptions: &api.SELinuxOptions{}}}}}},
		": SecurityContext.RunAsUser is forbidden":        {"", api.PodSpec{InitContainers: []api.Container{{SecurityContext: as}}}},
		"RunAsUser is forbidden": {"ephemeralcontainers", api.PodSpec{EphemeralContainers: []api.EphemeralContainer{
			{EphemeralContainerCommon: api.EphemeralContainerCommon{SecurityContext: as}},
		}}},
	} {
		a := admission.NewAttributesRecord(&api.Pod{Spec: c.spec}, nil, api.Kind("Pod").WithVersion("v1"), "default", "p",
			api.Resource("pods").WithVersion("v1"), c.subresource, admission.Create, nil, false, nil)
		err := newSecurityContextDeny().(admission.ValidationInterface).Validate(t.Context(), a, nil)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// TestPresets: what is the same twice is there once; what contradicts is an error.
func TestPresets(t *testing.T) {
	named := func(name string, value string) preset {
		p := preset{}
		p.Name, p.ResourceVersion = name, "7"
		p.Spec.Env = []corev1.EnvVar{{Name: "DB", Value: value}}
		p.Spec.Volumes = []corev1.Volume{{Name: "cache", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
		p.Spec.VolumeMounts = []corev1.VolumeMount{{Name: "cache", MountPath: "/cache"}}
		return p
	}
	pod := func() *api.Pod {
		return &api.Pod{Spec: api.PodSpec{InitContainers: []api.Container{{Name: "i"}}, Containers: []api.Container{{Name: "c", Env: []api.EnvVar{{Name: "MINE", Value: "1"}}}}}}
	}
	p := pod()
	if err := applyPresets(p, []preset{named("a", "db"), named("b", "db")}); err != nil {
		t.Fatal(err)
	}
	c := p.Spec.Containers[0]
	if len(c.Env) != 2 || len(c.VolumeMounts) != 1 || len(p.Spec.Volumes) != 1 || len(p.Spec.InitContainers[0].Env) != 1 || p.Annotations[presetPrefix+"b"] != "7" {
		t.Errorf("%+v", p)
	}
	if err := applyPresets(pod(), []preset{named("a", "db"), named("b", "other")}); err == nil || !strings.Contains(err.Error(), "PodPreset b") {
		t.Errorf("two that contradict each other: %v", err)
	}
	mine := pod()
	mine.Spec.Containers[0].Env[0] = api.EnvVar{Name: "DB", Value: "mine"}
	if err := applyPresets(mine, []preset{named("a", "db")}); err == nil {
		t.Error("one that contradicts the pod is applied")
	}
}
