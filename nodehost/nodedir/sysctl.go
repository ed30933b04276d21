package nodedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// kubeletSysctls are what the kubelet sets for the whole machine
// (setupKernelTunables in k8s.io/kubernetes/pkg/kubelet/cm/container_manager_linux.go).
var kubeletSysctls = []string{
	"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
	"kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes",
}

// RememberSysctls keeps the machine's own settings, once.
func (s *State) RememberSysctls() {
	if s.Sysctls != nil {
		return
	}
	s.Sysctls = map[string]string{}
	for _, name := range kubeletSysctls {
		if b, err := os.ReadFile(filepath.Join("/proc/sys", name)); err == nil {
			s.Sysctls[name] = strings.TrimSpace(string(b))
		}
	}
}

// RestoreSysctls puts them back.
func (s *State) RestoreSysctls() error {
	var errs []error
	for name, value := range s.Sysctls {
		path := filepath.Join("/proc/sys", name)
		if b, err := os.ReadFile(path); err == nil && strings.TrimSpace(string(b)) == value {
			continue
		}
		if err := os.WriteFile(path, []byte(value), 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("put the setting %s back to %s: %w", name, value, err))
		}
	}
	return errors.Join(errs...)
}
