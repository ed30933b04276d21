// Package cgroups is what the Linux files of upstream's kubelet find of control groups on an in-tab
// node. The overlay puts it in the place of github.com/opencontainers/cgroups, which reads the files
// of a Linux kernel. What a pod holds is bounded by core/program's own groups.
//
// It is imported by overlaid upstream files only, and imports the standard library only.
package cgroups

import "errors"

// errNone is what is said of files of the kernel.
var errNone = errors.New("an in-tab node has no control groups of a kernel")

// Mount is a place where a hierarchy is mounted.
type Mount struct {
	Mountpoint string
	Root       string
	Subsystems []string
}

// HugePageSizes are those of the kernel: there are none.
func HugePageSizes() []string { return nil }

// IsCgroup2UnifiedMode says that there is one hierarchy, as on every Linux of today.
func IsCgroup2UnifiedMode() bool { return true }

// ParseCgroupFile reads /proc/PID/cgroup, which there is none of.
func ParseCgroupFile(string) (map[string]string, error) { return nil, errNone }

// GetCgroupMounts lists the hierarchies of cgroup v1: none.
func GetCgroupMounts(bool) ([]Mount, error) { return nil, errNone }

// GetAllSubsystems lists the controllers: none.
func GetAllSubsystems() ([]string, error) { return nil, errNone }
