package configuration_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	core "github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/tunnel"

	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// TestOutside: a webhook outside of the cluster is asked by the hub, once the owner has named its address; without either, the
// one whom it refuses reads what is missing. What is named no more is reached no more, on connections that stand either.
func TestOutside(t *testing.T) {
	configure(t, nil)
	hook := httptest.NewTLSServer(http.HandlerFunc(reviewAdmission))
	defer hook.Close()
	const address = "example.com:8443" // a name that the test's certificate has
	kubectl(t, "kubectl create namespace outside && kubectl apply -f - <<'E'\n"+fmt.Sprintf(`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "outside"}, "webhooks": [{
"name": "outside.example.com", "clientConfig": {"url": "https://%s/validate", "caBundle": %q}, "failurePolicy": "Fail", "sideEffects": "None", "admissionReviewVersions": ["v1"],
"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "outside"}}, "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}]}]}`,
		address, base64.StdEncoding.EncodeToString([]byte(caPEM(hook))))+"\nE")
	t.Cleanup(func() {
		var out bytes.Buffer
		term.Session("test").Run(context.Background(), "kubectl delete validatingwebhookconfiguration/outside namespace/outside --wait=false", core.Streams{Stdout: &out, Stderr: &out})
	})
	asks := func(when, want string) {
		t.Helper()
		// A configuration of webhooks comes into force a moment after it is made.
		eventually.True(t, when, func() bool {
			ctx := t.Context()
			return strings.Contains(said(ctx, "kubectl create configmap refuse -n outside --dry-run=server"), want)
		})
	}
	asks("nothing is named", `name "example.com:8443" in the configuration's outside.addresses`)

	for text, want := range map[string]string{
		"https://example.com:8443\n": `outside.addresses, line 1: "https://example.com:8443" is no address outside`,
		"# ours\n\nexample.com\n":    "outside.addresses, line 3",
		strings.Repeat("a:1\n", 40):  "40 addresses are too many",
	} {
		if _, err := running.Configure(t.Context(), configuration.Files{configuration.Outside: []byte(text)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v", text, err)
		}
	}
	did := configure(t, configuration.Files{configuration.Outside: []byte("# ours\nExample.com:8443\n")})
	if len(did.Restarted) > 0 || len(did.Reloaded) != 1 {
		t.Errorf("naming an address did %+v", did)
	}
	asks("there is no hub", "this cluster is on no hub")

	var refusal error
	streams := make(chan net.Conn, 100)
	end := running.LeadOutside(func(h tunnel.Header) (net.Conn, error) {
		if h.Kind != tunnel.KindOutside || h.Target != address {
			t.Errorf("the hub is asked for %+v", h)
		}
		if refusal != nil {
			return nil, refusal
		}
		conn, err := net.Dial("tcp", hook.Listener.Addr().String())
		if err == nil {
			streams <- conn
		}
		return conn, err
	})
	defer end()
	refusal = errors.New("the hub does not lead to example.com:8443")
	asks("the hub was told nothing", "the hub does not lead to example.com:8443")
	refusal = nil
	asks("the hub leads there", "the hook refuses")
	if len(streams) == 0 {
		t.Fatal("nothing went by the hub")
	}

	configure(t, nil)
	asks("it is named no more", `name "example.com:8443" in the configuration's outside.addresses`)
	close(streams)
	for conn := range streams {
		if _, err := conn.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a connection to what is named no more is open: %v", err)
		}
	}
}
