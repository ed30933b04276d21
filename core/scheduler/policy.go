package scheduler

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulerv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"sigs.k8s.io/yaml"
)

// policy is what the file of --policy-config-file said, until 1.22: the forerunner of KubeSchedulerConfiguration
// (k8s.io/kube-scheduler/config/v1 there, Policy).
type policy struct {
	metav1.TypeMeta `json:",inline"`
	// Predicates refuse nodes, Priorities score them; nil is the default of that time, empty is none.
	Predicates []policyEntry    `json:"predicates"`
	Priorities []policyEntry    `json:"priorities"`
	Extenders  []policyExtender `json:"extenders"`
	// HardPodAffinitySymmetricWeight is of InterPodAffinity; 0 for its default.
	HardPodAffinitySymmetricWeight int32 `json:"hardPodAffinitySymmetricWeight"`
	AlwaysCheckAllPredicates       bool  `json:"alwaysCheckAllPredicates"`
}

type policyEntry struct {
	Name   string `json:"name"`
	Weight int64  `json:"weight"`
	// Argument made a predicate or priority of one's own.
	Argument *struct {
		RequestedToCapacityRatio *struct {
			Shape     []schedulerv1.UtilizationShapePoint `json:"shape"`
			Resources []schedulerv1.ResourceSpec          `json:"resources"`
		} `json:"requestedToCapacityRatioArguments"`
		// Those of services and labels have no plugin any more.
		ServiceAffinity     any `json:"serviceAffinity"`
		LabelsPresence      any `json:"labelsPresence"`
		ServiceAntiAffinity any `json:"serviceAntiAffinity"`
		LabelPreference     any `json:"labelPreference"`
	} `json:"argument"`
}

// policyExtender is today's, but for two fields.
type policyExtender struct {
	schedulerv1.Extender `json:",inline"`
	EnableHTTPS          bool          `json:"enableHttps"`
	HTTPTimeout          time.Duration `json:"httpTimeout"` // a number of nanoseconds
}

// modern is a scheduler's configuration as today's scheduler takes it: a Policy becomes a KubeSchedulerConfiguration, and
// anything else stays as it is.
func modern(text []byte) ([]byte, error) {
	var kind metav1.TypeMeta
	if yaml.Unmarshal(text, &kind) != nil || kind.Kind != "Policy" {
		return text, nil
	}
	var p policy
	if err := yaml.UnmarshalStrict(text, &p); err != nil {
		return nil, fmt.Errorf("scheduler Policy: %w", err)
	}
	c, err := p.configuration()
	if err != nil {
		return nil, fmt.Errorf("scheduler Policy: %w", err)
	}
	return yaml.Marshal(c)
}

// configuration takes away from today's default plugins what the policy does not name, and sets the weights that it has.
// What came after it stays: plugins that no policy could name.
func (p *policy) configuration() (*schedulerv1.KubeSchedulerConfiguration, error) {
	var errs []error
	if p.APIVersion != "v1" && p.APIVersion != "kubescheduler.config.k8s.io/v1" {
		errs = append(errs, fmt.Errorf("apiVersion %.60q: it was v1", p.APIVersion))
	}
	if p.AlwaysCheckAllPredicates {
		errs = append(errs, errors.New("alwaysCheckAllPredicates: the first plugin that refuses a node ends the look at it, since 1.23; leave it out"))
	}
	filters, err := p.filters()
	errs = append(errs, err)
	scores, arguments, err := p.scores()
	errs = append(errs, err)
	if w := p.HardPodAffinitySymmetricWeight; w < 0 || w > 100 {
		errs = append(errs, fmt.Errorf("hardPodAffinitySymmetricWeight: %d is not in 0 to 100", w))
	} else if w > 0 {
		arguments[names.InterPodAffinity] = map[string]any{"hardPodAffinityWeight": w}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}

	set := &schedulerv1.Plugins{}
	for _, name := range filterPlugins {
		if slices.Contains(filters, name) {
			continue
		}
		points := []*schedulerv1.PluginSet{&set.PreFilter, &set.Filter}
		if name == names.VolumeBinding {
			points = append(points, &set.Reserve, &set.PreBind) // they need what its PreFilter found
		}
		disable(name, points...)
	}
	for _, name := range scorePlugins {
		weight, scored := scores[name]
		if !scored {
			disable(name, &set.PreScore, &set.Score)
			continue
		}
		set.Score.Enabled = append(set.Score.Enabled, schedulerv1.Plugin{Name: name, Weight: &weight})
	}
	profile := schedulerv1.KubeSchedulerProfile{Plugins: set}
	for _, name := range scorePlugins { // in their order
		if a := arguments[name]; a != nil {
			raw, err := yaml.Marshal(a)
			if err == nil {
				raw, err = yaml.YAMLToJSON(raw)
			}
			if err != nil {
				return nil, err
			}
			argument := schedulerv1.PluginConfig{Name: name}
			argument.Args.Raw = raw
			profile.PluginConfig = append(profile.PluginConfig, argument)
		}
	}
	c := &schedulerv1.KubeSchedulerConfiguration{Profiles: []schedulerv1.KubeSchedulerProfile{profile}}
	c.SetGroupVersionKind(schedulerv1.SchemeGroupVersion.WithKind("KubeSchedulerConfiguration"))
	for _, e := range p.Extenders {
		e.Extender.EnableHTTPS = e.Extender.EnableHTTPS || e.EnableHTTPS
		e.Extender.HTTPTimeout.Duration = e.HTTPTimeout
		c.Extenders = append(c.Extenders, e.Extender)
	}
	return c, nil
}

func disable(name string, points ...*schedulerv1.PluginSet) {
	for _, point := range points {
		point.Disabled = append(point.Disabled, schedulerv1.Plugin{Name: name})
	}
}

// filters are the plugins that the predicates are today, with those that no policy could leave out.
func (p *policy) filters() (filters []string, err error) {
	if p.Predicates == nil {
		return filterPlugins, nil // the default ones are all of them
	}
	filters = slices.Clone(predicates["PodToleratesNodeTaints"])
	filters = append(filters, predicates["CheckNodeUnschedulable"]...)
	var errs []error
	for _, e := range p.Predicates {
		known, ok := predicates[e.Name]
		if !ok || e.Argument != nil {
			errs = append(errs, unknown("predicate", e, predicates))
		}
		filters = append(filters, known...)
	}
	return filters, errors.Join(errs...)
}

// scores are the weights of the plugins that the priorities are today, and arguments what they are configured with.
func (p *policy) scores() (scores map[string]int32, arguments map[string]map[string]any, err error) {
	scores, arguments = map[string]int32{}, map[string]map[string]any{}
	entries := p.Priorities
	if entries == nil {
		entries = defaultPriorities
	}
	var errs []error
	var spreads bool
	resources := "" // the priority that scores the nodes' resources: one plugin, with one strategy
	for _, e := range entries {
		if e.Weight <= 0 || e.Weight > math.MaxInt32/100 {
			errs = append(errs, fmt.Errorf("priority %.60q: weight %d is not in 1 to %d", e.Name, e.Weight, math.MaxInt32/100))
			continue
		}
		plugin, ok := priorities[e.Name]
		strategy := map[string]any{"type": strategies[e.Name]}
		if e.Argument != nil && e.Argument.RequestedToCapacityRatio != nil { // by any name
			a := e.Argument.RequestedToCapacityRatio
			plugin, ok = names.NodeResourcesFit, true
			strategy = map[string]any{"type": schedulerv1.RequestedToCapacityRatio, "requestedToCapacityRatio": map[string]any{"shape": a.Shape}}
			if len(a.Resources) > 0 {
				strategy["resources"] = a.Resources
			}
		} else if !ok || e.Argument != nil {
			errs = append(errs, unknown("priority", e, priorities))
			continue
		}
		switch plugin {
		case "":
			continue
		case names.NodeResourcesFit:
			if resources != "" {
				errs = append(errs, fmt.Errorf("priorities %.60q and %.60q are one plugin today, NodeResourcesFit, which has one strategy: leave one out", resources, e.Name))
			}
			resources = e.Name
			arguments[plugin] = map[string]any{"scoringStrategy": strategy}
		case names.PodTopologySpread:
			spreads = spreads || e.Name != "EvenPodsSpreadPriority"
			how := schedulerv1.ListDefaulting // only what pods ask for
			if spreads {
				how = schedulerv1.SystemDefaulting // pods of one Service or controller, too
			}
			arguments[plugin] = map[string]any{"defaultingType": how}
		}
		scores[plugin] = max(scores[plugin], int32(e.Weight))
	}
	return scores, arguments, errors.Join(errs...)
}
