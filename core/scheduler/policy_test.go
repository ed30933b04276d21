package scheduler

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	schedulerv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/v1"
	"sigs.k8s.io/yaml"
)

const policyHead = "kind: Policy\napiVersion: v1\n"

// TestPolicy: what a policy leaves of the plugins, and which weights it gives them; upstream takes each.
func TestPolicy(t *testing.T) {
	const required = "NodeUnschedulable TaintToleration"
	for name, c := range map[string]struct{ policy, filters, scores, arguments string }{
		// kubernetes 1.6, examples/scheduler-policy-config.json.
		"the example of its time": {
			`{"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsPorts"}, {"name": "PodFitsResources"}, {"name": "NoDiskConflict"},
			{"name": "NoVolumeZoneConflict"}, {"name": "MatchNodeSelector"}, {"name": "HostName"}],
			"priorities": [{"name": "LeastRequestedPriority", "weight": 1}, {"name": "BalancedResourceAllocation", "weight": 1},
			{"name": "ServiceSpreadingPriority", "weight": 1}, {"name": "EqualPriority", "weight": 1}], "hardPodAffinitySymmetricWeight": 10}`,
			"NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions VolumeZone",
			"NodeResourcesFit=1 PodTopologySpread=1 NodeResourcesBalancedAllocation=1",
			`NodeResourcesFit={"scoringStrategy":{"type":"LeastAllocated"}} PodTopologySpread={"defaultingType":"System"} InterPodAffinity={"hardPodAffinityWeight":10}`,
		},
		"nothing is said": {
			"", strings.Join(filterPlugins, " "),
			"TaintToleration=1 NodeAffinity=1 NodeResourcesFit=1 PodTopologySpread=2 InterPodAffinity=1 NodeResourcesBalancedAllocation=1 ImageLocality=1",
			`NodeResourcesFit={"scoringStrategy":{"type":"LeastAllocated"}} PodTopologySpread={"defaultingType":"System"}`,
		},
		"nothing is asked": {"predicates: []\npriorities: []\n", required, "", ""},
		"nodes are packed": {
			"predicates: [{name: GeneralPredicates}]\npriorities: [{name: MostRequestedPriority, weight: 7}, {name: EvenPodsSpreadPriority, weight: 2}]\n",
			"NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts NodeResourcesFit", "NodeResourcesFit=7 PodTopologySpread=2",
			`NodeResourcesFit={"scoringStrategy":{"type":"MostAllocated"}} PodTopologySpread={"defaultingType":"List"}`,
		},
		"a shape": {
			"predicates: []\npriorities: [{name: mine, weight: 3, argument: {requestedToCapacityRatioArguments: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}], resources: [{name: cpu, weight: 2}]}}}]\n",
			required, "NodeResourcesFit=3",
			`NodeResourcesFit={"scoringStrategy":{"requestedToCapacityRatio":{"shape":[{"score":0,"utilization":0},{"score":10,"utilization":100}]},"resources":[{"name":"cpu","weight":2}],"type":"RequestedToCapacityRatio"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := c.policy
			if !strings.HasPrefix(text, "{") {
				text = policyHead + text
			}
			if err := Check(t.Context(), []byte(text)); err != nil {
				t.Fatal(err)
			}
			configuration := translated(t, text)
			profile := configuration.Profiles[0]
			var filters, scores, arguments []string
			for _, name := range filterPlugins {
				if !slices.ContainsFunc(profile.Plugins.Filter.Disabled, func(p schedulerv1.Plugin) bool { return p.Name == name }) {
					filters = append(filters, name)
				}
			}
			for _, p := range profile.Plugins.Score.Enabled {
				scores = append(scores, fmt.Sprintf("%s=%d", p.Name, *p.Weight))
			}
			for _, a := range profile.PluginConfig {
				arguments = append(arguments, a.Name+"="+string(a.Args.Raw))
			}
			for _, part := range []struct{ is, want string }{
				{strings.Join(filters, " "), c.filters}, {strings.Join(scores, " "), c.scores}, {strings.Join(arguments, " "), c.arguments},
			} {
				if part.is != part.want {
					t.Errorf("%s\nwant\n%s", part.is, part.want)
				}
			}
		})
	}
}

func translated(t *testing.T, text string) (c schedulerv1.KubeSchedulerConfiguration) {
	t.Helper()
	made, err := modern([]byte(text))
	if err == nil {
		err = yaml.UnmarshalStrict(made, &c)
	}
	if err != nil || len(c.Profiles) != 1 {
		t.Fatalf("%v in\n%s", err, made)
	}
	return c
}

// TestPolicyExtenders: they are today's, with the two fields that were others.
func TestPolicyExtenders(t *testing.T) {
	text := policyHead + "extenders: [{urlPrefix: 'https://e.example/', filterVerb: filter, prioritizeVerb: prioritize, weight: 5, bindVerb: bind, enableHttps: true, httpTimeout: 2000000000, nodeCacheCapable: true, managedResources: [{name: example.com/gpu}], ignorable: true}]\n"
	if err := Check(t.Context(), []byte(text)); err != nil {
		t.Fatal(err)
	}
	e := translated(t, text).Extenders[0]
	if !e.EnableHTTPS || e.HTTPTimeout.Seconds() != 2 || e.Weight != 5 || e.ManagedResources[0].Name != "example.com/gpu" || e.BindVerb != "bind" || !e.Ignorable || !e.NodeCacheCapable {
		t.Errorf("%+v", e)
	}
}

// TestPolicyRefuses what it does not know, all of it at once, and takes nothing else for a policy.
func TestPolicyRefuses(t *testing.T) {
	for text, wants := range map[string][]string{
		"predicates: [{name: Astrology}]\npriorities: [{name: Luck, weight: 1}]\n":                            {`no predicate "Astrology"; there were CheckNodeCondition, `, `no priority "Luck"; there were BalancedResourceAllocation, `},
		"priorities: [{name: EqualPriority}]\n":                                                               {"weight 0"},
		"priorities: [{name: EqualPriority, weight: 9223372036854775807}]\n":                                  {"weight 9223372036854775807"},
		"priorities: [{name: LeastRequestedPriority, weight: 1}, {name: MostRequestedPriority, weight: 1}]\n": {"one strategy"},
		"predicates: [{name: r, argument: {labelsPresence: {labels: [region], presence: true}}}]\n":           {`predicate "r": its argument has no plugin`},
		"predicates: [{name: CheckServiceAffinity}]\n":                                                        {"pod affinity"},
		"alwaysCheckAllPredicates: true\n":                                                                    {"leave it out"},
		"hardPodAffinitySymmetricWeight: 101\n":                                                               {"0 to 100"},
		"predikates: []\n":                                                                                    {`unknown field "predikates"`},
		"predicates: [{name: HostName, args: {}}]\n":                                                          {`unknown field`},
		"extenders: [{urlPrefix: 'http://e', filterVerb: filter, prioritizeVerb: p, weight: -1}]\n":           {"extenders[0].weight"},
	} {
		err := Check(t.Context(), []byte(policyHead+text))
		for _, want := range wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v does not say %s", text, err, want)
			}
		}
	}
	if err := Check(t.Context(), []byte("kind: Policy\napiVersion: audit.k8s.io/v1\n")); err == nil || !strings.Contains(err.Error(), "audit.k8s.io/v1") {
		t.Errorf("an audit policy: %v", err)
	}
}

// TestPolicyNamesAreUpstreams: plugins that are on by default are those that a policy chooses from, or are newer.
func TestPolicyNamesAreUpstreams(t *testing.T) {
	c := schedulerv1.KubeSchedulerConfiguration{}
	v1.SetDefaults_KubeSchedulerConfiguration(&c)
	on := map[string]bool{}
	for _, p := range c.Profiles[0].Plugins.MultiPoint.Enabled {
		on[p.Name] = true
	}
	for _, name := range slices.Concat(filterPlugins, scorePlugins) {
		if !on[name] {
			t.Errorf("%s is not on by default any more", name)
		}
	}
	for name, plugins := range predicates {
		for _, p := range plugins {
			if !slices.Contains(filterPlugins, p) {
				t.Errorf("%s is %s, which no policy can leave out", name, p)
			}
		}
	}
	for name, p := range priorities {
		if p != "" && !slices.Contains(scorePlugins, p) {
			t.Errorf("%s is %s, which no policy can leave out", name, p)
		}
	}
}
