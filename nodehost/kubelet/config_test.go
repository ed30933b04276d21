package kubelet

import (
	"maps"
	"net/netip"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func onMachine(driver string) Options {
	return Options{
		Dir: "/node/kubelet", Bootstrap: "/node/bootstrap", Kubeconfig: "/node/conf", CAFile: "/node/ca.crt",
		Name: "alpha", IP: netip.MustParseAddr("192.0.2.7"), Port: 10250, Endpoint: "unix:///run/x.sock",
		CgroupDriver: driver, CgroupRoot: "/tabernetes", DNS: []netip.Addr{netip.MustParseAddr("169.254.20.10")}, DNSDomain: "cluster.local",
		Taints: []corev1.Taint{{Key: "k", Value: "v", Effect: corev1.TaintEffectNoSchedule}},
	}
}

func TestWhatTheKubeletIsTold(t *testing.T) {
	s, err := configuration(onMachine("cgroupfs"))
	if err != nil {
		t.Fatal(err)
	}
	for what, wrong := range map[string]bool{
		"it listens beyond loopback":               s.Address != "127.0.0.1" || s.ReadOnlyPort != 0 || s.HealthzPort != 0,
		"anybody may ask it":                       s.Authentication.Anonymous.Enabled || s.Authorization.Mode != "Webhook" || s.Authentication.X509.ClientCAFile == "",
		"its certificates are not the cluster's":   !s.RotateCertificates || !s.ServerTLSBootstrap || s.TLSCertFile != "",
		"it has no token to begin with":            s.BootstrapKubeconfig != "/node/bootstrap" || s.KubeConfig != "/node/conf",
		"cgroup v1 is refused":                     s.FailCgroupV1,
		"its pods are not in the node's own group": s.CgroupRoot != "/tabernetes" || !s.CgroupsPerQOS,
		"files are outside of its directory":       !strings.HasPrefix(s.CertDirectory+s.PodLogsDir[:14]+s.VolumePluginDir, "/node/kubelet"),
		"pods ask another name server":             len(s.ClusterDNS) != 1 || s.ClusterDNS[0] != "169.254.20.10",
		"it makes rules in iptables":               s.MakeIPTablesUtilChains,
		"it never evicts":                          s.EvictionHard["nodefs.available"] != "10%" || s.EvictionHard["memory.available"] != "100Mi",
	} {
		if wrong {
			t.Error(what)
		}
	}
	if s, err = configuration(onMachine("systemd")); err != nil || s.CgroupRoot != "/" {
		t.Errorf("with systemd: %q, %v", s.CgroupRoot, err)
	}
	o := onMachine("cgroupfs")
	o.EvictionHard = map[string]string{"nodefs.available": "1Gi"}
	if s, err = configuration(o); err != nil || !maps.Equal(s.EvictionHard, o.EvictionHard) {
		t.Errorf("thresholds of its owner's: %v, %v", s.EvictionHard, err)
	}
	o.IP = netip.Addr{}
	if _, err := configuration(o); err == nil {
		t.Error("a node without an address")
	}
}

func TestCheckEvictionHard(t *testing.T) {
	for signal, quantity := range map[string]string{"disk": "10%", "nodefs.available": "much", "memory.available": "-1Gi", "imagefs.available": "101%"} {
		if err := CheckEvictionHard(map[string]string{signal: quantity}); err == nil {
			t.Errorf("%s<%s is taken for a threshold", signal, quantity)
		}
	}
	if err := CheckEvictionHard(map[string]string{"nodefs.available": "5%", "memory.available": "50Mi"}); err != nil {
		t.Error(err)
	}
}
