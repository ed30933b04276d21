package controlplane

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	certutil "k8s.io/client-go/util/cert"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/programtest"
)

// withAddress is a network without an address of its own.
type withAddress struct{ programtest.Loopback }

func (withAddress) IPs() []net.IP { return nil }

// TestPastThePod: what would reach the process's files, network or variables is refused before anything is done.
func TestPastThePod(t *testing.T) {
	root := t.TempDir()
	ca, _, err := certutil.GenerateSelfSignedCertKey("ca", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	for file, text := range map[string]string{
		serviceAccount + "token": "secret", serviceAccount + "ca.crt": string(ca),
		"kubeconfig.yaml": head + "clientConnection: {kubeconfig: /etc/kubernetes/admin.conf}\n",
		"file.yaml":       head + "extenders: [{urlPrefix: 'file:///etc/passwd', filterVerb: x}]\n",
		"ca.yaml":         head + "extenders: [{urlPrefix: 'https://10.0.0.1', filterVerb: x, tlsConfig: {caFile: /../../../../etc/passwd}}]\n",
		"many.yaml":       head + "extenders: [" + strings.Repeat("{urlPrefix: 'http://10.0.0.1', filterVerb: x},", 1000) + "]\n",
	} {
		file = filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		run  program.Program
		args []string
		says string
	}{
		"the process's kubeconfig":        {kubeScheduler(nil), []string{"--kubeconfig=/etc/kubernetes/admin.conf"}, "--kubeconfig"},
		"and in the configuration":        {kubeScheduler(nil), []string{"--config=/kubeconfig.yaml"}, "clientConnection.kubeconfig"},
		"a file is written":               {kubeScheduler(nil), []string{"--write-config-to=/etc/cron.d/x"}, "--write-config-to"},
		"gates of the process":            {kubeScheduler(nil), []string{"--feature-gates=AllAlpha=true"}, "--feature-gates"},
		"an extender that is a file":      {kubeScheduler(nil), []string{"--config=/file.yaml"}, "no address of HTTP"},
		"an extender's CA, not the pod's": {kubeScheduler(nil), []string{"--config=/ca.yaml"}, "no such file"},
		"more extenders than anybody has": {kubeScheduler(nil), []string{"--config=/many.yaml"}, "too many"},
		"the process's files":             {kubeScheduler(nil), []string{"--config=/../../../../etc/passwd"}, "no such file"},
		"audit to a file":                 {sampleAPIServer, []string{"--audit-log-path=/etc/cron.d/x"}, "--audit-log-path"},
		"an audit policy":                 {sampleAPIServer, []string{"--audit-policy-file=/etc/passwd"}, "--audit-policy-file"},
		"a store by another way":          {sampleAPIServer, []string{"--etcd-servers-overrides=/flunders#buntdb://store-1"}, "--etcd-servers-overrides"},
		"certificates to a place":         {sampleAPIServer, []string{"--cert-dir=/etc"}, "--cert-dir"},
		"somebody else's identity":        {sampleAPIServer, []string{"--kubeconfig=/etc/kubernetes/admin.conf"}, "--kubeconfig"},
		"egress of the process":           {sampleAPIServer, []string{"--egress-selector-config-file=/x"}, "--egress-selector-config-file"},
		"the process's certificate":       {sampleAPIServer, []string{"--tls-cert-file=/etc/passwd", "--tls-private-key-file=/etc/shadow"}, "serving certificate"},
	} {
		var stderr bytes.Buffer
		p := &program.Process{
			Args: append([]string{"component"}, c.args...), Dir: "/",
			Env: []string{"KUBERNETES_SERVICE_HOST=127.0.0.1", "KUBERNETES_SERVICE_PORT=1"},
			FS:  program.NewFS(root), Net: withAddress{}, Stdout: &stderr, Stderr: &stderr,
		}
		if code := c.run(t.Context(), p); code != 1 || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%s: code %d does not say %q: %.300s", name, code, c.says, &stderr)
		}
	}
}
