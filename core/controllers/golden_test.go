package controllers

import (
	"embed"
	"testing"

	"github.com/tabernetes/tabernetes/scripts/golden"
)

//go:embed testdata
var testdata embed.FS

// TestGoldenArgs: the whole command line of kube-controller-manager.
func TestGoldenArgs(t *testing.T) {
	o := Options{
		Kubeconfig: "/cluster/kube-controller-manager.conf", ClusterCIDR: "10.244.0.0/16", NodeCIDRMaskSize: 24, ServiceCIDR: "10.96.0.0/16",
		FlexVolumeDir: "/cluster/flexvolume", CA: "/keys/ca.crt", CAKey: "/keys/ca.key", ServiceAccountKey: "/keys/sa.key",
		HealthCert: "/keys/health.crt", HealthKey: "/keys/health.key", ExtraArgs: []string{"--v=0"},
	}
	golden.Check(t, testdata, "args", golden.Lines(o.Args()))
}
