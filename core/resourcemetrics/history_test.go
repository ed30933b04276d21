package resourcemetrics

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// TestHistory: a pod's samples are kept for its image as often as its node says something new.
func TestHistory(t *testing.T) {
	m := served(t)
	web, err := m.pods.Pods("default").Get("web")
	if err != nil {
		t.Fatal(err)
	}
	web.Spec.Containers[0].Image = "nginx:1.27"
	for i := range 11 {
		fresh := m.points.put("node-1", said(t, float64(10*i), float64(i), float64(i)*float64(i)), true)
		m.remember([]*corev1.Pod{web}, map[string]bool{"node-1": fresh})
		again := m.points.put("node-1", said(t, float64(10*i), 500, 500), true)
		m.remember([]*corev1.Pod{web}, map[string]bool{"node-1": again})
	}
	// Between i and i+1 it used 2i+1 seconds in 10.
	for _, c := range []struct {
		of               corev1.ResourceName
		percent          int
		image, namespace string
		exact            bool
		since            time.Duration
		usage            int64
		samples          int
	}{
		{corev1.ResourceCPU, 90, "nginx:1.27", "default", true, 0, 1700, 10},
		{corev1.ResourceCPU, 50, "nginx:1.27", "", true, 0, 900, 10},
		{corev1.ResourceCPU, 0, "nginx:1.27", "", true, 0, 100, 10},
		{corev1.ResourceCPU, 100, "nginx:1.27", "", true, 51 * time.Second, 1900, 5},
		{corev1.ResourceMemory, 90, "nginx:1.27", "", true, 0, 1 << 20, 10},
		{corev1.ResourceStorage, 90, "nginx:1.27", "", true, 0, 0, 0},
		{corev1.ResourceCPU, 90, "nginx", "", true, 0, 0, 0},
		{corev1.ResourceCPU, 90, "docker.io/library/nginx:1@sha256:" + strings.Repeat("a", 64), "default", false, 0, 1700, 10},
		{corev1.ResourceCPU, 90, "localhost:5000/nginx:1.27", "", false, 0, 0, 0},
		{corev1.ResourceCPU, 90, "nginx:1.27", "other", false, 0, 0, 0},
	} {
		usage, samples := m.UsagePercentile(c.of, c.percent, c.image, c.namespace, c.exact, begin.Add(c.since))
		if usage != c.usage || samples != c.samples {
			t.Errorf("%+v: %d of %d samples", c, usage, samples)
		}
	}
}

// TestHistoryIsBounded: whoever runs many images loses what was known of them, and nobody else does.
func TestHistoryIsBounded(t *testing.T) {
	var h history
	h.add(ran{"quiet", "nginx"}, sample{at: 1, milliCPU: 7})
	for i := range 3 * maxSeries {
		h.add(ran{"loud", fmt.Sprintf("Not A Reference/../%d\x00", i)}, sample{at: int64(2 + i)})
	}
	h.add(ran{"loud", strings.Repeat("x", 1<<20)}, sample{})
	h.add(ran{"loud", ""}, sample{})
	if n := len(h.series); n != maxSeries {
		t.Errorf("%d series", n)
	}
	if usage, samples := h.percentile(corev1.ResourceCPU, 90, "nginx", "quiet", true, time.Unix(0, 0)); usage != 7 || samples != 1 {
		t.Errorf("another namespace's images took the place: %d of %d", usage, samples)
	}
	if last := fmt.Sprintf("Not A Reference/../%d\x00", 3*maxSeries-1); h.series[ran{"loud", last}] == nil {
		t.Error("the newest is not there")
	}
	for i := range 3 * maxSamples {
		h.add(ran{"quiet", "nginx"}, sample{at: int64(i), milliCPU: int64(i)})
	}
	if usage, samples := h.percentile(corev1.ResourceCPU, 1, "nginx", "quiet", true, time.Unix(0, 0)); samples != maxSamples || usage < 2*maxSamples {
		t.Errorf("%d of %d samples: the oldest went first", usage, samples)
	}
	if last := h.series[ran{"quiet", "nginx"}].last(); last != 3*maxSamples-1 {
		t.Errorf("last at %d", last)
	}
}
