package proxy

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	upstream "k8s.io/kubernetes/pkg/proxy"

	"github.com/tabernetes/tabernetes/nodehost/testnet/testcluster"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// A pod is being ended, and nobody says so of the Service: the endpoints stay as they were, as they do
// for a machine that is cut off before the word comes. No connection is led to the pod.
func TestAPodEndsAndItsServiceIsNotHeardOf(t *testing.T) {
	n := newNode(t, "")
	web := service(t, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "ending"}})
	cluster := web.Spec.ClusterIP + ":80"
	pods := testcluster.Shared.Client.CoreV1().Pods("default")
	pod, err := pods.Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "ending"},
		Spec: corev1.PodSpec{
			NodeName: "real-node", TerminationGracePeriodSeconds: ptr.To[int64](300),
			Containers: []corev1.Container{{Name: "c", Image: "c"}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = pods.Delete(context.Background(), "ending", metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)})
	})
	setEndpoints(t, "ending", 1, 2)
	slices := testcluster.Shared.Client.DiscoveryV1().EndpointSlices("default")
	patch := fmt.Sprintf(`[{"op":"add","path":"/endpoints/0/targetRef","value":{"kind":"Pod","namespace":"default","name":"ending","uid":%q}}]`, pod.UID)
	if _, err := slices.Patch(t.Context(), "ending", types.JSONPatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	wantPods(t, n.client, cluster, 1, 2)
	if err := pods.Delete(t.Context(), "ending", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually.OK(t, "only pod 2", func() error {
		for range 12 {
			if pod, _, err := ask(n.client, cluster); err != nil || pod != 2 {
				return fmt.Errorf("pod %d, %v", pod, err)
			}
		}
		return nil
	})
	if s, err := slices.Get(t.Context(), "ending", metav1.GetOptions{}); err != nil || len(s.Endpoints) != 2 {
		t.Errorf("the endpoints are not as they were: %v, %v", s, err)
	}
}

// hearing is a proxier that remembers the last it was told of a slice.
type hearing struct {
	upstream.Provider
	slice *discoveryv1.EndpointSlice
}

func (p *hearing) OnEndpointSliceAdd(s *discoveryv1.EndpointSlice)       { p.slice = s }
func (p *hearing) OnEndpointSliceUpdate(_, s *discoveryv1.EndpointSlice) { p.slice = s }
func (p *hearing) OnEndpointSliceDelete(*discoveryv1.EndpointSlice)      { p.slice = nil }
func (p *hearing) OnServiceAdd(*corev1.Service)                          {}
func (p *hearing) OnServiceUpdate(_, _ *corev1.Service)                  {}

func TestWhatIsSaidOfPodsThatEnd(t *testing.T) {
	p := &hearing{}
	e := newEnding(p)
	slice := &discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{Name: "web-1", Labels: map[string]string{discoveryv1.LabelServiceName: "web"}}}
	for _, uid := range []types.UID{"a", "b", ""} {
		end := discoveryv1.Endpoint{Conditions: discoveryv1.EndpointConditions{Ready: ptr.To(true)}}
		if uid != "" {
			end.TargetRef = &corev1.ObjectReference{UID: uid}
		}
		slice.Endpoints = append(slice.Endpoints, end)
	}
	whole := slice.DeepCopy()
	want := func(when string, ready ...bool) {
		t.Helper()
		var got []bool
		for _, end := range p.slice.Endpoints {
			got = append(got, *end.Conditions.Ready)
			if c := end.Conditions; !*c.Ready && (!*c.Serving || !*c.Terminating) {
				t.Errorf("%s: %+v, want serving and terminating", when, c)
			}
		}
		if !reflect.DeepEqual(got, ready) {
			t.Errorf("%s: ready are %v, want %v", when, got, ready)
		}
		if !reflect.DeepEqual(slice, whole) {
			t.Errorf("%s: the informer's own object was changed", when)
		}
	}
	pod := func(uid types.UID, deleted bool) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid}}
		if deleted {
			p.DeletionTimestamp = ptr.To(metav1.Now())
		}
		return p
	}
	e.OnEndpointSliceAdd(slice)
	e.podIs(pod("a", false))
	want("all run", true, true, true)
	e.podIs(pod("a", true))
	want("one is deleted", false, true, true)
	e.OnEndpointSliceUpdate(slice, slice)
	e.podIs(pod("c", true)) // of no Service
	want("the slice comes again", false, true, true)
	e.podIsGone("a")
	e.OnEndpointSliceUpdate(slice, slice)
	want("it has ended, and the slice has it", false, true, true)

	web := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.ServiceSpec{PublishNotReadyAddresses: true}}
	e.OnServiceAdd(web)
	e.OnEndpointSliceUpdate(slice, slice)
	want("a Service that wants all", true, true, true)

	e.OnEndpointSliceDelete(slice)
	e.podIsGone("c")
	if len(e.deleted)+len(e.slices) != 0 {
		t.Errorf("it remembers %v, %v", e.deleted, e.slices)
	}
}
