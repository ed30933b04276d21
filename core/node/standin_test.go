package node_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/node/image"
)

// TestStandInsAreTold: a pod whose image the tab does not have is Running and Ready, and its status and
// an event say that it is a stand-in that runs; of any other nothing is said. A tag that an image does
// not have is no stand-in's.
func TestStandInsAreTold(t *testing.T) {
	c := startCluster(t)
	ns := c.namespace(t, "standins")
	make := func(name, img string) {
		t.Helper()
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{
			NodeName: "node-1", TerminationGracePeriodSeconds: new(int64),
			Containers: []corev1.Container{{Name: "main", Image: img}},
		}}
		if _, err := c.CoreV1().Pods(ns).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	make("shop", "acme/shop:2")
	make("web", "nginx")
	make("typo", "nginx:1.161")
	shop := c.until(t, ns, "shop", "ready", ready)
	if got := shop.Status.ContainerStatuses[0].ImageID; !strings.HasPrefix(got, image.StandInScheme+"docker.io/acme/shop@sha256:") {
		t.Errorf("imageID of a stand-in: %q", got)
	}
	web := c.until(t, ns, "web", "ready", ready)
	if got := web.Status.ContainerStatuses[0].ImageID; !strings.HasPrefix(got, "docker.io/library/nginx@sha256:") {
		t.Errorf("imageID of nginx: %q", got)
	}
	c.until(t, ns, "typo", "refused", func(p *corev1.Pod) bool {
		if p == nil || len(p.Status.ContainerStatuses) == 0 {
			return false
		}
		w := p.Status.ContainerStatuses[0].State.Waiting
		return w != nil && (w.Reason == "ErrImagePull" || w.Reason == "ImagePullBackOff") && strings.Contains(w.Message, "not found")
	})
	warned := c.event(t, ns, "StandIn")
	if warned.InvolvedObject.Name != "shop" || warned.InvolvedObject.UID != shop.UID || warned.Type != corev1.EventTypeWarning ||
		!strings.Contains(warned.Message, `"docker.io/acme/shop:2"`) || !strings.Contains(warned.Message, `container "main"`) {
		t.Errorf("event %+v", warned)
	}
	events, err := c.CoreV1().Events(ns).List(t.Context(), metav1.ListOptions{FieldSelector: "reason=StandIn"})
	if err != nil || len(events.Items) != 1 {
		t.Errorf("%d warnings of stand-ins, %v; want shop's only", len(events.Items), err)
	}
}
