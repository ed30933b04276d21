package apiserver

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/webhook"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/plugin/pkg/admission/imagepolicy"

	"github.com/tabernetes/tabernetes/core/egress"
)

// TestImagePolicy: which images may run is asked at a Service's address by what the kubeconfig says (path, CA, token);
// what fails on the way there is said as upstream says it, once, and an answer without end is none.
func TestImagePolicy(t *testing.T) {
	seen := make(chan string, 10)
	there := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		seen <- r.URL.Path + " " + r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "application/json")
		if strings.Contains(string(b), "endless") {
			_, _ = io.WriteString(w, `{"status": "`)
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat("x", 64<<10)); err != nil {
					return
				}
			}
		}
		fmt.Fprintf(w, `{"apiVersion": "imagepolicy.k8s.io/v1alpha1", "kind": "ImageReview", "status": {"allowed": %t, "reason": "no evil"}}`, !strings.Contains(string(b), "evil"))
	}))
	defer there.Close()
	router := egress.NewRouter()
	dials, refused := 0, errors.New("dial tcp 10.96.0.9:443: connect: connection refused")
	var dialled error
	router.HandleServices(func(ctx context.Context, network, _ string) (net.Conn, error) {
		if dials++; dialled != nil {
			return nil, dialled
		}
		return (&net.Dialer{}).DialContext(ctx, network, there.Listener.Addr().String())
	}, netip.MustParsePrefix("10.96.0.0/16"))
	router.Handle("images.default.svc", func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "images.default.svc", IsNotFound: true}
	})
	ca := strings.ReplaceAll(strings.TrimSpace(string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: there.Certificate().Raw}))), "\n", "\n    ")
	ask := func(host, image string) error {
		t.Helper()
		dir := t.TempDir()
		file := func(name, text string) string {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
		file("ca.pem", strings.ReplaceAll(ca, "\n    ", "\n"))
		kubeconfig := file("kubeconfig", `{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}], users: [{name: u, user: {token: secret}}],
 clusters: [{name: c, cluster: {server: "https://`+host+`/policy", certificate-authority: ca.pem, tls-server-name: example.com}}]}`)
		o := &genericoptions.AdmissionOptions{ConfigFile: file("admission.yaml", `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: ImagePolicyWebhook
  configuration: {imagePolicy: {kubeConfigFile: `+kubeconfig+`, retryBackoff: 1, defaultAllow: false}}
`)}
		ctx, end := context.WithCancel(t.Context())
		defer end()
		failed := imagePolicy(ctx, o, router)
		p, ok := o.Decorators.Decorate(nil, imagepolicy.PluginName).(admission.ValidationInterface)
		if err := failed(); err != nil || !ok {
			t.Fatal(err, ok)
		}
		pod := &api.Pod{Spec: api.PodSpec{Containers: []api.Container{{Image: image}}}}
		return p.Validate(t.Context(), admission.NewAttributesRecord(pod, nil, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "default", "p",
			schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", admission.Create, nil, false, &user.DefaultInfo{}), nil)
	}
	if err := ask("10.96.0.9", "good"); err != nil {
		t.Error(err)
	}
	if got := <-seen; got != "/policy/ Bearer secret" {
		t.Errorf("asked with %q", got)
	}
	for _, c := range []struct {
		host, image string
		dial        error
		want        string
	}{
		{"10.96.0.9", "evil", nil, "denied one or more images: no evil"},
		{"10.96.0.9", "endless", nil, "unexpected end of JSON input"},
		{"10.96.0.9", "good", refused, `Post "https://10.96.0.9/policy": dial tcp 10.96.0.9:443: connect: connection refused`},
		{"images.default.svc", "good", nil, "is the name of a Service, which only the cluster's DNS knows"},
	} {
		dials, dialled = 0, c.dial
		if err := ask(c.host, c.image); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s at %s: %v, without %q", c.image, c.host, err, c.want)
		}
		if dials > 1 {
			t.Errorf("%s at %s: dialled %d times", c.image, c.host, dials)
		}
	}
}

// TestWayNeedsItsKey: who finds the address of the process is not led on.
func TestWayNeedsItsKey(t *testing.T) {
	there := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("led on") }))
	defer there.Close()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, []byte(`{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c}}], clusters: [{name: c, cluster: {server: "`+there.URL+`"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := webhook.LoadKubeconfig(kubeconfig, egress.NewRouter().DialAsServer)
	if err != nil {
		t.Fatal(err)
	}
	address, err := serveWayTo(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/", "/x/", "/../" + u.Path[2:]} {
		answer, err := http.Get(u.Scheme + "://" + u.Host + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, answer.Status)
		}
	}
}
