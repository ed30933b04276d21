package kubelet

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
)

// configuration is the kubelet's whole configuration: upstream's defaults, what the owner's file
// says, then what an in-tab node differs in, with the reason.
func configuration(o Options) (*options.KubeletServer, error) {
	s, err := options.NewKubeletServer()
	if err != nil {
		return nil, fmt.Errorf("kubelet defaults: %w", err)
	}
	if len(o.File) > 0 {
		file, err := fromFile(o.File)
		if err != nil {
			return nil, fmt.Errorf("KubeletConfiguration: %w", err)
		}
		s.KubeletConfiguration = *file
	}
	withGrace(&s.KubeletConfiguration, o.File)
	withThresholds(&s.KubeletConfiguration)

	s.HostnameOverride = o.Name
	s.NodeIP = o.IP.String()
	s.RootDirectory = o.kubeletDir()
	s.CertDirectory = o.pkiDir()
	s.KubeletFlags.NodeLabels = o.Labels
	s.MinimumGCAge = metav1.Duration{Duration: time.Minute} // time to read a dead container's log
	s.ProviderID = "tab://" + o.Name
	s.RegisterWithTaints = append(s.RegisterWithTaints, o.Taints...)
	if !says(o.File, "maxPods") {
		s.MaxPods = o.Pods
	}
	s.PodLogsDir = o.podLogsDir()
	s.StaticPodPath = o.manifestsDir() // where kubeadm has it
	s.ResolverConfig = o.resolvConf()
	s.ClusterDomain = o.ClusterDomain
	for _, ip := range o.ClusterDNS {
		s.ClusterDNS = append(s.ClusterDNS, ip.String())
	}

	// The server: HTTPS on the node's own address only, authenticated by client
	// certificate or TokenReview, authorized by SubjectAccessReview. These are
	// the defaults of the configuration file; the flags' are weaker.
	s.Address = o.IP.String()
	s.Port = o.Port
	s.ReadOnlyPort = 0
	s.HealthzPort = 0
	s.Authentication.Anonymous.Enabled = false
	s.Authentication.Webhook.Enabled = true
	s.Authentication.X509.ClientCAFile = o.clientCAFile()
	s.Authorization.Mode = kubeletconfig.KubeletAuthorizationModeWebhook
	s.TLSCertFile, s.TLSPrivateKeyFile = o.certFile(), o.keyFile()
	s.EnableSystemLogHandler = false // it would serve /var/log of the machine below

	// What the machine below must not feel, or does not have: cgroups, iptables,
	// swap, a runtime behind a socket.
	s.CgroupsPerQOS = false
	s.EnforceNodeAllocatable = nil
	s.FailCgroupV1 = false
	s.FailSwapOn = false
	s.MakeIPTablesUtilChains = false
	s.ContainerRuntimeEndpoint = "in-process://" + o.Name

	// Images come out of memory: no registry has to be spared.
	s.SerializeImagePulls = false
	s.RegistryPullQPS = 0

	if err := options.ValidateKubeletServer(s); err != nil {
		return nil, fmt.Errorf("KubeletConfiguration: %w", err)
	}
	return s, nil
}
