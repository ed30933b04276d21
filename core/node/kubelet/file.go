package kubelet

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"

	"github.com/tabernetes/tabernetes/core/node/kubeletfile"
)

// taken are the fields of a KubeletConfiguration that an in-tab node's owner may set: those that have their effect
// there. The others are the node's own (addresses, certificates, runtime, network), or of the whole process (feature
// gates), or want a kernel.
var taken = []string{
	"apiVersion", "kind",
	"shutdownGracePeriod", "shutdownGracePeriodCriticalPods", "shutdownGracePeriodByPodPriority",
	"nodeStatusUpdateFrequency", "nodeStatusReportFrequency", "nodeLeaseDurationSeconds", "nodeStatusMaxImages",
	"syncFrequency", "fileCheckFrequency", "volumeStatsAggPeriod",
	"containerLogMaxSize", "containerLogMaxFiles", "containerLogMonitorInterval",
	"imageMinimumGCAge", "imageMaximumGCAge", "imageGCHighThresholdPercent", "imageGCLowThresholdPercent",
	"cpuManagerPolicy", "cpuManagerPolicyOptions", "cpuManagerReconcilePeriod", "reservedSystemCPUs", "kubeReserved", "systemReserved",
	"topologyManagerPolicy", "topologyManagerScope",
	"evictionHard", "evictionSoft", "evictionSoftGracePeriod", "evictionMinimumReclaim", "mergeDefaultEvictionSettings",
	"evictionPressureTransitionPeriod", "evictionMaxPodGracePeriod",
	"maxPods", "podsPerCore", "registerWithTaints", "cpuCFSQuota",
	"allowedUnsafeSysctls", "crashLoopBackOff", "eventRecordQPS", "eventBurst",
}

// Fields are the fields of a KubeletConfiguration that an in-tab node takes.
func Fields() []string { return slices.Clone(taken) }

// The time that an in-tab node has to end its pods when it is shut down, of which the second is for critical ones.
// Upstream's default is none, and then a node that is shut down is as one whose power is cut.
const (
	shutdownGrace         = 30 * time.Second
	shutdownGraceCritical = 10 * time.Second
)

// fromFile is text, a KubeletConfiguration, with upstream's defaults.
func fromFile(text []byte) (*kubeletconfig.KubeletConfiguration, error) {
	fields, err := kubeletfile.Fields(text)
	if err != nil {
		return nil, err
	}
	fields = slices.DeleteFunc(fields, func(name string) bool { return slices.Contains(taken, name) })
	if len(fields) > 0 {
		return nil, fmt.Errorf("an in-tab node does not take %.500s; it takes %s", strings.Join(fields, ", "), strings.Join(taken[2:], ", "))
	}
	config, err := kubeletfile.Decode(text)
	if err != nil {
		return nil, err
	}
	// Upstream's own validation counts a range out, number by number.
	if list := config.ReservedSystemCPUs; len(list) > 1000 || longNumber.MatchString(list) {
		return nil, fmt.Errorf("reservedSystemCPUs: %.100q is no list of processors", list)
	}
	return config, nil
}

// longNumber is of more processors than a node has.
var longNumber = regexp.MustCompile(`\d{5}`)

// withGrace gives a node time to shut down, where its file says nothing of that.
func withGrace(c *kubeletconfig.KubeletConfiguration, file []byte) {
	if says(file, "shutdownGracePeriod", "shutdownGracePeriodCriticalPods", "shutdownGracePeriodByPodPriority") {
		return
	}
	c.ShutdownGracePeriod = metav1.Duration{Duration: shutdownGrace}
	c.ShutdownGracePeriodCriticalPods = metav1.Duration{Duration: shutdownGraceCritical}
}

// says says whether a file has one of the fields.
func says(file []byte, names ...string) bool {
	fields, _ := kubeletfile.Fields(file)
	return slices.ContainsFunc(fields, func(name string) bool { return slices.Contains(names, name) })
}

// Size is how large a node is.
type Size struct {
	Cores                              int
	MemoryBytes, EphemeralStorageBytes int64
}

// CheckFile says what is wrong with a KubeletConfiguration of in-tab nodes of that size.
func CheckFile(text []byte, of Size) error {
	o := Options{
		Name: "node", IP: netip.MustParseAddr("172.30.0.11"), Port: 10250, RootDir: "/", Pods: 1, File: text,
		Cores: of.Cores, MemoryBytes: of.MemoryBytes, EphemeralStorageBytes: of.EphemeralStorageBytes,
	}
	s, err := configuration(o)
	if err != nil {
		return err
	}
	if _, _, err := machine(o, s, nil); err != nil {
		return fmt.Errorf("KubeletConfiguration: %w", err)
	}
	return nil
}
