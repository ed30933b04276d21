package resourcemetrics

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/distribution/reference"
	corev1 "k8s.io/api/core/v1"
)

// The history's bounds: at most 740 kB, and 3 kB of an image that one namespace runs.
const (
	maxSeries  = 256
	maxSamples = 120 // of each; with one container they are of half an hour
	maxImage   = 512 // bytes; a reference is no longer
)

// history is what containers of each image have used of late, in each namespace. Names are whatever people have
// written: they are compared, and nothing else.
type history struct {
	mu     sync.Mutex
	series map[ran]*series
}

// ran is an image, as a container's spec has it, in a namespace.
type ran struct{ namespace, image string }

type series struct {
	repository string // its image's, without tag and digest
	samples    []sample
	oldest     int // once there are maxSamples
}

// sample is what a container used at a time.
type sample struct{ at, milliCPU, memory int64 } // Unix seconds, thousandths of a processor, bytes

// add takes a sample up, in place of the oldest of its series. If there is no room for another series, one goes of the
// namespace that has the most: a namespace with many images loses its own.
func (h *history) add(of ran, s sample) {
	if of.image == "" || len(of.image) > maxImage {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.series == nil {
		h.series = map[ran]*series{}
	}
	in := h.series[of]
	if in == nil {
		if len(h.series) >= maxSeries {
			h.forget()
		}
		in = &series{repository: repository(of.image)}
		h.series[of] = in
	}
	if len(in.samples) < maxSamples {
		in.samples = append(in.samples, s)
		return
	}
	in.samples[in.oldest] = s
	in.oldest = (in.oldest + 1) % maxSamples
}

// forget removes a series: of the namespace with the most, the one that nobody has run for the longest time.
func (h *history) forget() {
	count := map[string]int{}
	for of := range h.series {
		count[of.namespace]++
	}
	var gone ran
	most, since := 0, int64(0)
	for of, s := range h.series {
		n, last := count[of.namespace], s.last()
		if n > most || n == most && last < since {
			gone, most, since = of, n, last
		}
	}
	delete(h.series, gone)
}

// last is when it was added to.
func (s *series) last() int64 {
	if len(s.samples) < maxSamples {
		return s.samples[len(s.samples)-1].at
	}
	return s.samples[(s.oldest+maxSamples-1)%maxSamples].at
}

// repository is an image's without tag and digest; of what is no reference, all of it.
func repository(image string) string {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return image
	}
	return named.Name()
}

// UsagePercentile is what percent of the samples are not above: of containers of an image in a namespace, or in all
// (""), since a time, in thousandths of a processor or in bytes; and how many samples there are. If exact is false, other
// tags of the image count as well. Of no other resource anything is known.
func (m *Metrics) UsagePercentile(of corev1.ResourceName, percent int, image, namespace string, exact bool, since time.Time) (usage int64, samples int) {
	return m.history.percentile(of, percent, image, namespace, exact, since)
}

func (h *history) percentile(of corev1.ResourceName, percent int, image, namespace string, exact bool, since time.Time) (int64, int) {
	if len(image) > maxImage {
		return 0, 0
	}
	name := repository(image)
	var values []int64
	h.mu.Lock()
	for key, in := range h.series {
		if namespace != "" && key.namespace != namespace || exact && key.image != image || in.repository != name {
			continue
		}
		for _, s := range in.samples {
			switch {
			case s.at < since.Unix():
			case of == corev1.ResourceCPU:
				values = append(values, s.milliCPU)
			case of == corev1.ResourceMemory:
				values = append(values, s.memory)
			}
		}
	}
	h.mu.Unlock()
	if len(values) == 0 {
		return 0, 0
	}
	slices.Sort(values)
	rank := int(math.Ceil(float64(percent) / 100 * float64(len(values))))
	return values[min(max(rank, 1), len(values))-1], len(values)
}

// remember adds what pods of those nodes use now.
func (m *Metrics) remember(pods []*corev1.Pod, fresh map[string]bool) {
	for _, p := range pods {
		if !fresh[p.Spec.NodeName] {
			continue
		}
		images := make(map[string]string, len(p.Spec.Containers))
		for _, c := range p.Spec.Containers {
			images[c.Name] = c.Image
		}
		for name, u := range m.used(p) {
			m.history.add(ran{p.Namespace, images[name]}, sample{u.at.Unix(), u.list.Cpu().MilliValue(), u.list.Memory().Value()})
		}
	}
}
