package configuration_test

import (
	"bytes"
	"flag"
	"fmt"
	"strings"
	"testing"

	"k8s.io/klog/v2"
)

// verbosity is upstream's "debug level": above it requests are logged whole, by whoever asked for that.
const verbosity = "4"

// telling is what tells of the cluster while a test runs: the trace with its differences, and what the process logs.
type telling struct{ log func() string }

// listen begins to keep what is told.
func listen(t *testing.T) *telling {
	t.Helper()
	view := bus.View(true) // so that differences are kept, too
	t.Cleanup(view.Close)
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	klog.InitFlags(flags)
	before := flags.Lookup("v").Value.String()
	if err := flags.Set("v", verbosity); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := flags.Set("v", before); err != nil {
			t.Error(err)
		}
	})
	return &telling{log: loggedTo(t)}
}

// holdNone holds that none of what only the configuration's files may say is told or audited, or can be asked for.
func (l *telling) holdNone(t *testing.T, secrets ...string) {
	t.Helper()
	lines, _, _, _ := running.Audit().Since(0)
	asked := kubectl(t, "kubectl get all,configmaps,secrets,events,leases,csr -A -o json --show-managed-fields; kubectl get --raw /metrics; kubectl cluster-info dump -A")
	for _, secret := range secrets {
		l.toldNone(t, "what is configured", secret)
		if strings.Contains(asked, secret) {
			t.Errorf("kubectl is given %s", secret)
		}
		if bytes.Contains(bytes.Join(lines, nil), []byte(secret)) {
			t.Errorf("the audit has %s", secret)
		}
	}
}

// toldNone holds that a secret is in no step of the trace and in no line of the log.
func (l *telling) toldNone(t *testing.T, of, secret string) {
	t.Helper()
	steps, _ := bus.All()
	for i := range steps {
		// What is exported, what the page is told, and what is held.
		if text := string(steps[i].JSON(true)) + string(steps[i].BriefJSON()) + fmt.Sprintf("%+v", steps[i]); strings.Contains(text, secret) {
			t.Errorf("the trace has a secret of %s: %s", of, text)
		}
	}
	log := l.log()
	if !strings.Contains(log, "] ") {
		t.Error("nothing was logged: nothing was tried")
	}
	for line := range strings.Lines(log) {
		if strings.Contains(line, secret) {
			t.Errorf("the log has a secret of %s: %s", of, line)
		}
	}
}
