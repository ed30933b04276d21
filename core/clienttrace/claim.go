package clienttrace

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/trace"
)

const claiming = "k8s.io/kubernetes/pkg/controller"

var (
	adopted = trace.Declare(trace.Controllers, "controllers.adopted", trace.Place{
		Package: claiming, Func: "BaseControllerRefManager.ClaimObject", Text: "if err := adopt(ctx, obj); err != nil {",
	})
	released = trace.Declare(trace.Controllers, "controllers.released", trace.Place{
		Package: claiming, Func: "BaseControllerRefManager.ClaimObject", Text: "if err := release(ctx, obj); err != nil {",
	})
)

// Claimed are the details of controllers.adopted and controllers.released: an object that had no controller
// and matches a selector got one, or has one no longer as its labels match no more.
type Claimed struct {
	// Type is Go's of the object: "v1.Pod".
	Type      string   `json:"type"`
	Namespace string   `json:"namespace,omitempty"`
	Name      string   `json:"name"`
	UID       string   `json:"uid"`
	By        Claimant `json:"by"`
}

// Claimant is the object whose controller did it.
type Claimant struct {
	Type string `json:"type"`
	Name string `json:"name"`
	UID  string `json:"uid"`
}

// Claim is called by a controller's worker once the write that claims or releases an object has succeeded.
// It tells of work that is traced only.
func Claim(controller, object metav1.Object, takes bool) {
	t, cause := installed.Load(), trace.Marked()
	if t == nil || cause == 0 {
		return
	}
	kind := released
	if takes {
		kind = adopted
	}
	t.bus.Add(trace.Step{
		Kind: kind, Component: component(), Cause: cause,
		Details: &Claimed{
			Type: typeOf(object), Namespace: object.GetNamespace(), Name: trace.Text(object.GetName()), UID: string(object.GetUID()),
			By: Claimant{Type: typeOf(controller), Name: trace.Text(controller.GetName()), UID: string(controller.GetUID())},
		},
	})
}

func typeOf(object metav1.Object) string { return strings.TrimPrefix(fmt.Sprintf("%T", object), "*") }
