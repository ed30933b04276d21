package resourcemetrics

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/metrics/pkg/apis/metrics"
)

// ConvertToTable is what `kubectl get nodemetrics` shows.
func (nodeMetrics) ConvertToTable(_ context.Context, object, _ runtime.Object) (*metav1.Table, error) {
	table := newTable()
	items := []metrics.NodeMetrics{}
	switch o := object.(type) {
	case *metrics.NodeMetrics:
		items = append(items, *o)
	case *metrics.NodeMetricsList:
		items = o.Items
	}
	for i := range items {
		addRow(table, &items[i], items[i].Name, items[i].Window, items[i].Usage)
	}
	return table, nil
}

// ConvertToTable is what `kubectl get podmetrics` shows.
func (podMetrics) ConvertToTable(_ context.Context, object, _ runtime.Object) (*metav1.Table, error) {
	table := newTable()
	items := []metrics.PodMetrics{}
	switch o := object.(type) {
	case *metrics.PodMetrics:
		items = append(items, *o)
	case *metrics.PodMetricsList:
		items = o.Items
	}
	for i := range items {
		sum := corev1.ResourceList{}
		for _, c := range items[i].Containers {
			for name, used := range c.Usage {
				total := sum[name]
				total.Add(used)
				sum[name] = total
			}
		}
		addRow(table, &items[i], items[i].Name, items[i].Window, sum)
	}
	return table, nil
}

func newTable() *metav1.Table {
	return &metav1.Table{ColumnDefinitions: []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name"}, {Name: "cpu", Type: "string"},
		{Name: "memory", Type: "string"}, {Name: "Window", Type: "string"},
	}}
}

func addRow(table *metav1.Table, object runtime.Object, name string, window metav1.Duration, used corev1.ResourceList) {
	table.Rows = append(table.Rows, metav1.TableRow{
		Cells: []any{name, used.Cpu().String(), used.Memory().String(), window.Duration.String()}, Object: runtime.RawExtension{Object: object},
	})
}
