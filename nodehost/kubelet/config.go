package kubelet

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
)

// Options are what differs between one machine's kubelet and another's.
type Options struct {
	// Dir is the kubelet's root directory; its certificates are in pki below it.
	Dir string
	// Bootstrap and Kubeconfig are files: the first has the token, the second is written by the
	// kubelet once it has a certificate, and read from then on.
	Bootstrap, Kubeconfig string
	// CAFile is the cluster's CA, PEM.
	CAFile string
	// Name is the Node's, IP its address in the machine's network, Port the kubelet's on loopback.
	Name string
	IP   netip.Addr
	Port int
	// Labels and Taints are those that the Node registers with.
	Labels map[string]string
	Taints []corev1.Taint
	// Endpoint is the container runtime's, ImageEndpoint that of its images.
	Endpoint, ImageEndpoint string
	// CgroupDriver is "cgroupfs" or "systemd", CgroupRoot the group below which pods are.
	CgroupDriver, CgroupRoot string
	// DNS are the name servers of pods; DNSDomain is the cluster's domain.
	DNS       []netip.Addr
	DNSDomain string
	// ResolvConf is the file that pods with dnsPolicy Default see.
	ResolvConf string
	// MaxPods is upstream's 110 if it is 0.
	MaxPods int32
	// File has a KubeletConfiguration, of which all counts but what is set here; empty is upstream's defaults.
	File string
	// EvictionHard are the thresholds for evicting pods, as quantities or percentages by their signal
	// ("nodefs.available": "10%"); nil is File's, or upstream's.
	EvictionHard map[string]string
}

// CheckEvictionHard says what is wrong with thresholds, as upstream's kubelet would when it starts.
func CheckEvictionHard(thresholds map[string]string) error {
	_, err := eviction.ParseThresholdConfig(nil, thresholds, nil, nil, nil)
	return err
}

// configuration is the whole of it: upstream's defaults, and what is different here, with the reason.
func configuration(o Options) (*options.KubeletServer, error) {
	if !o.IP.IsValid() {
		return nil, errors.New("configure the kubelet: the node has no address")
	}
	s, err := options.NewKubeletServer()
	if err != nil {
		return nil, fmt.Errorf("configure the kubelet: %w", err)
	}
	// Upstream fills these in only where it reads a configuration file (cmd/kubelet/app, loadConfigFile).
	s.EvictionHard = maps.Clone(eviction.DefaultEvictionHard)
	if o.File != "" {
		file, err := fromFile(o.File)
		if err != nil {
			return nil, err
		}
		s.KubeletConfiguration = *file
	}
	if o.EvictionHard != nil {
		s.EvictionHard = maps.Clone(o.EvictionHard)
	}
	s.HostnameOverride = o.Name
	s.NodeIP = o.IP.String()
	s.BootstrapKubeconfig, s.KubeConfig = o.Bootstrap, o.Kubeconfig
	s.RootDirectory = o.Dir
	s.CertDirectory = filepath.Join(o.Dir, "pki")
	s.PodLogsDir = PodLogs(o.Dir)
	s.VolumePluginDir = filepath.Join(o.Dir, "volume-plugins")
	s.KubeletFlags.NodeLabels = o.Labels
	s.RegisterWithTaints = o.Taints
	s.ContainerRuntimeEndpoint, s.ImageServiceEndpoint = o.Endpoint, o.ImageEndpoint
	if o.MaxPods > 0 {
		s.MaxPods = o.MaxPods
	}
	for _, ip := range o.DNS {
		s.ClusterDNS = append(s.ClusterDNS, ip.String())
	}
	s.ClusterDomain = o.DNSDomain
	if o.ResolvConf != "" {
		s.ResolverConfig = o.ResolvConf
	}

	// The server is for the apiserver alone, which comes through the tunnel to loopback; who it is, is
	// in its client certificate. These are the defaults of a configuration file; the flags' are weaker.
	s.Address = "127.0.0.1"
	s.Port = int32(o.Port)
	s.ReadOnlyPort = 0
	s.HealthzPort = 0
	s.Authentication.Anonymous.Enabled = false
	s.Authentication.Webhook.Enabled = true
	s.Authentication.X509.ClientCAFile = o.CAFile
	s.Authorization.Mode = kubeletconfig.KubeletAuthorizationModeWebhook
	s.RotateCertificates = true
	s.ServerTLSBootstrap = true

	// The machine may have cgroup v1, and swap: both are its owner's business.
	s.FailCgroupV1 = false
	s.FailSwapOn = false
	s.CgroupDriver = o.CgroupDriver
	s.CgroupRoot = o.CgroupRoot
	if o.CgroupDriver == "systemd" {
		s.CgroupRoot = "/" // systemd has names for slices, not paths of ours
	}
	// kube-proxy's rules are enough.
	s.MakeIPTablesUtilChains = false
	s.EnableSystemLogHandler = false // it would serve the machine's /var/log

	if err := options.ValidateKubeletServer(s); err != nil {
		if o.File != "" {
			err = fmt.Errorf("%w; look at %q", err, o.File)
		}
		return nil, fmt.Errorf("configure the kubelet: %w", err)
	}
	return s, nil
}

// MachineDirs are where every kubelet keeps the socket of its device plugins, and links to its
// containers' logs, whatever its root.
var MachineDirs = []string{"/var/lib/kubelet", LinksDir}

// LinksDir has a link to each container's log.
const LinksDir = "/var/log/containers"

// PodLogs is where the logs are.
func PodLogs(dir string) string { return filepath.Join(dir, "pod-logs") }

// ServerCert is where the kubelet keeps its current serving certificate and key, in one file.
func ServerCert(dir string) string { return filepath.Join(dir, "pki", "kubelet-server-current.pem") }

// ClientCert is where the kubelet keeps its current client certificate and key, in one file.
func ClientCert(dir string) string { return filepath.Join(dir, "pki", "kubelet-client-current.pem") }

// taintText is "key=value:Effect".
func taintText(t corev1.Taint) string {
	return strings.TrimSuffix(t.Key+"="+t.Value, "=") + ":" + string(t.Effect)
}
