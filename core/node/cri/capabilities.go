package cri

import (
	"slices"
	"strings"

	"github.com/moby/sys/capability"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// usual are the capabilities of a container that says nothing (containerd's pkg/oci, defaultUnixCaps).
var usual = bits(
	capability.CAP_CHOWN, capability.CAP_DAC_OVERRIDE, capability.CAP_FSETID, capability.CAP_FOWNER, capability.CAP_MKNOD,
	capability.CAP_NET_RAW, capability.CAP_SETGID, capability.CAP_SETUID, capability.CAP_SETFCAP, capability.CAP_SETPCAP,
	capability.CAP_NET_BIND_SERVICE, capability.CAP_SYS_CHROOT, capability.CAP_KILL, capability.CAP_AUDIT_WRITE,
)

// allCapabilities are those that a privileged container has.
var allCapabilities = bits(capability.ListKnown()...)

// capabilities are the bounding set of a container, in containerd's order (internal/cri/opts, WithCapabilities): ALL is
// added, then dropped, then single ones are added and dropped. Names that nobody knows change nothing, as with runc.
func capabilities(sc *runtimeapi.LinuxContainerSecurityContext) uint64 {
	if sc.GetPrivileged() {
		return allCapabilities
	}
	set, add, drop := usual, sc.GetCapabilities().GetAddCapabilities(), sc.GetCapabilities().GetDropCapabilities()
	if hasAll(add) {
		set = allCapabilities
	}
	if hasAll(drop) {
		set = 0
	}
	return (set | named(add)) &^ named(drop)
}

func hasAll(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, "ALL") })
}

// named are the capabilities of these names, which have no CAP_ before them.
func named(names []string) (set uint64) {
	for _, c := range capability.ListKnown() {
		if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold("CAP_"+name, "CAP_"+c.String()) }) {
			set |= bits(c)
		}
	}
	return set
}

func bits(caps ...capability.Cap) (set uint64) {
	for _, c := range caps {
		set |= 1 << c
	}
	return set
}
