package cluster_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/trace"
)

// TestTheStartIsTold: what the apiserver was made of, in the order in which it was, for whoever looks
// later on; with where each group's resources lie in etcd and which of a version there are.
func TestTheStartIsTold(t *testing.T) {
	var kinds []string
	details := map[string]string{}
	times := map[string][]time.Time{}
	steps, _ := bus.All()
	for _, s := range steps {
		if s.Kind.Chapter != trace.Start {
			continue
		}
		if len(kinds) == 0 || kinds[len(kinds)-1] != s.Kind.Name {
			kinds = append(kinds, s.Kind.Name)
		}
		details[s.Kind.Name] += detailsOf(t, s) + "\n"
		times[s.Kind.Name] = append(times[s.Kind.Name], s.At)
	}
	last := -1
	for _, kind := range []string{
		"start.flags", "start.admission", "start.authentication", "start.authorization", "start.servers", "start.storage", "start.routes",
		"start.groups", "start.openapi", "start.hooks",
	} {
		at := slices.Index(kinds, kind)
		if at <= last {
			t.Errorf("%s is not told after the one before: %v", kind, kinds)
		}
		last = at
	}
	// Each of them when it was: groups one after the other, all of them before what describes them.
	for _, kind := range []string{"start.storage", "start.routes"} {
		slices.SortFunc(times[kind], time.Time.Compare)
		if n := len(slices.Compact(slices.Clone(times[kind]))); n < len(times[kind])*3/4 {
			t.Errorf("%d steps of %s have %d times", len(times[kind]), kind, n)
		}
		if !times["start.servers"][0].Before(times[kind][0]) || !times["start.openapi"][0].After(times[kind][len(times[kind])-1]) {
			t.Errorf("%s is told from %s to %s", kind, times[kind][0], times[kind][len(times[kind])-1])
		}
	}
	for kind, want := range map[string][]string{
		"start.servers": {"kube-aggregator", "the native APIs", "CustomResourceDefinitions"},
		"start.storage": {`{"path":"/api","keys":[`, `"/registry/minions"`, `"/registry/services/specs"`, `"/registry/deployments"`, `"/registry/leases"`},
		"start.routes":  {`{"path":"/apis/apps/v1","resources":[`, `"deployments/scale"`, `"pods/binding"`, `"customresourcedefinitions"`, `"apiservices"`},
		"start.openapi": {"/openapi/v3"},
		"start.hooks":   {"start-apiextensions-controllers"},
		"start.flags":   {"--authorization-mode"},
	} {
		for _, text := range want {
			if !strings.Contains(details[kind], text) {
				t.Errorf("%s has no %s: %s", kind, text, details[kind])
			}
		}
	}
}

// TestWhatIsInvalidIsTold: a refusal of the validation names the fields, and nothing of what they hold.
func TestWhatIsInvalidIsTold(t *testing.T) {
	const canary = "Canary_of-the-validation"
	for verb, line := range map[string]string{
		"create": fmt.Sprintf(`kubectl create configmap invalid --from-literal=x=y --dry-run=client -o json | sed 's/"name": "invalid"/"name": "%s"/' | kubectl create -f -`, canary),
		"update": fmt.Sprintf(`kubectl label namespace default x=%s --overwrite; kubectl patch namespace default --type=merge -p '{"metadata":{"labels":{"x":"%s!"}}}'`, "y", canary),
	} {
		t.Run(verb, func(t *testing.T) {
			v := bus.View(true)
			defer v.Close()
			if out := run(t, line); !strings.Contains(out, "nvalid") {
				t.Fatal(out)
			}
			ctx, cancel := context.WithTimeout(t.Context(), tracePatience)
			defer cancel()
			var found []string
			for len(found) == 0 {
				batch, err := v.Next(ctx, 100)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range batch.Steps {
					if s.Kind.Name == "validation.refused" {
						found = append(found, detailsOf(t, s))
						if cause, ok := bus.Find(s.Cause); ok && cause.Kind.Name != "apiserver.request" {
							t.Errorf("it is caused by %s", cause.Kind.Name)
						}
					}
				}
			}
			if !strings.Contains(found[0], `"type":"FieldValueInvalid"`) || !strings.Contains(found[0], `"field":"metadata.`) {
				t.Error(found)
			}
			for _, text := range found {
				if strings.Contains(text, canary) {
					t.Errorf("the step quotes what was invalid: %s", text)
				}
			}
		})
	}
}
