package resourcemetrics

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"k8s.io/apimachinery/pkg/types"
)

// maxAnswer bounds what a kubelet may say, in bytes: some 250 for each container.
const maxAnswer = 4 << 20

// point is what a node or a container had used at a time.
type point struct {
	at      time.Time
	started time.Time // zero if it is not known
	cpu     float64   // seconds of processor time since it started
	memory  float64   // working set, in bytes
}

// container is a container of a pod.
type container struct {
	pod  types.NamespacedName
	name string
}

// answer is what a kubelet said once.
type answer struct {
	node       point
	containers map[container]point
}

// read reads /metrics/resource (k8s.io/kubernetes/pkg/kubelet/metrics/collectors/resource_metrics.go), which
// came at the time now.
func read(r io.Reader, now time.Time) (answer, error) {
	a := answer{containers: map[container]point{}}
	decoder := expfmt.NewDecoder(io.LimitReader(r, maxAnswer), expfmt.NewFormat(expfmt.TypeTextPlain))
	for {
		var family dto.MetricFamily
		err := decoder.Decode(&family)
		if errors.Is(err, io.EOF) {
			return a, nil
		}
		if err != nil {
			return answer{}, fmt.Errorf("read a kubelet's metrics: %w", err)
		}
		for _, m := range family.GetMetric() {
			a.take(family.GetName(), m, now)
		}
	}
}

// take takes one figure up; what is none is left out.
func (a *answer) take(name string, m *dto.Metric, now time.Time) {
	value, at := m.GetUntyped().GetValue(), now
	switch {
	case m.Counter != nil:
		value = m.Counter.GetValue()
	case m.Gauge != nil:
		value = m.Gauge.GetValue()
	}
	if m.TimestampMs != nil {
		at = time.UnixMilli(m.GetTimestampMs())
	}
	if math.IsNaN(value) || value < 0 || value > math.MaxInt64/2 || at.After(now.Add(time.Minute)) {
		return
	}
	switch name {
	case "node_cpu_usage_seconds_total":
		a.node.cpu, a.node.at = value, at
		return
	case "node_memory_working_set_bytes":
		a.node.memory = value
		return
	}
	of := container{}
	for _, l := range m.GetLabel() {
		switch l.GetName() {
		case "container":
			of.name = l.GetValue()
		case "pod":
			of.pod.Name = l.GetValue()
		case "namespace":
			of.pod.Namespace = l.GetValue()
		}
	}
	if of.name == "" {
		return
	}
	p := a.containers[of]
	switch name {
	case "container_cpu_usage_seconds_total":
		p.cpu, p.at = value, at
	case "container_memory_working_set_bytes":
		p.memory = value
	case "container_start_time_seconds":
		p.started = time.UnixMilli(int64(value * 1000))
	default:
		return
	}
	a.containers[of] = p
}
