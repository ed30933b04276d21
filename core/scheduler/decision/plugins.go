package decision

import (
	"context"
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// A framework.Framework runs its plugins and shows none of them. Two things need the plugins
// themselves: the scores as a plugin gave them, before they are normalised, and asking one again.
// Both are fields of upstream's frameworkImpl, found by name and type; TestUpstreamHasItsPlugins
// fails where an upgrade has moved them.

// field points to a field of upstream's framework.
func field[T any](f framework.Framework, name string) (*T, error) {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil, fmt.Errorf("the scheduler's framework is a %T", f)
	}
	found := v.Elem().FieldByName(name)
	if !found.IsValid() || found.Type() != reflect.TypeFor[T]() {
		return nil, fmt.Errorf("the scheduler's framework %T has no field %s of type %s", f, name, reflect.TypeFor[T]())
	}
	return (*T)(found.Addr().UnsafePointer()), nil
}

// pluginsOf are a framework's plugins by name.
func pluginsOf(f framework.Framework) (map[string]fwk.Plugin, error) {
	p, err := field[map[string]fwk.Plugin](f, "pluginsMap")
	if err != nil {
		return nil, err
	}
	return *p, nil
}

// noteScores has each score plugin of f note what it gives, as upstream's instrumentedScorePlugin
// counts (pkg/scheduler/framework/runtime/instrumented_plugins.go). It must be called before f runs.
func noteScores(f framework.Framework) error {
	plugins, err := field[[]fwk.ScorePlugin](f, "scorePlugins")
	if err != nil {
		return err
	}
	for i, p := range *plugins {
		(*plugins)[i] = &notedScore{p, i}
	}
	return nil
}

type notedScore struct {
	fwk.ScorePlugin
	index int // in Decision.Scores
}

// Score implements fwk.ScorePlugin. It is called for several nodes at once, for each of them by one
// goroutine.
func (p *notedScore) Score(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	score, status := p.ScorePlugin.Score(ctx, state, pod, node)
	if a := attemptOf(state); a != nil {
		a.raw(node.Node().Name, p.index, score)
	}
	return score, status
}
