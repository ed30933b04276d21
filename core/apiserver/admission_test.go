package apiserver

import (
	"strings"
	"testing"
)

func TestCheckAdmission(t *testing.T) {
	const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n"
	podSecurity := func(level string) string {
		return head + "plugins:\n- name: PodSecurity\n  configuration:\n    apiVersion: pod-security.admission.config.k8s.io/v1\n    kind: PodSecurityConfiguration\n    defaults: {enforce: " + level + "}\n"
	}
	for name, c := range map[string]struct{ config, want string }{
		"nothing":  {"", ""},
		"empty":    {head + "plugins: []\n", ""},
		"levels":   {podSecurity("baseline"), ""},
		"no level": {podSecurity("bastion"), "must be one of privileged, baseline, restricted"},
		"no YAML":  {"plugins: [", "AdmissionConfiguration"},
		"a field":  {head + "plugin: []\n", `unknown field "plugin"`},
		"a kind":   {"apiVersion: v1\nkind: ConfigMap\n", "ConfigMap"},
		"a file":   {head + "plugins:\n- {name: PodSecurity, path: ps.yaml}\n", "no file"},
	} {
		t.Run(name, func(t *testing.T) {
			err := CheckAdmission([]byte(c.config))
			if c.want == "" && err != nil {
				t.Error(err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v does not say %s", err, c.want)
			}
		})
	}
}
