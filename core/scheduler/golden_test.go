package scheduler

import (
	"embed"
	"os"
	"path/filepath"
	"testing"

	"github.com/tabernetes/tabernetes/scripts/golden"
)

//go:embed testdata
var testdata embed.FS

// TestGoldenArgs: the whole command line of kube-scheduler, and the file that it names.
func TestGoldenArgs(t *testing.T) {
	o := Options{
		Kubeconfig: "/cluster/kube-scheduler.conf", ConfigPath: "/cluster/scheduler-config.yaml", CA: "/keys/ca.crt",
		HealthCert: "/keys/health.crt", HealthKey: "/keys/health.key", ExtraArgs: []string{"--v=0"},
	}
	golden.Check(t, testdata, "args", golden.Lines(o.Args()))
	for name, config := range map[string]string{
		"config.yaml": "", "config-given.yaml": "profiles: [{schedulerName: mine}]\nclientConnection: {qps: 1}\nleaderElection: {leaderElect: true}\n",
	} {
		o.ConfigPath, o.Config = filepath.Join(t.TempDir(), "config"), []byte(config)
		if _, err := o.writeConfig(t.Context()); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(o.ConfigPath)
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, testdata, name, string(b))
	}
}
