package agnhost

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	certutil "k8s.io/client-go/util/cert"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/programtest"
)

// start runs a command as a pod of the suite does, and returns how to ask it.
func start(t *testing.T, name string) (ask func(path string, body any) []byte) {
	t.Helper()
	cert, key, err := certutil.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for file, data := range map[string][]byte{"tls.crt": cert, "tls.key": key} {
		if err := os.WriteFile(filepath.Join(root, file), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	signals := make(chan program.Signal, 1)
	at := make(chan string, 1)
	var stderr bytes.Buffer
	p := &program.Process{
		Args:    []string{name, "--tls-cert-file=/tls.crt", "--tls-private-key-file=/tls.key", "-v=4", "--port=8444"},
		PID:     1,
		FS:      program.NewFS(root),
		Net:     programtest.Loopback{At: at},
		Stdout:  io.Discard,
		Stderr:  &stderr,
		Signals: signals,
	}
	ended := make(chan int, 1)
	go func() { ended <- Commands()[name](t.Context(), p) }()
	var address string
	select {
	case address = <-at:
	case code := <-ended:
		t.Fatalf("%s ended with %d: %s", name, code, &stderr)
	}
	t.Cleanup(func() {
		signals <- program.SIGTERM
		if code := <-ended; code != 0 {
			t.Errorf("%s ended with %d: %s", name, code, &stderr)
		}
	})
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	t.Cleanup(client.CloseIdleConnections)
	return func(path string, body any) []byte {
		t.Helper()
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Post("https://"+address+path, "application/json", bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		got, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %v: %s", path, res.Status, err, got)
		}
		return got
	}
}

func TestWebhookAnswersReviews(t *testing.T) {
	ask := start(t, "webhook")
	if got := string(ask("/readyz", nil)); got != "ok" {
		t.Errorf("/readyz: %s", got)
	}
	configMap := []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"mutation-start":"yes"}}`)
	review := func(path string) *admissionv1.AdmissionResponse {
		t.Helper()
		var got admissionv1.AdmissionReview
		if err := json.Unmarshal(ask(path, admissionv1.AdmissionReview{
			TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
			Request: &admissionv1.AdmissionRequest{
				UID:       "u1",
				Resource:  metav1.GroupVersionResource{Version: "v1", Resource: "configmaps"},
				Operation: admissionv1.Create,
				Object:    runtime.RawExtension{Raw: configMap},
			},
		}), &got); err != nil || got.Response == nil || got.Response.UID != "u1" {
			t.Fatalf("%s: %v, %v", path, err, got)
		}
		return got.Response
	}
	if r := review("/always-deny"); r.Allowed {
		t.Errorf("/always-deny allows: %v", r)
	}
	if r := review("/mutating-configmaps"); !r.Allowed || !strings.Contains(string(r.Patch), "mutation-stage-1") {
		t.Errorf("/mutating-configmaps: %v, patch %s", r.Allowed, r.Patch)
	}
}

// Two pods serve at once: nothing is registered twice in the process.
func TestTwoWebhooks(t *testing.T) {
	one, two := start(t, "webhook"), start(t, "webhook")
	if string(one("/readyz", nil)) != "ok" || string(two("/readyz", nil)) != "ok" {
		t.Error("one of two is not ready")
	}
}

func TestConversion(t *testing.T) {
	ask := start(t, "crd-conversion-webhook")
	got := string(ask("/crdconvert", map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "ConversionReview",
		"request": map[string]any{
			"uid":               "u2",
			"desiredAPIVersion": "stable.example.com/v2",
			"objects": []any{map[string]any{
				"apiVersion": "stable.example.com/v1", "kind": "E2e", "metadata": map[string]any{"name": "x"}, "hostPort": "localhost:1234",
			}},
		},
	}))
	if !strings.Contains(got, `"host":"localhost"`) || !strings.Contains(got, `"port":"1234"`) {
		t.Errorf("converted: %s", got)
	}
}

func TestWithoutCertificate(t *testing.T) {
	var stderr bytes.Buffer
	p := &program.Process{Args: []string{"webhook", "--tls-cert-file=/absent"}, FS: program.NewFS(t.TempDir()), Stderr: &stderr}
	if code := Commands()["webhook"](t.Context(), p); code != 1 || !strings.Contains(stderr.String(), "/absent") {
		t.Errorf("code %d: %s", code, &stderr)
	}
}

// TestHealth asks as the kubelet's probe by gRPC does.
func TestHealth(t *testing.T) {
	at := make(chan string, 1)
	signals := make(chan program.Signal, 1)
	p := &program.Process{
		Args: []string{"grpc-health-checking", "--port=5000"}, PID: 1, FS: program.NewFS(t.TempDir()),
		Net: programtest.Loopback{At: at}, Stdout: io.Discard, Stderr: io.Discard, Signals: signals,
	}
	ended := make(chan int, 1)
	go func() { ended <- Commands()[p.Args[0]](t.Context(), p) }()
	conn, err := grpc.NewClient(<-at, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	client := grpc_health_v1.NewHealthClient(conn)
	res, err := client.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{})
	if err != nil || res.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Errorf("%v, %v", res, err)
	}
	if _, err := client.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: "other"}); status.Code(err) != codes.NotFound {
		t.Errorf("another service: %v", err)
	}
	signals <- program.SIGTERM
	if code := <-ended; code != 0 {
		t.Errorf("ended with %d", code)
	}
}
