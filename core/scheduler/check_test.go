package scheduler

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	for name, c := range map[string]struct{ config, want string }{
		"nothing":     {"", ""},
		"a profile":   {head + "profiles:\n- schedulerName: default-scheduler\n  plugins:\n    score:\n      disabled: [{name: '*'}]\n      enabled: [{name: ImageLocality}]\n", ""},
		"no YAML":     {"profiles: [", "KubeSchedulerConfiguration"},
		"a field":     {head + "proffiles: []\n", `unknown field "proffiles"`},
		"a version":   {"apiVersion: kubescheduler.config.k8s.io/v9\nkind: KubeSchedulerConfiguration\n", "v9"},
		"a kind":      {"apiVersion: v1\nkind: ConfigMap\n", "ConfigMap"},
		"a value":     {head + "parallelism: -1\n", "parallelism"},
		"a plugin":    {head + "profiles:\n- plugins:\n    score:\n      enabled: [{name: Astrology}]\n", `no plugin "Astrology"`},
		"two of them": {head + "profiles: [{schedulerName: a}, {schedulerName: a}]\n", "Duplicate"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Check(t.Context(), []byte(c.config))
			if c.want == "" && err != nil {
				t.Error(err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v does not say %s", err, c.want)
			}
		})
	}
}
