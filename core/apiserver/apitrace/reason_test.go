package apitrace

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/pkg/apis/core"

	"github.com/tabernetes/tabernetes/core/trace"
)

// TestWhoseReasonIsAnotherObject: where no cause is carried, what is in a Namespace goes because of that, and a pod is
// evicted because of its node; whoever else deletes the pod does so because of itself.
func TestWhoseReasonIsAnotherObject(t *testing.T) {
	bus := trace.New()
	wrote := func(uid, key string) trace.ID {
		id := bus.Reserve()
		bus.Wrote(id, 0, uid, key)
		return bus.Add(trace.Step{ID: id, Kind: served})
	}
	pod := &core.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "x", UID: "uid"}, Spec: core.PodSpec{NodeName: "node-1"}}
	namespace, node, itself := wrote("", "namespaces//x"), wrote("", "nodes//node-1"), wrote("uid", "pods/x/p")
	for user, want := range map[string]trace.ID{
		namespaceController: namespace, nodeController: node, "system:serviceaccount:kube-system:replicaset-controller": itself, "somebody": 0,
	} {
		r := &request{Request: trace.Request{ID: bus.Reserve()}, bus: bus, details: Served{User: user}}
		r.meet(admission.NewAttributesRecord(nil, pod, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "x", "p",
			schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", admission.Delete, &metav1.DeleteOptions{}, false, nil))
		if r.cause != want || r.inferred != (want != 0) {
			t.Errorf("what %s does comes of %d, want %d", user, r.cause, want)
		}
	}
}

// TestACollectionHasNoName: each of the objects that are deleted together is admitted by itself, and the request is about
// all of them.
func TestACollectionHasNoName(t *testing.T) {
	bus := trace.New()
	for verb, want := range map[string]string{"deletecollection": "pods/x/", "delete": "pods/x/p"} {
		r := &request{Request: trace.Request{ID: bus.Reserve()}, bus: bus, details: Served{Verb: verb}}
		r.Learn(func(o *trace.Object) { o.Resource, o.Namespace = "pods", "x" })
		pod := &core.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "x", UID: "uid"}}
		r.meet(admission.NewAttributesRecord(nil, pod, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "x", "p",
			schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", admission.Delete, &metav1.DeleteOptions{}, false, nil))
		if o := r.Object(); o.Key() != want || (o.UID == "") != (verb == "deletecollection") {
			t.Errorf("a %s is about %+v", verb, o)
		}
	}
}
