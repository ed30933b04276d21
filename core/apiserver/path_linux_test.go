package apiserver

import (
	"bytes"
	"maps"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	logsapi "k8s.io/component-base/logs/api/v1"
)

// onTheWay is what of this module a request passes with no configuration in force, by the beginning of a function's
// name: what stands in etcd's place, and what brings in the requests of the server's own clients with their causes.
var onTheWay = []string{"core/store/", "core/inprocess.", "core/trace."}

// making is what a server is made and run by: handlers are assembled below it, and nobody is served.
var making = []string{"core/apiserver.(*Options).Config+0x", "core/apiserver.CompletedConfig.New+0x", "core/apiserver.(*Server).Run+0x"}

// TestNoOtherPath: with no configuration in force a request takes upstream's way, down to the store. The way is known of
// what is allocated on it, each allocation with its whole stack; what allocates nothing is not seen. Initializers that
// are switched on are (long lane).
func TestNoOtherPath(t *testing.T) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	// As core/cluster has it: the second server finds what the first one has set.
	logsapi.ReapplyHandling = logsapi.ReapplyHandlingIgnoreUnchanged
	// In this order: what was seen is in the profile from then on.
	t.Run("none", func(t *testing.T) {
		if passed := alongTheWay(t, "ours"); len(passed) > 0 {
			t.Errorf("requests came by %q", passed)
		}
	})
	if os.Getenv("TABERNETES_LONG") == "" {
		return
	}
	t.Run("initializers", func(t *testing.T) {
		passed := alongTheWay(t, "initializers")
		if !slices.ContainsFunc(passed, func(f string) bool { return strings.HasPrefix(f, "core/initializers.(*hiding)") }) {
			t.Errorf("requests came by %q, and not by the initializers", passed)
		}
	})
}

// alongTheWay makes, changes, reads and deletes a pod, watched, in a server (see assembled), and is what else than onTheWay of
// this module was on the requests' way.
func alongTheWay(t *testing.T, by string) []string {
	t.Helper()
	client := served(t, by)
	runtime.MemProfileRate = 1 // every allocation; a start would take minutes so
	defer func() { runtime.MemProfileRate = 0 }()
	pods, ctx := client.CoreV1().Pods("default"), t.Context()
	w, err := pods.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	if _, err = pods.Create(ctx, podNamed("seen"), metav1.CreateOptions{}); err == nil {
		_, err = pods.Patch(ctx, "seen", types.MergePatchType, []byte(`{"metadata": {"labels": {"a": "b"}}}`), metav1.PatchOptions{})
	}
	if err == nil {
		_, err = pods.Get(ctx, "seen", metav1.GetOptions{})
	}
	if err == nil {
		_, err = pods.List(ctx, metav1.ListOptions{})
	}
	if err == nil {
		err = pods.Delete(ctx, "seen", metav1.DeleteOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	<-w.ResultChan()
	runtime.GC() // the profile has what was allocated before the last two collections
	runtime.GC()
	var profile bytes.Buffer
	if err := pprof.Lookup("allocs").WriteTo(&profile, 1); err != nil {
		t.Fatal(err)
	}
	passed, stored := map[string]bool{}, false
	for stack := range strings.SplitSeq(profile.String(), "\n\n") {
		// A handler's end is in a goroutine of its own.
		if !strings.Contains(stack, "k8s.io/apiserver/pkg/endpoints/") || slices.ContainsFunc(making, func(by string) bool { return strings.Contains(stack, by) }) {
			continue
		}
		stored = stored || strings.Contains(stack, "registry.(*Store).create") && strings.Contains(stack, "/core/store/mvcc.")
		for line := range strings.SplitSeq(stack, "\n") {
			_, function, ours := strings.Cut(line, "github.com/tabernetes/tabernetes/")
			function, _, _ = strings.Cut(function, "+0x")
			if ours && !slices.ContainsFunc(onTheWay, func(of string) bool { return strings.HasPrefix(function, of) }) {
				passed[function] = true
			}
		}
	}
	if !stored {
		t.Error("no create was seen as far as the store")
	}
	return slices.Sorted(maps.Keys(passed))
}
