package steps

import (
	"github.com/tabernetes/tabernetes/core/realnode/told"
	"github.com/tabernetes/tabernetes/nodehost/cni/plugin"
)

// Plugin tells of a call of a CNI plugin. What is not for a pod (GC, STATUS) is no step.
func (t *Teller) Plugin(e plugin.Event) {
	if e.UID == "" || e.Command != "ADD" && e.Command != "DEL" {
		return
	}
	call := told.CNI{
		Command: e.Command, Plugin: e.Plugin, Sandbox: e.Container, Interface: e.Interface, Idle: e.Idle,
		IPs: e.IPs, Code: e.Code, Error: e.Error, Netns: e.Netns, Args: e.Args, Stdin: e.Stdin, Stdout: e.Stdout,
	}
	t.add(told.Step{
		At: e.Time.UnixMicro(), Took: e.Duration.Microseconds(), Namespace: e.Namespace, Pod: e.Pod, UID: e.UID,
		CNI: call.Bounded(),
	})
}
