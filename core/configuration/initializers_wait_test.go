package configuration_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/initializers"
	"github.com/tabernetes/tabernetes/core/trace"
)

// waitsOn has a create wait for an initializer that nobody is, to its end.
func waitsOn(t *testing.T, client kubernetes.Interface) {
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skip("it waits 30 s: TABERNETES_LONG=1 runs it; TestWaiting has all ends of a wait on a clock of its own")
	}
	_, err := client.CoreV1().Pods("init").Create(t.Context(), podNamed("waits-on"), metav1.CreateOptions{})
	if !apierrors.IsTimeout(err) || !strings.Contains(err.Error(), "podimage.example.com") {
		t.Errorf("%v", err)
	}
	steps, _ := bus.All()
	i := slices.IndexFunc(steps, func(s trace.Step) bool { return s.Kind.Name == "initializers.waited" && s.Object.Name == "waits-on" })
	if i < 0 {
		t.Fatal("the trace does not tell of the wait")
	}
	if told, _ := steps[i].Details.(*initializers.Waited); told == nil || told.Outcome != "timeout" || steps[i].Took < 30*time.Second {
		t.Errorf("after %s: %+v", steps[i].Took, steps[i].Details)
	}
	if err := client.CoreV1().Pods("init").Delete(t.Context(), "waits-on", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}
