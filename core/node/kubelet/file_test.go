package kubelet

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const header = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"

func TestAFileOfTheOwners(t *testing.T) {
	o := testOptions(t)
	s, err := configuration(o)
	if err != nil {
		t.Fatal(err)
	}
	if s.ShutdownGracePeriod.Duration != 30*time.Second || s.ShutdownGracePeriodCriticalPods.Duration != 10*time.Second {
		t.Errorf("without a file: %v, %v", s.ShutdownGracePeriod, s.ShutdownGracePeriodCriticalPods)
	}
	o.File = []byte(header + "shutdownGracePeriod: 7s\ncontainerLogMaxFiles: 9\n")
	if s, err = configuration(o); err != nil {
		t.Fatal(err)
	}
	if s.ShutdownGracePeriod.Duration != 7*time.Second || s.ShutdownGracePeriodCriticalPods.Duration != 0 || s.ContainerLogMaxFiles != 9 || s.Address != o.IP.String() || s.FailSwapOn {
		t.Errorf("%+v", s.KubeletConfiguration)
	}
	o.File = []byte(header + "shutdownGracePeriodByPodPriority: [{priority: 0, shutdownGracePeriodSeconds: 3}, {priority: 1000, shutdownGracePeriodSeconds: 4}]\n")
	if s, err = configuration(o); err != nil || s.ShutdownGracePeriod.Duration != 0 || len(s.ShutdownGracePeriodByPodPriority) != 2 {
		t.Errorf("%+v, %v", s.ShutdownGracePeriodByPodPriority, err)
	}
}

var ofFour = Size{Cores: 4, MemoryBytes: 8 << 30, EphemeralStorageBytes: 32 << 30}

// TestThresholdsOfTheOwners: they take the place of upstream's, which stay where the file asks for that or names none.
func TestThresholdsOfTheOwners(t *testing.T) {
	o := testOptions(t)
	o.Pods = 110
	for text, want := range map[string]string{
		"":             "map[imagefs.available:15% imagefs.inodesFree:5% memory.available:100Mi nodefs.available:10% nodefs.inodesFree:5%]",
		"maxPods: 7\n": "map[imagefs.available:15% imagefs.inodesFree:5% memory.available:100Mi nodefs.available:10% nodefs.inodesFree:5%]",
		"evictionHard: {memory.available: 1Gi}\n": "map[memory.available:1Gi]",
		"evictionHard: {}\n":                      "map[]",
		"evictionHard: {memory.available: 1Gi}\nmergeDefaultEvictionSettings: true\n": "map[imagefs.available:15% imagefs.inodesFree:5% memory.available:1Gi nodefs.available:10% nodefs.inodesFree:5%]",
	} {
		o.File = []byte(header + text)
		s, err := configuration(o)
		if err != nil || fmt.Sprint(s.EvictionHard) != want {
			t.Errorf("%q: %v, %v", text, s.EvictionHard, err)
		}
		if pods := s.MaxPods; strings.Contains(text, "maxPods") != (pods == 7) {
			t.Errorf("%q: %d pods", text, pods)
		}
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{":                                    "KubeletConfiguration: ",
		"apiVersion: v1\nkind: Pod\n":          "KubeletConfiguration: ",
		header + "shutdownGracePeriod: soon\n": "KubeletConfiguration: ",
		header + "shutdownGracePeriod: 5s\nshutdownGracePeriodCriticalPods: 6s\n":                            "shutdownGracePeriodCriticalPods",
		header + "address: 0.0.0.0\nport: 80\n":                                                              "an in-tab node does not take address, port; it takes shutdownGracePeriod, ",
		header + "staticPodURL: http://evil.example\n":                                                       "does not take staticPodURL",
		header + "featureGates: {NoSuch: true}\n":                                                            "does not take featureGates",
		header + "cpuManagerPolicy: static\n":                                                                "reserved",
		header + "cpuManagerPolicy: mine\n":                                                                  "mine",
		header + "reservedSystemCPUs: 3-9\n":                                                                 "the node has the processors 0 to 3",
		header + "reservedSystemCPUs: 0-99999999999\n":                                                       "is no list of processors",
		header + "kubeReserved: {cpu: 5000m}\n":                                                              "and the node has 4",
		header + "evictionHard: {memory.available: 8Gi}\nkubeReserved: {memory: 1Ki}\n":                      "of memory are kept from pods",
		header + "evictionHard: {nodefs.available: 33Gi}\n":                                                  "33Gi of ephemeral-storage are kept from pods (kubeReserved, systemReserved, evictionHard), and the node has 32Gi",
		header + "evictionHard: {memory.available: '-1'}\n":                                                  "must be positive",
		header + "evictionHard: {memory.available: 101%}\n":                                                  "must be <= 100%",
		header + "evictionHard: {pid.available: 5%}\n":                                                       "evictionHard: an in-tab node has no signal \"pid.available\"; it has [imagefs.available ",
		header + "evictionMinimumReclaim: {'containerfs.available': 1Mi}\n":                                  "evictionMinimumReclaim: an in-tab node has no signal",
		header + "evictionSoft: {memory.available: 1Gi}\n":                                                   "grace period must be specified",
		header + "evictionSoft: {memory.available: 1Gi}\nevictionSoftGracePeriod: {memory.available: -5s}\n": "invalid eviction grace period",
		header + "maxPods: -1\n":                                                                             "maxPods",
		header + "maxPods: 99999999999999\n":                                                                 "KubeletConfiguration: ",
		header + "podsPerCore: -1\n":                                                                         "podsPerCore",
		header + "registerWithTaints: [{key: '*', effect: NoSchedule}]\n":                                    "invalid taint",
		header + "kubeReserved: {pid: '5'}\n":                                                                "cannot be kept from pods here",
		header + "systemReserved: {memory: -1Gi}\n":                                                          "is no amount of memory",
		header + "shutdownGracePeriods: 5s\n":                                                                "does not take shutdownGracePeriods",
	} {
		if err := CheckFile([]byte(text), ofFour); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := CheckFile([]byte(header+"cpuManagerPolicy: static\nreservedSystemCPUs: '0'\n"), ofFour); err != nil {
		t.Error(err)
	}
	for _, field := range taken[2:] { // upstream knows them
		if err := CheckFile([]byte(header+field+": null\n"), ofFour); err != nil && !strings.Contains(err.Error(), "invalid duration") {
			t.Errorf("%s: %v", field, err)
		}
	}
}
