package retired

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apiserver/pkg/admission"
	api "k8s.io/kubernetes/pkg/apis/core"
)

// InitialResources gives containers that say nothing of processor time or memory a request, by what containers of
// their image have used: upstream's until 1.10 (plugin/pkg/admission/initialresources). It asked InfluxDB, Hawkular or
// Google Cloud Monitoring, which Heapster had filled; here it asks what metrics.k8s.io of this cluster has seen.
const InitialResources = "InitialResources"

const (
	// estimatedAnnotation says what was set, and is not read by anybody.
	estimatedAnnotation = "kubernetes.io/initial-resources"
	// Upstream's defaults: --ir-percentile, and all namespaces where one knows too little.
	percentile    = 90
	enoughSamples = 30
	week, month   = 7 * 24 * time.Hour, 30 * 24 * time.Hour
	// maxEstimated bounds how many containers of a pod are looked up.
	maxEstimated = 64
)

// Usage is what containers have used, as somebody has seen it.
type Usage interface {
	// UsagePercentile is what percent of the samples are not above, of containers of an image in a namespace, or in all
	// (""), since a time; in thousandths of a processor or in bytes. If exact is false, other tags of the image count as
	// well. samples is how many there are.
	UsagePercentile(of corev1.ResourceName, percent int, image, namespace string, exact bool, since time.Time) (usage int64, samples int)
}

type initialResources struct {
	*admission.Handler
	usage Usage
}

var _ admission.MutationInterface = (*initialResources)(nil)

func newInitialResources(usage Usage) admission.Interface {
	return &initialResources{admission.NewHandler(admission.Create), usage}
}

// Admit implements admission.MutationInterface.
func (p *initialResources) Admit(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	pod, ok := a.GetObject().(*api.Pod)
	if !ok || p.usage == nil || a.GetSubresource() != "" || a.GetResource().GroupResource() != api.Resource("pods") {
		return nil
	}
	var set []string
	left := maxEstimated
	for _, of := range []struct {
		kind       string
		containers []api.Container
	}{{"init container ", pod.Spec.InitContainers}, {"container ", pod.Spec.Containers}} {
		for i := range of.containers {
			if left--; left < 0 {
				break
			}
			c := &of.containers[i]
			if names := p.estimate(pod, c, a.GetNamespace()); len(names) > 0 {
				set = append(set, strings.Join(names, ", ")+" request for "+of.kind+c.Name)
			}
		}
	}
	if len(set) > 0 {
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		pod.Annotations[estimatedAnnotation] = "Initial Resources plugin set: " + strings.Join(set, "; ")
	}
	return nil
}

// estimate sets a container's requests, and returns of what.
func (p *initialResources) estimate(pod *api.Pod, c *api.Container, namespace string) (names []string) {
	for _, name := range []api.ResourceName{api.ResourceCPU, api.ResourceMemory} {
		if says(&c.Resources, name) || says(pod.Spec.Resources, name) { // the pod's are of a later time; its containers share them
			continue
		}
		usage, samples := p.used(corev1.ResourceName(name), c.Image, namespace)
		if samples == 0 {
			continue
		}
		if c.Resources.Requests == nil {
			c.Resources.Requests = api.ResourceList{}
		}
		if name == api.ResourceCPU {
			c.Resources.Requests[name] = *resource.NewMilliQuantity(usage, resource.DecimalSI)
		} else {
			c.Resources.Requests[name] = *resource.NewQuantity(usage, resource.DecimalSI)
		}
		names = append(names, string(name))
	}
	return names
}

func says(r *api.ResourceRequirements, name api.ResourceName) bool {
	if r == nil {
		return false
	}
	_, requested := r.Requests[name]
	_, limited := r.Limits[name]
	return requested || limited
}

// used asks from the nearest to the furthest until there is enough: the same image and tag in the namespace, the same
// anywhere, any tag anywhere; each of a week and then of a month. The last that was asked counts, as little as it knows.
func (p *initialResources) used(of corev1.ResourceName, image, namespace string) (usage int64, samples int) {
	now := time.Now()
	for _, ask := range []struct {
		namespace string
		exact     bool
		span      time.Duration
	}{{namespace, true, week}, {namespace, true, month}, {"", true, week}, {"", true, month}, {"", false, month}} {
		usage, samples = p.usage.UsagePercentile(of, percentile, image, ask.namespace, ask.exact, now.Add(-ask.span))
		if samples >= enoughSamples {
			break
		}
	}
	return usage, samples
}
