package kubelet

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/eviction"

	"github.com/tabernetes/tabernetes/core/node/kubeletfile"
)

// maxFile bounds a KubeletConfiguration, in bytes: one with every field has some ten thousand.
const maxFile = 1 << 20

// decided are the fields of a KubeletConfiguration that are not the machine's owner's, with who needs them as
// they are.
var decided = func() map[string]string {
	m := map[string]string{}
	for why, fields := range map[string][]string{
		"the cluster reaches the kubelet through the tunnel only, on loopback": {
			"address", "port", "readOnlyPort", "healthzPort", "healthzBindAddress", "enableServer", "enableSystemLogHandler",
		},
		"who asks the kubelet is known by the cluster's certificates": {
			"authentication", "authorization", "tlsCertFile", "tlsPrivateKeyFile", "rotateCertificates", "serverTLSBootstrap",
		},
		"it belongs to this node's runtime and control groups": {
			"containerRuntimeEndpoint", "imageServiceEndpoint", "cgroupDriver", "cgroupRoot", "cgroupsPerQOS", "podLogsDir", "volumePluginDir",
		},
		"it belongs to the pods' network of this node": {
			"clusterDNS", "clusterDomain", "resolvConf", "podCIDR", "makeIPTablesUtilChains", "hairpinMode",
		},
		"the machine may have cgroup v1 and swap":                {"failSwapOn", "failCgroupV1"},
		"the cluster decides it (--node-labels, --mix)":          {"registerNode", "registerWithTaints"},
		"pods come from the cluster, or from staticPodPath":      {"staticPodURL", "staticPodURLHeader"},
		"the node's programs have one log, which nodehost keeps": {"logging"},
	} {
		for _, f := range fields {
			m[f] = why
		}
	}
	return m
}()

// CheckFile says what is wrong with a KubeletConfiguration in a file, as the kubelet would when it starts; path is
// absolute. cgroupDriver is the machine's.
func CheckFile(path, cgroupDriver string) error {
	_, err := configuration(Options{
		File: path, Name: "node", IP: netip.IPv4Unspecified(), Dir: "/", Port: 10250, Endpoint: "unix:///run/x.sock",
		CgroupDriver: cgroupDriver, CgroupRoot: "/", CAFile: "/ca.crt",
	})
	return err
}

// fromFile is a KubeletConfiguration (kubelet.config.k8s.io/v1beta1) with upstream's defaults, as upstream's
// kubelet reads it (cmd/kubelet/app, loadConfigFile). A field that upstream does not know, or that the node
// decides itself, is an error.
func fromFile(path string) (*kubeletconfig.KubeletConfiguration, error) {
	fail := func(err error) (*kubeletconfig.KubeletConfiguration, error) {
		return nil, fmt.Errorf("read the kubelet's configuration from %q: %w", path, err)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fail(errors.Unwrap(err))
	case info.Mode().Type() != 0:
		return fail(errors.New("it is not a regular file"))
	case info.Size() > maxFile:
		return fail(fmt.Errorf("it has %d bytes, and %d are the most", info.Size(), maxFile))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return fail(err)
	}
	fields, err := kubeletfile.Fields(text)
	if err != nil {
		return fail(err)
	}
	var refused []string
	for _, field := range fields {
		if why, ok := decided[field]; ok {
			refused = append(refused, fmt.Sprintf("%s (%s)", field, why))
		}
	}
	if refused != nil {
		return fail(fmt.Errorf("leave out what the node decides itself: %s", strings.Join(refused, ", ")))
	}
	config, err := kubeletfile.Decode(text)
	if err != nil {
		return fail(err)
	}
	for _, p := range kubeletconfig.KubeletConfigurationPathRefs(config) {
		if *p != "" && !filepath.IsAbs(*p) {
			*p = filepath.Join(filepath.Dir(path), *p)
		}
	}
	if config.EvictionHard == nil {
		config.EvictionHard = maps.Clone(eviction.DefaultEvictionHard)
	} else if config.MergeDefaultEvictionSettings {
		merged := maps.Clone(eviction.DefaultEvictionHard)
		maps.Copy(merged, config.EvictionHard)
		config.EvictionHard = merged
	}
	return config, nil
}
