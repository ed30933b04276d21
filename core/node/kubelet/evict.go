package kubelet

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	evictionapi "k8s.io/kubernetes/pkg/kubelet/eviction/api"
)

// evictAt are the thresholds of a node whose owner names none: upstream's for Linux (eviction.DefaultEvictionHard
// there). On js upstream has those of other systems.
var evictAt = map[string]string{
	"memory.available":   "100Mi",
	"nodefs.available":   "10%",
	"nodefs.inodesFree":  "5%",
	"imagefs.available":  "15%",
	"imagefs.inodesFree": "5%",
}

// withThresholds fills in evictAt as upstream's kubelet does its own (cmd/kubelet/app, loadConfigFile).
func withThresholds(c *kubeletconfig.KubeletConfiguration) {
	switch {
	case c.EvictionHard == nil:
		c.EvictionHard = maps.Clone(evictAt)
	case c.MergeDefaultEvictionSettings:
		for signal, value := range evictAt {
			if _, ok := c.EvictionHard[signal]; !ok {
				c.EvictionHard[signal] = value
			}
		}
	}
}

// hardThresholds are those of c, all of which, soft ones too, are of signals that an in-tab node gives.
func hardThresholds(c *kubeletconfig.KubeletConfiguration) ([]evictionapi.Threshold, error) {
	for _, f := range []struct {
		field string
		of    map[string]string
	}{
		{"evictionHard", c.EvictionHard}, {"evictionSoft", c.EvictionSoft},
		{"evictionSoftGracePeriod", c.EvictionSoftGracePeriod}, {"evictionMinimumReclaim", c.EvictionMinimumReclaim},
	} {
		for signal := range f.of {
			if _, ok := evictAt[signal]; !ok {
				return nil, fmt.Errorf("%s: an in-tab node has no signal %.100q; it has %v", f.field, signal, slices.Sorted(maps.Keys(evictAt)))
			}
		}
	}
	if _, err := eviction.ParseThresholdConfig(nil, c.EvictionHard, c.EvictionSoft, c.EvictionSoftGracePeriod, c.EvictionMinimumReclaim); err != nil {
		return nil, fmt.Errorf("thresholds of evictions: %w", err)
	}
	return eviction.ParseThresholdConfig(nil, c.EvictionHard, nil, nil, nil)
}

// keptByEviction is what hard thresholds keep from pods of a node's capacity, as upstream's container manager for
// Linux counts it (pkg/kubelet/cm, hardEvictionReservation).
func keptByEviction(hard []evictionapi.Threshold, capacity corev1.ResourceList) corev1.ResourceList {
	kept := corev1.ResourceList{}
	for _, t := range hard {
		var name corev1.ResourceName
		switch t.Signal {
		case evictionapi.SignalMemoryAvailable:
			name = corev1.ResourceMemory
		case evictionapi.SignalNodeFsAvailable:
			name = corev1.ResourceEphemeralStorage
		default:
			continue
		}
		all := capacity[name]
		kept[name] = *evictionapi.GetThresholdQuantity(t.Value, &all)
	}
	return kept
}
