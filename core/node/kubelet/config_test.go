package kubelet

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
)

func testOptions(t *testing.T) Options {
	return Options{
		Name: "node-1", IP: netip.MustParseAddr("172.30.0.11"), Port: 10250, RootDir: t.TempDir(),
		Cores: 4, MemoryBytes: 8 << 30, EphemeralStorageBytes: 32 << 30, Pods: 7,
		ServingCert: []byte("cert"), ServingKey: []byte("key"), ClientCA: []byte("ca"),
		ClusterDNS: []netip.Addr{netip.MustParseAddr("10.96.0.10")}, ClusterDomain: "cluster.local",
	}
}

// What must never slip back to upstream's default: the flags' defaults let
// anyone in, and some settings would change the machine below.
func TestConfiguration(t *testing.T) {
	o := testOptions(t)
	s, err := configuration(o) // validated by upstream's ValidateKubeletServer
	if err != nil {
		t.Fatal(err)
	}
	if s.Authentication.Anonymous.Enabled || !s.Authentication.Webhook.Enabled ||
		s.Authorization.Mode != kubeletconfig.KubeletAuthorizationModeWebhook || s.ReadOnlyPort != 0 {
		t.Errorf("the server is open: %+v %+v read-only port %d", s.Authentication, s.Authorization, s.ReadOnlyPort)
	}
	if s.MakeIPTablesUtilChains || s.CgroupsPerQOS || s.ProtectKernelDefaults || s.EnableSystemLogHandler {
		t.Error("the machine below would be touched")
	}
	for name, path := range map[string]string{
		"root": s.RootDirectory, "certificates": s.CertDirectory, "pod logs": s.PodLogsDir, "static pods": s.StaticPodPath,
		"resolv.conf": s.ResolverConfig, "client CA": s.Authentication.X509.ClientCAFile, "key": s.TLSPrivateKeyFile,
	} {
		if !strings.HasPrefix(path, o.RootDir+"/") {
			t.Errorf("%s is outside of the node's root: %s", name, path)
		}
	}
	if s.MaxPods != 7 || s.Address != "172.30.0.11" || s.ProviderID != "tab://node-1" || s.ClusterDNS[0] != "10.96.0.10" {
		t.Errorf("options did not reach the configuration: %+v", s)
	}
}

func TestFilesAreReplacedAndTheKeyIsPrivate(t *testing.T) {
	o := testOptions(t)
	for _, key := range []string{"first", "second"} {
		o.ServingKey = []byte(key)
		if err := writeFiles(o); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := os.ReadFile(o.keyFile()); string(got) != "second" {
		t.Errorf("key = %q", got)
	}
	if info, err := os.Stat(o.keyFile()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key: %v, %v", info.Mode(), err)
	}
	if got, _ := os.ReadFile(filepath.Join(o.RootDir, "etc/hosts")); !strings.Contains(string(got), "172.30.0.11\tnode-1") {
		t.Errorf("hosts = %q", got)
	}
}

// TestResolvConfStays: what somebody has written there is what pods with dnsPolicy Default get, after the node was
// started again, too.
func TestResolvConfStays(t *testing.T) {
	o := testOptions(t)
	for range 2 {
		if err := writeFiles(o); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := os.ReadFile(o.resolvConf()); string(got) != resolvConfText {
		t.Errorf("it says %q", got)
	}
	const own = "nameserver 10.96.0.10\n"
	if err := os.WriteFile(o.resolvConf(), []byte(own), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeFiles(o); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(o.resolvConf()); string(got) != own {
		t.Errorf("it says %q", got)
	}
	// A pod with a hostPath may put a link there: nothing is written where it leads.
	outside := filepath.Join(t.TempDir(), "outside")
	if err := errors.Join(os.Remove(o.resolvConf()), os.Symlink(outside, o.resolvConf()), writeFiles(o)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(outside); !os.IsNotExist(err) {
		t.Errorf("a link was followed: %v", err)
	}
}
