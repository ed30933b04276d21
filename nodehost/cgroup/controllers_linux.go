package cgroup

import (
	"fmt"
	"os"
	"strings"

	"github.com/opencontainers/cgroups"
)

// Controllers are those that the machine offers, in whatever version.
func Controllers() (map[string]bool, error) {
	have := map[string]bool{}
	if cgroups.IsCgroup2UnifiedMode() {
		b, err := os.ReadFile("/sys/fs/cgroup/cgroup.controllers")
		if err != nil {
			return nil, fmt.Errorf("read the control groups: %w", err)
		}
		for _, c := range strings.Fields(string(b)) {
			have[c] = true
		}
		return have, nil
	}
	mounts, err := cgroups.GetCgroupMounts(false)
	if err != nil {
		return nil, fmt.Errorf("read the control groups: %w", err)
	}
	for _, m := range mounts {
		for _, c := range m.Subsystems {
			have[c] = true
		}
	}
	return have, nil
}
