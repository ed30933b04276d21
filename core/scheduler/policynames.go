package scheduler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// predicates are those that a policy could name, and the plugins that they are today.
var predicates = map[string][]string{
	"GeneralPredicates":       {names.NodeResourcesFit, names.NodeName, names.NodePorts, names.NodeAffinity},
	"PodFitsResources":        {names.NodeResourcesFit},
	"HostName":                {names.NodeName},
	"PodFitsHostPorts":        {names.NodePorts},
	"PodFitsPorts":            {names.NodePorts},
	"MatchNodeSelector":       {names.NodeAffinity},
	"MatchInterPodAffinity":   {names.InterPodAffinity},
	"EvenPodsSpread":          {names.PodTopologySpread},
	"PodToleratesNodeTaints":  {names.TaintToleration},
	"CheckNodeUnschedulable":  {names.NodeUnschedulable},
	"NoDiskConflict":          {names.VolumeRestrictions},
	"NoVolumeZoneConflict":    {names.VolumeZone},
	"CheckVolumeBinding":      {names.VolumeBinding},
	"MaxCSIVolumeCountPred":   {names.NodeVolumeLimits},
	"MaxEBSVolumeCount":       {names.NodeVolumeLimits}, // the clouds' volumes are CSI's
	"MaxGCEPDVolumeCount":     {names.NodeVolumeLimits},
	"MaxAzureDiskVolumeCount": {names.NodeVolumeLimits},
	"MaxCinderVolumeCount":    {names.NodeVolumeLimits},
	// A node's conditions are taints of it.
	"CheckNodeCondition":      {names.TaintToleration},
	"CheckNodeMemoryPressure": {names.TaintToleration},
	"CheckNodeDiskPressure":   {names.TaintToleration},
	"CheckNodePIDPressure":    {names.TaintToleration},
}

// priorities are those that a policy could name, and the plugin that each is today; "" for none that is needed.
var priorities = map[string]string{
	"EqualPriority":              "", // the same for each node
	"LeastRequestedPriority":     names.NodeResourcesFit,
	"MostRequestedPriority":      names.NodeResourcesFit,
	"BalancedResourceAllocation": names.NodeResourcesBalancedAllocation,
	"SelectorSpreadPriority":     names.PodTopologySpread,
	"ServiceSpreadingPriority":   names.PodTopologySpread,
	"EvenPodsSpreadPriority":     names.PodTopologySpread,
	"InterPodAffinityPriority":   names.InterPodAffinity,
	"NodeAffinityPriority":       names.NodeAffinity,
	"TaintTolerationPriority":    names.TaintToleration,
	"ImageLocalityPriority":      names.ImageLocality,
}

// strategies are how NodeResourcesFit scores as these did.
var strategies = map[string]string{"LeastRequestedPriority": "LeastAllocated", "MostRequestedPriority": "MostAllocated"}

// defaultPriorities are those of a policy that has no list of them, but for one of a node's annotation, which went.
var defaultPriorities = []policyEntry{
	{Name: "SelectorSpreadPriority", Weight: 1},
	{Name: "InterPodAffinityPriority", Weight: 1},
	{Name: "LeastRequestedPriority", Weight: 1},
	{Name: "BalancedResourceAllocation", Weight: 1},
	{Name: "NodeAffinityPriority", Weight: 1},
	{Name: "TaintTolerationPriority", Weight: 1},
	{Name: "ImageLocalityPriority", Weight: 1},
	{Name: "EvenPodsSpreadPriority", Weight: 2},
}

// filterPlugins and scorePlugins are the plugins that predicates and priorities can choose, of those that are on by default.
var (
	filterPlugins = []string{
		names.NodeUnschedulable, names.NodeName, names.TaintToleration, names.NodeAffinity, names.NodePorts, names.NodeResourcesFit, names.VolumeRestrictions,
		names.NodeVolumeLimits, names.VolumeBinding, names.VolumeZone, names.PodTopologySpread, names.InterPodAffinity,
	}
	scorePlugins = []string{
		names.TaintToleration, names.NodeAffinity, names.NodeResourcesFit, names.VolumeBinding, names.PodTopologySpread, names.InterPodAffinity,
		names.NodeResourcesBalancedAllocation, names.ImageLocality,
	}
)

// gone are those for which upstream has no plugin any more.
var gone = map[string]string{
	"CheckNodeLabelPresence":      "labels a pod cannot do without are node affinity",
	"CheckServiceAffinity":        "pods of one Service side by side are pod affinity",
	"NodePreferAvoidPodsPriority": "the node's annotation went: a taint with PreferNoSchedule",
	"ResourceLimitsPriority":      "limits have no score any more",
}

// unknown is the refusal of an entry, with the names that are known.
func unknown[V any](kind string, e policyEntry, known map[string]V) error {
	if a := e.Argument; a != nil {
		return fmt.Errorf("%s %.60q: its argument has no plugin since 1.23: node labels and Services are what affinity of pods and nodes is for", kind, e.Name)
	}
	if why := gone[e.Name]; why != "" {
		return fmt.Errorf("%s %q has no plugin since 1.23: %s", kind, e.Name, why)
	}
	return fmt.Errorf("there was no %s %.60q; there were %s", kind, e.Name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
}
