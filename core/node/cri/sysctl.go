package cri

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

// sysctls are the parameters of a kernel that a pod has of its own, with Linux' defaults: those that the
// kubelet takes for safe (k8s.io/kubernetes/pkg/kubelet/sysctl). They are kept for the pod's containers to
// read. Nothing of the network here is tuned by them.
var sysctls = map[string]string{
	"kernel.shm_rmid_forced":              "0",
	"net.ipv4.ip_local_port_range":        "32768\t60999",
	"net.ipv4.ip_local_reserved_ports":    "",
	"net.ipv4.ip_unprivileged_port_start": "0", // containerd's, for pods that are not on the host's network
	"net.ipv4.ping_group_range":           "0\t2147483647",
	"net.ipv4.tcp_fin_timeout":            "60",
	"net.ipv4.tcp_keepalive_intvl":        "75",
	"net.ipv4.tcp_keepalive_probes":       "9",
	"net.ipv4.tcp_keepalive_time":         "7200",
	"net.ipv4.tcp_rmem":                   "4096\t131072\t6291456",
	"net.ipv4.tcp_syncookies":             "1",
	"net.ipv4.tcp_wmem":                   "4096\t16384\t4194304",
}

// checkSysctls refuses what a kernel would not find, or what is no pod's own, as runc does.
func checkSysctls(wanted map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		key := strings.ReplaceAll(name, "/", ".")
		if _, ok := sysctls[key]; ok {
			continue
		}
		if strings.HasPrefix(key, "net.") || strings.HasPrefix(key, "kernel.") || strings.HasPrefix(key, "fs.") {
			return fmt.Errorf("open /proc/sys/%s: no such file or directory", strings.ReplaceAll(key, ".", "/"))
		}
		return fmt.Errorf("sysctl %q is not in a separate kernel namespace", name)
	}
	return nil
}

// sysctlMount shows a container the parameters of its pod.
func (r *Runtime) sysctlMount(s *sandbox) program.Mount {
	return program.Mount{
		Path: "/proc/sys", HostPath: filepath.Join(r.kernelDir(), "sysctl"), ReadOnly: true, Kind: "proc",
		Contents: func(rel string) ([]byte, bool) {
			key := strings.ReplaceAll(rel, "/", ".")
			value, ok := sysctls[key]
			for name, set := range s.config.GetLinux().GetSysctls() {
				if strings.ReplaceAll(name, "/", ".") == key {
					value = set
				}
			}
			return []byte(value + "\n"), ok
		},
	}
}

func (r *Runtime) kernelDir() string { return filepath.Join(r.opts.RootDir, "kernel") }

// makeKernelFiles makes the names of what containers read of their kernel; each container reads
// its own values (program.Mount.Contents).
func (r *Runtime) makeKernelFiles() error {
	var names []string
	for name := range cgroupFiles {
		names = append(names, filepath.Join("cgroup", name))
	}
	for key := range sysctls {
		names = append(names, filepath.Join("sysctl", strings.ReplaceAll(key, ".", "/")))
	}
	for _, name := range names {
		name = filepath.Join(r.kernelDir(), name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			return err
		}
	}
	return nil
}
