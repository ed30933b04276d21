package cri

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/program"
)

// cgroupPath is where a container finds its control group (cgroups(7), version 2), in a cgroup namespace of
// its own.
const cgroupPath = "/sys/fs/cgroup"

// cgroupFiles are the files of a container's control group: what the kubelet has asked for, and what is
// counted.
var cgroupFiles = map[string]func(c *container, res *runtimeapi.LinuxContainerResources) string{
	"cgroup.controllers": func(*container, *runtimeapi.LinuxContainerResources) string { return "cpuset cpu memory pids" },
	"cgroup.procs":       (*container).procs,
	"cgroup.type":        func(*container, *runtimeapi.LinuxContainerResources) string { return "domain" },
	"cpu.max": func(_ *container, res *runtimeapi.LinuxContainerResources) string {
		quota := "max"
		if res.GetCpuQuota() > 0 {
			quota = strconv.FormatInt(res.CpuQuota, 10)
		}
		return quota + " " + strconv.FormatInt(cpuPeriod(res), 10)
	},
	"cpu.stat": func(c *container, _ *runtimeapi.LinuxContainerResources) string {
		s := c.cgroup.CPU()
		return fmt.Sprintf("usage_usec %d\nuser_usec %d\nsystem_usec 0\nnr_periods %d\nnr_throttled %d\nthrottled_usec %d",
			s.Usage.Microseconds(), s.Usage.Microseconds(), s.Periods, s.Throttled, s.ThrottledFor.Microseconds())
	},
	"cpu.weight": func(_ *container, res *runtimeapi.LinuxContainerResources) string {
		return strconv.FormatUint(cpuWeight(res.GetCpuShares()), 10)
	},
	"cpuset.cpus":           func(_ *container, res *runtimeapi.LinuxContainerResources) string { return res.GetCpusetCpus() },
	"cpuset.cpus.effective": func(c *container, res *runtimeapi.LinuxContainerResources) string { return c.processors(res) },
	"cpuset.mems.effective": func(*container, *runtimeapi.LinuxContainerResources) string { return "0" },
	"memory.current": func(c *container, _ *runtimeapi.LinuxContainerResources) string {
		return strconv.FormatInt(max(c.cgroup.Memory(), 0), 10)
	},
	"memory.events": func(c *container, _ *runtimeapi.LinuxContainerResources) string {
		killed := 0
		if c.oom.Load() {
			killed = 1
		}
		return fmt.Sprintf("low 0\nhigh 0\nmax %d\noom %d\noom_kill %d\noom_group_kill %d", killed, killed, killed, killed)
	},
	"memory.high": unified("memory.high", "max"),
	"memory.low":  unified("memory.low", "0"),
	"memory.max": func(_ *container, res *runtimeapi.LinuxContainerResources) string {
		if limit := res.GetMemoryLimitInBytes(); limit > 0 {
			return strconv.FormatInt(limit, 10)
		}
		return "max"
	},
	"memory.min":       unified("memory.min", "0"),
	"memory.oom.group": func(*container, *runtimeapi.LinuxContainerResources) string { return "1" },
	"memory.swap.max":  func(*container, *runtimeapi.LinuxContainerResources) string { return "0" },
	"pids.current": func(c *container, _ *runtimeapi.LinuxContainerResources) string {
		return strconv.Itoa(c.cgroup.Pids())
	},
	"pids.max": func(c *container, _ *runtimeapi.LinuxContainerResources) string {
		return strconv.Itoa(c.cgroup.Limits().Pids)
	},
}

func unified(name, without string) func(*container, *runtimeapi.LinuxContainerResources) string {
	return func(_ *container, res *runtimeapi.LinuxContainerResources) string {
		if value, ok := res.GetUnified()[name]; ok {
			return value
		}
		return without
	}
}

// processors are those that the container has, in the kernel's form of a list ("0-2,5").
func (c *container) processors(res *runtimeapi.LinuxContainerResources) string {
	if cpus := res.GetCpusetCpus(); cpus != "" {
		return cpus
	}
	if c.cores > 1 {
		return "0-" + strconv.Itoa(c.cores-1)
	}
	return "0"
}

func (c *container) procs(*runtimeapi.LinuxContainerResources) string {
	var numbers []string
	for _, p := range c.processes.List() {
		numbers = append(numbers, strconv.Itoa(p.PID))
	}
	return strings.Join(numbers, "\n")
}

// cgroupMount shows a container its control group. As from runc it can be read only.
func (r *Runtime) cgroupMount(c *container) program.Mount {
	return program.Mount{
		Path: cgroupPath, HostPath: filepath.Join(r.kernelDir(), "cgroup"), ReadOnly: true, Kind: "cgroup2",
		Contents: func(name string) ([]byte, bool) {
			file, ok := cgroupFiles[name]
			if !ok {
				return nil, false
			}
			c.mu.Lock()
			res := c.resources
			c.mu.Unlock()
			return []byte(file(c, res) + "\n"), true
		},
	}
}

// cpuPeriod is the period of a quota, in microseconds.
func cpuPeriod(res *runtimeapi.LinuxContainerResources) int64 {
	if res.GetCpuPeriod() > 0 {
		return res.CpuPeriod
	}
	return 100_000
}

// cpuWeight is what version 2 has in place of shares: from 1 to 10000, such that 1024 shares are the
// default of 100 (github.com/opencontainers/cgroups, ConvertCPUSharesToCgroupV2Value).
func cpuWeight(shares int64) uint64 {
	switch {
	case shares <= 0:
		return 100
	case shares <= 2:
		return 1
	case shares >= 262144:
		return 10000
	}
	l := math.Log2(float64(shares))
	return uint64(math.Ceil(math.Pow(10, (l*l+125*l)/612-7.0/34)))
}

// maxContainerMemory is the most that a limit of its pod lets a container hold: more than it gets
// without, less than would keep the tab busy at a stretch.
const maxContainerMemory = 256 << 20

// limits are the runtime's, with those of the kubelet.
func (r *Runtime) limits(res *runtimeapi.LinuxContainerResources) program.Limits {
	l := r.opts.ContainerLimits
	if limit := res.GetMemoryLimitInBytes(); limit > 0 {
		l.Memory = min(limit, max(maxContainerMemory, l.Memory))
	}
	if quota := res.GetCpuQuota(); quota > 0 {
		l.CPUQuota = time.Duration(min(quota, math.MaxInt64/1000)) * time.Microsecond
		l.CPUPeriod = time.Duration(min(cpuPeriod(res), 1_000_000)) * time.Microsecond // the kernel's bound
	}
	return l
}
