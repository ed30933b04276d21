package kubelet

import (
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

func TestFilesThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{":                                    "KubeletConfiguration: ",
		"apiVersion: v1\nkind: Pod\n":          "KubeletConfiguration: ",
		header + "shutdownGracePeriod: soon\n": "KubeletConfiguration: ",
		header + "shutdownGracePeriod: 5s\nshutdownGracePeriodCriticalPods: 6s\n": "shutdownGracePeriodCriticalPods",
		header + "address: 0.0.0.0\nport: 80\n":                                   "an in-tab node does not take address, port; it takes shutdownGracePeriod, ",
		header + "staticPodURL: http://evil.example\n":                            "does not take staticPodURL",
		header + "featureGates: {NoSuch: true}\n":                                 "does not take featureGates",
		header + "shutdownGracePeriods: 5s\n":                                     "does not take shutdownGracePeriods",
	} {
		if err := CheckFile([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, field := range taken[2:] { // upstream knows them
		if err := CheckFile([]byte(header + field + ": null\n")); err != nil && !strings.Contains(err.Error(), "invalid duration") {
			t.Errorf("%s: %v", field, err)
		}
	}
}
