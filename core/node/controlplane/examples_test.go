package controlplane

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/initializers"
	"github.com/tabernetes/tabernetes/core/program"
)

// TestExamples: whom each of the three is for, and whom not.
func TestExamples(t *testing.T) {
	pod := func(change func(*corev1.Pod)) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default", Annotations: map[string]string{}}, Spec: corev1.PodSpec{
			InitContainers: []corev1.Container{{Name: "i"}},
			Containers:     []corev1.Container{{Name: "c", Ports: []corev1.ContainerPort{{ContainerPort: 80, Protocol: corev1.ProtocolTCP}}}},
		}}
		change(p)
		return p
	}
	secret := func(of corev1.SecretType, value string) *corev1.Secret {
		return &corev1.Secret{Type: of, Data: map[string][]byte{"password": []byte(value)}}
	}
	inTest := addCertificates("test")
	for what, c := range map[string]struct {
		act       func(metav1.Object) (string, error)
		o         metav1.Object
		did, says string
	}{
		"port 80":                     {addSidecar, pod(func(*corev1.Pod) {}), "15001 to 80", ""},
		"port 80 by UDP":              {addSidecar, pod(func(p *corev1.Pod) { p.Spec.Containers[0].Ports[0].Protocol = corev1.ProtocolUDP }), "", ""},
		"another port":                {addSidecar, pod(func(p *corev1.Pod) { p.Spec.Containers[0].Ports[0].ContainerPort = 8080 }), "", ""},
		"an annotation":               {addSidecar, pod(func(p *corev1.Pod) { p.Spec.Containers[0].Ports, p.Annotations[proxyAnnotation] = nil, "8080" }), "15001 to 8080", ""},
		"an annotation with a flag":   {addSidecar, pod(func(p *corev1.Pod) { p.Annotations[proxyAnnotation] = "80 --to=10.96.0.1:443" }), "", "is no port"},
		"an annotation beyond ports":  {addSidecar, pod(func(p *corev1.Pod) { p.Annotations[proxyAnnotation] = "65536" }), "", "is no port"},
		"the node's own network":      {addSidecar, pod(func(p *corev1.Pod) { p.Spec.HostNetwork = true }), "", ""},
		"a proxy that is there":       {addSidecar, pod(func(p *corev1.Pod) { p.Spec.Containers[0].Name = "proxy" }), "", ""},
		"certificates":                {inTest, pod(func(p *corev1.Pod) { p.Namespace = "test" }), "added volume", ""},
		"of another namespace":        {inTest, pod(func(*corev1.Pod) {}), "", ""},
		"certificates that are there": {inTest, pod(func(p *corev1.Pod) { p.Namespace, p.Spec.Volumes = "test", []corev1.Volume{{Name: certificates}} }), "", ""},
		"a short secret":              {refuseShort, secret(corev1.SecretTypeOpaque, "abc"), "", "password has 3 characters, and needs 20"},
		"a long secret":               {refuseShort, secret(corev1.SecretTypeOpaque, strings.Repeat("x", 20)), "", ""},
		"a short token of bootstrap":  {refuseShort, secret(corev1.SecretTypeBootstrapToken, "abc"), "", ""},
	} {
		did, err := c.act(c.o)
		if (c.did == "") != (did == "") || !strings.Contains(did, c.did) || (c.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %q, %v", what, did, err)
		}
	}
}

// TestWhatCannotBeChanged: an object that would be invalid with what an example adds is refused as it was, in place of
// waiting forever; a server that has no time is asked again.
func TestWhatCannotBeChanged(t *testing.T) {
	var bodies []string
	code := http.StatusUnprocessableEntity
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b bytes.Buffer
		_, _ = b.ReadFrom(r.Body)
		bodies = append(bodies, b.String())
		w.Header().Set("Content-Type", "application/json")
		if strings.Contains(b.String(), initializers.ResultAnnotation) {
			_, _ = w.Write(b.Bytes())
			return
		}
		reason := metav1.StatusReasonInvalid
		if code != http.StatusUnprocessableEntity {
			reason = metav1.StatusReasonForbidden
		}
		w.WriteHeader(code)
		_, _ = w.Write([]byte(`{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "no such thing", "reason": "` + string(reason) + `"}`))
	}))
	defer server.Close()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	w := &waiting{resource: "pods", api: client.CoreV1().RESTClient()}
	e := &example{"a.example.com", func(o metav1.Object) (string, error) {
		o.(*corev1.Pod).Spec.Hostname = "added"
		return "added", nil
	}}
	pod := func() *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns", Annotations: map[string]string{initializers.PendingAnnotation: "a.example.com,b.example.com"}}}
	}
	did, err := w.initialize(t.Context(), pod(), e)
	if err != nil || !strings.Contains(did, "refused") || len(bodies) != 2 {
		t.Fatalf("%q, %v, %d writes", did, err, len(bodies))
	}
	if strings.Contains(bodies[1], "added") || !strings.Contains(bodies[1], "a.example.com,b.example.com") || !strings.Contains(bodies[0], `"b.example.com"`) {
		t.Errorf("written: %q", bodies)
	}
	code = http.StatusForbidden
	if _, err := w.initialize(t.Context(), pod(), e); err == nil || len(bodies) != 3 {
		t.Errorf("%v, %d writes", err, len(bodies))
	}
	e.act = func(metav1.Object) (string, error) { return "", errors.New(strings.Repeat("\x00", 1<<20)) }
	if _, err := w.initialize(t.Context(), pod(), e); err != nil || len(bodies[3]) > 8<<10 {
		t.Errorf("%v, a refusal of %d bytes", err, len(bodies[3]))
	}
}

// TestNamesNoInitializer: without an initializer's name there is nothing to do, and its log says what to do.
func TestNamesNoInitializer(t *testing.T) {
	for _, args := range [][]string{nil, {"--sidecar="}, {"--kubeconfig=/etc/kubernetes/admin.conf"}} {
		var stderr bytes.Buffer
		p := &program.Process{Args: append([]string{"initializer"}, args...), Stdout: &stderr, Stderr: &stderr}
		if code := initializer(t.Context(), p); code != 1 || !strings.Contains(stderr.String(), "flag") && !strings.Contains(stderr.String(), "--sidecar") {
			t.Errorf("%v: %d, %s", args, code, &stderr)
		}
	}
}
